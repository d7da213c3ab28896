/*
 * Copyright 2026 the Holdfast authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.holdfast.lock.test;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** A slice, which knows none of an application's auto-configurations. */
@JsonTest
@AutoConfigureTestLocks
@Import(SliceTests.Stock.class)
class SliceTests {

	@Autowired
	private TestLocks locks;

	@Autowired
	private Stock stock;

	@Test
	void annotatedMethodLocks() {
		assertThat(this.stock.isLocked()).isTrue();
		assertThat(this.locks.acquiredNames()).containsExactly("stock");
	}

	@Test
	void sliceHasNothingElse(@Autowired ApplicationContext context) {
		assertThat(context.getBeanProvider(RedisConnectionFactory.class)).isEmpty();
		assertThat(context.getBeanProvider(LockClient.class)).hasSize(1);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	static class Stock {

		private final LockClient client;

		Stock(LockClient client) {
			this.client = client;
		}

		@DistributedLock(name = "stock")
		boolean isLocked() {
			return this.client.getLock("stock").isHeldByCurrentThread();
		}

	}

}
