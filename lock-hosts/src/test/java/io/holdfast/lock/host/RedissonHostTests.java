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

package io.holdfast.lock.host;

import java.util.UUID;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with Redisson's starter, which has a connection factory of its own, so
 * that Holdfast needs one of Jedis.
 */
@Tag("redisson")
class RedissonHostTests {

	private final String prefix = UUID.randomUUID() + ":";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.data.redis.host=" + RedisProcess.shared().host(),
				"spring.data.redis.port=" + RedisProcess.shared().port(), "holdfast.lock.key-prefix=" + this.prefix);

	@Test
	void connectionsOfRedissonAreRefused() {
		this.runner.run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("define one, beside Redisson as well")
				.hasMessageContaining("org.redisson.spring.data.connection");
		});
	}

	@Test
	void ownConnectionFactoryStays() {
		this.runner.withBean(JedisConnectionFactory.class, RedissonHostTests::jedis).run((context) -> {
			assertThat(context.getBean(RedisConnectionFactory.class)).isInstanceOf(JedisConnectionFactory.class);
			assertThat(context.getBean(Till.class).isLocked(context.getBean(LockClient.class).getLock("till")))
				.isTrue();
		});
	}

	static JedisConnectionFactory jedis() {
		return new JedisConnectionFactory(
				new RedisStandaloneConfiguration(RedisProcess.shared().host(), RedisProcess.shared().port()));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Till till() {
			return new Till();
		}

	}

	static class Till {

		@DistributedLock(name = "till")
		boolean isLocked(LeaseLock lock) {
			return lock.isLocked() && lock.isHeldByCurrentThread();
		}

	}

}
