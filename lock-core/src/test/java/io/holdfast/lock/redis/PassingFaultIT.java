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

package io.holdfast.lock.redis;

import java.time.Duration;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.exceptions.JedisDataException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens while Redis says that it cannot do its work for now: an attempt is told
 * so, a call that waits outlives it, and what is held stays held.
 */
class PassingFaultIT extends FaultFixture {

	/**
	 * Longer than any of it lasts.
	 */
	private static final Duration LONG = Duration.ofSeconds(60);

	/**
	 * Redis looks at its clients after every two megabytes that it loads.
	 */
	private static final String FILL = "for i = 1, 40 do redis.call('SET', 'filler' .. i, string.rep('x', 2100000)) end";

	private static final String[] SLOW_LOADING = { "--key-load-delay", "250000", "--rdbcompression", "no" };

	PassingFaultIT() {
		super("--lua-time-limit", "50", "--rdbcompression", "no");
	}

	@ParameterizedTest
	@EnumSource
	void anothersScriptKeepsRedisBusy(RedisDriver driver) throws Exception {
		assertOutlived(driver, "BUSY",
				() -> this.crew.start("busy",
						() -> assertThatExceptionOfType(JedisDataException.class)
							.isThrownBy(() -> this.server.command("EVAL", "while true do end", "0"))),
				() -> this.server.command("SCRIPT", "KILL"));
		this.crew.join(FaultClients.PATIENCE);
	}

	@ParameterizedTest
	@EnumSource
	void redisLoadsItsDataAgain(RedisDriver driver) {
		assertOutlived(driver, "LOADING", () -> {
			this.server.command("EVAL", FILL, "0");
			this.server.command("SAVE");
			this.server.kill();
			this.server.startAgain(SLOW_LOADING);
		}, () -> {
		});
		this.server.command("EVAL", "for i = 1, 40 do redis.call('DEL', 'filler' .. i) end", "0");
	}

	@ParameterizedTest
	@EnumSource
	void replicaHasLostItsMaster(RedisDriver driver) {
		assertOutlived(driver, "MASTERDOWN", () -> {
			this.server.command("CONFIG", "SET", "replica-serve-stale-data", "no");
			this.server.command("REPLICAOF", "127.0.0.1", "1");
		}, () -> this.server.command("REPLICAOF", "NO", "ONE"));
	}

	@ParameterizedTest
	@EnumSource
	void masterBecomesAReplica(RedisDriver driver) {
		assertOutlived(driver, "READONLY", () -> this.server.command("REPLICAOF", "127.0.0.1", "1"),
				() -> this.server.command("REPLICAOF", "NO", "ONE"));
	}

	@ParameterizedTest
	@EnumSource
	void replicasAreTooFew(RedisDriver driver) {
		assertOutlived(driver, "NOREPLICAS", () -> this.server.command("CONFIG", "SET", "min-replicas-to-write", "1"),
				() -> this.server.command("CONFIG", "SET", "min-replicas-to-write", "0"));
	}

	/**
	 * The server says with that word what it lacks.
	 */
	private void assertOutlived(RedisDriver driver, String word, Runnable begins, Runnable ends) {
		RedisLockClient client = this.clients.open(driver, this.server.host(), this.server.port(),
				(builder) -> builder.watchdogTimeout(LONG).waiterTimeout(LONG));
		LeaseLock held = client.getLock("held");
		LeaseLock wanted = client.getLock("wanted");
		held.lock();
		long token = held.token();

		begins.run();
		FaultClients.await("the server says " + word, () -> FaultClients.passingFailure(wanted).contains(word));
		TestThreads.Running<Boolean> waiting = this.threads.start(() -> {
			boolean acquired = wanted.tryLock(LONG);
			this.clients.unlock(wanted);
			return acquired;
		}).awaitParked();
		ends.run();

		assertThat(waiting.result()).isTrue();
		assertThat(held.isHeldByCurrentThread()).isTrue();
		this.clients.unlock(held);
		held.lock();
		assertThat(held.token()).isGreaterThan(token);
		this.clients.unlock(held);
	}

}
