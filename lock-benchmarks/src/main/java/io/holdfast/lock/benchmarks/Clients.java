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

package io.holdfast.lock.benchmarks;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.benchmarks.libraries.SpringDriver;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Clients of ours in this process: each with an id and a subscription of its own, all on
 * one connection factory.
 */
final class Clients implements AutoCloseable {

	/**
	 * Connections for all of them together; waiting takes none.
	 */
	private static final int CONNECTIONS = 64;

	private final RedisConnectionFactory connections;

	private final List<? extends LockClient> all;

	/**
	 * Starts clients with default settings, and waits until all have their subscriptions.
	 */
	Clients(SpringDriver driver, RedisServer redis, int count) {
		this(driver, redis, count, UnaryOperator.identity());
	}

	/**
	 * Starts clients with some settings, and waits until all have their subscriptions.
	 */
	Clients(SpringDriver driver, RedisServer redis, int count, UnaryOperator<RedisLockClientBuilder> settings) {
		this.connections = driver.connect(redis.address(), CONNECTIONS);
		this.all = Stream.generate(() -> settings.apply(RedisLockClient.builder(this.connections)).build())
			.limit(count)
			.toList();
		Threads.await(() -> redis.info("stats").getOrDefault("pubsub_channels", "0").equals(Integer.toString(count)));
	}

	LockClient get(int number) {
		return this.all.get(number);
	}

	@Override
	public void close() {
		this.all.forEach(LockClient::close);
		try {
			((DisposableBean) this.connections).destroy();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
