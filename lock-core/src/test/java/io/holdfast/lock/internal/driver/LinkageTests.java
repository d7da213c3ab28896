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

package io.holdfast.lock.internal.driver;

import java.time.Duration;
import java.util.Set;

import io.holdfast.lock.testing.StrippedClasses;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/** Whether a library of another version is found out before it is called. */
class LinkageTests {

	@ParameterizedTest
	@EnumSource(io.holdfast.lock.testing.RedisDriver.class)
	void driversThatAreThereHaveAllThatIsCalled(io.holdfast.lock.testing.RedisDriver kind) {
		RedisConnectionFactory factory = kind.connect(new RedisStandaloneConfiguration("127.0.0.1", 1),
				Duration.ofSeconds(1));

		assertThat(RedisDriver.obstacle(factory)).isNull();

		io.holdfast.lock.testing.RedisDriver.disconnect(factory);
	}

	@Test
	void methodThatALibraryLacksIsNamed() {
		ClassLoader loader = new StrippedClasses()
			.without("org.springframework.data.redis.connection.jedis.JedisClientConfiguration", "getCustomizer");

		assertThat(missing(loader)).containsExactly("JedisClientConfiguration.getCustomizer()");
	}

	@Test
	void classThatALibraryLacksIsNamed() {
		ClassLoader loader = new StrippedClasses().without("redis.clients.jedis.JedisCluster");

		assertThat(missing(loader)).containsExactly("redis.clients.jedis.JedisCluster");
	}

	private static Set<String> missing(ClassLoader loader) {
		return new Linkage(loader).missing("JedisDriver", "JedisConnections", "JedisPools", "JedisSubscription");
	}

}
