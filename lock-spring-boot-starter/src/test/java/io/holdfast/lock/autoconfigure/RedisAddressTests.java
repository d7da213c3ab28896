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

package io.holdfast.lock.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** How messages say which Redis they are about. */
class RedisAddressTests {

	private static final RedisStandaloneConfiguration SERVER = new RedisStandaloneConfiguration("a", 1);

	private static final RedisClusterConfiguration CLUSTER = new RedisClusterConfiguration(List.of("b:2", "a:1"));

	private static final RedisSentinelConfiguration SENTINEL = new RedisSentinelConfiguration("shop",
			Set.of("b:2", "a:1"));

	static Stream<Arguments> hostsAndPortsAreNamed() {
		String cluster = "cluster of a:1, b:2";
		String sentinel = "master of the Sentinels a:1, b:2";
		return Stream.of(Arguments.of(new JedisConnectionFactory(SERVER), "a:1"),
				Arguments.of(new JedisConnectionFactory(CLUSTER), cluster),
				Arguments.of(new JedisConnectionFactory(SENTINEL), sentinel),
				Arguments.of(new LettuceConnectionFactory(SERVER), "a:1"),
				Arguments.of(new LettuceConnectionFactory(CLUSTER), cluster),
				Arguments.of(new LettuceConnectionFactory(SENTINEL), sentinel),
				Arguments.of(new LettuceConnectionFactory(new RedisSocketConfiguration("/tmp/redis.sock")),
						"/tmp/redis.sock"));
	}

	@ParameterizedTest
	@MethodSource
	void hostsAndPortsAreNamed(RedisConnectionFactory factory, String address) {
		assertThat(RedisAddress.of(factory)).isEqualTo(address);
	}

}
