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

import io.holdfast.lock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/** Beans with locked methods that a test replaces, or watches. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "spring.data.redis.port=1")
@AutoConfigureTestLocks
class MockitoTests {

	@Autowired
	private TestLocks locks;

	@MockitoBean
	private Payments replaced;

	@MockitoSpyBean
	private Orders watched;

	@Test
	void replacedBeanLocksNothing() {
		given(this.replaced.pay("4711")).willReturn("paid");

		assertThat(this.replaced.pay("4711")).isEqualTo("paid");

		assertThat(this.locks.acquired()).isEmpty();
	}

	@Test
	void watchedBeanLocks() {
		assertThat(this.watched.ship("4711")).isEqualTo("shipped");

		then(this.watched).should().ship("4711");
		assertThat(this.locks.acquiredNames()).containsExactly("order:4711");
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Payments.class, Orders.class })
	static class Application {

	}

	static class Payments {

		@DistributedLock(name = "payment", key = "#id")
		String pay(String id) {
			throw new IllegalStateException("This is the one that is replaced");
		}

	}

	static class Orders {

		@DistributedLock(name = "order", key = "#id")
		String ship(String id) {
			return "shipped";
		}

	}

}
