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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Drivers, and a server of their own. Their calls may take longer than a busy machine
 * stands still, unless a test says otherwise.
 */
abstract class DriverFixture {

	static final Duration LONG = TestThreads.LONG;

	final RedisProcess server = RedisProcess.start();

	final Crew crew = new Crew();

	private final List<RedisConnectionFactory> factories = new ArrayList<>();

	private final List<RedisDriver> drivers = new ArrayList<>();

	@AfterEach
	void end() throws Exception {
		if (this.server.isAlive()) {
			this.server.resume();
		}
		this.crew.close();
		this.drivers.forEach(RedisDriver::close);
		this.factories.forEach(io.holdfast.lock.testing.RedisDriver::disconnect);
		this.server.close();
	}

	RedisConnectionFactory connect(Kind kind) {
		return keep(kind.driver.connect(this.server.host(), this.server.port(), Duration.ofMinutes(1)));
	}

	<F extends RedisConnectionFactory> F keep(F factory) {
		this.factories.add(factory);
		return factory;
	}

	RedisDriver open(RedisConnectionFactory factory, Duration longestRequest) {
		RedisDriver driver = RedisDriver.of(factory, longestRequest);
		this.drivers.add(driver);
		return driver;
	}

	RedisDriver open(Kind kind) {
		return open(connect(kind), LONG);
	}

	static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(5)).until(condition);
	}

	/**
	 * Calls until there is an answer.
	 */
	static void awaitAnswer(RedisDriver driver) {
		Awaitility.await()
			.atMost(LONG)
			.pollInterval(Duration.ofMillis(5))
			.ignoreExceptions()
			.until(() -> !driver.call(false, DriverFixture::exists));
	}

	static boolean exists(RedisConnection connection) {
		return Boolean.TRUE.equals(connection.keyCommands().exists("a".getBytes(StandardCharsets.US_ASCII)));
	}

	/**
	 * The kinds of connection factories that applications have, with settings that hang
	 * for as long as drivers do: pools that wait without end, and time-outs of a minute.
	 */
	enum Kind {

		JEDIS(io.holdfast.lock.testing.RedisDriver.JEDIS), LETTUCE(io.holdfast.lock.testing.RedisDriver.LETTUCE);

		final io.holdfast.lock.testing.RedisDriver driver;

		Kind(io.holdfast.lock.testing.RedisDriver driver) {
			this.driver = driver;
		}

	}

}
