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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisSentinels;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * What kind of Redis the locks are on.
 */
enum Topology {

	/** One server. */
	STANDALONE {

		@Override
		Servers start() {
			return new SingleServer();
		}

		@Override
		RedisConfiguration configuration(List<String> addresses) {
			String[] address = addresses.get(0).split(":", -1);
			return new RedisStandaloneConfiguration(address[0], Integer.parseInt(address[1]));
		}

	},

	/** A master with replicas and sentinels. */
	SENTINEL {

		@Override
		Servers start() {
			return new SentinelServers();
		}

		@Override
		RedisConfiguration configuration(List<String> addresses) {
			RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(RedisSentinels.MASTER);
			addresses.forEach((each) -> {
				String[] address = each.split(":", -1);
				configuration.sentinel(address[0], Integer.parseInt(address[1]));
			});
			return configuration;
		}

	},

	/** Masters that share the keys, with replicas. */
	CLUSTER {

		@Override
		Servers start() {
			return new ClusterServers();
		}

		@Override
		RedisConfiguration configuration(List<String> addresses) {
			return new RedisClusterConfiguration(addresses);
		}

	};

	abstract Servers start();

	abstract RedisConfiguration configuration(List<String> addresses);

	/**
	 * Connects.
	 * @param address of all servers that a client is told of
	 */
	RedisConnectionFactory connect(RedisDriver driver, String address, Duration timeout) {
		return driver.connect(configuration(List.of(address.split(",", -1))), timeout);
	}

	/**
	 * How long everybody needs to find out that a fault is over: drivers learn of a new
	 * master late.
	 */
	Duration recovery() {
		return (this == STANDALONE) ? Duration.ofMillis(1500) : Duration.ofSeconds(15);
	}

	String word() {
		return name().toLowerCase(Locale.ROOT);
	}

}
