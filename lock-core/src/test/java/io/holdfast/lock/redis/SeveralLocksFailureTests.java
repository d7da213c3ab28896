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
import java.util.List;
import java.util.UUID;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.QueryTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server that fails in the middle of acquiring several locks, or of releasing them,
 * leaves nothing held.
 */
@ParameterizedClass(name = "{0} with {1}")
@MethodSource("io.holdfast.lock.redis.LockContract#kinds")
class SeveralLocksFailureTests {

	private static final List<String> NAMES = List.of("a", "b", "c");

	@Parameter(0)
	private LockType type;

	@Parameter(1)
	private RedisDriver driver;

	private final RedisProcess server = RedisProcess.shared();

	private final FaultClients clients = new FaultClients(this.server, "several-" + UUID.randomUUID() + ":");

	private FaultyConnections connections;

	private RedisLockClient client;

	@BeforeEach
	void connect() throws Exception {
		this.connections = new FaultyConnections(this.clients.connect(this.driver, this.server, FaultClients.PATIENCE));
		this.client = this.clients.open(this.connections,
				(builder) -> builder.waiterTimeout(Duration.ofSeconds(5)).watchdogTimeout(Duration.ofSeconds(30)));
		FaultClients.awaitHears(this.client);
		this.client.acquire("warm-up", LockOptions.defaults().type(this.type)).close();
	}

	@AfterEach
	void close() throws Exception {
		this.clients.close();
	}

	@Test
	void scriptThatFailsLeavesNothingHeldWhicheverItIs() throws Exception {
		int failures = 0;
		for (int script = 1; script <= 2 * NAMES.size(); script++) {
			for (boolean runs : new boolean[] { false, true }) {
				failAt(script, runs);
				try {
					this.client.acquireAll(NAMES, LockOptions.defaults().type(this.type).waitTime(Duration.ZERO))
						.close();
				}
				catch (LockServerException ex) {
					failures++;
				}
				this.connections.onNext(FaultyConnections.Call::run);

				NAMES.forEach(this.clients::awaitFree);
				FaultClients.awaitForgotten(this.client);
			}
		}
		assertThat(failures).isPositive();
	}

	/**
	 * Has a script fail that is still to come.
	 * @param runs whether it runs, and only its answer is lost
	 */
	private void failAt(int script, boolean runs) {
		this.connections.onNext((call) -> {
			if (script > 1) {
				failAt(script - 1, runs);
				return call.run();
			}
			if (runs) {
				call.run();
			}
			throw new QueryTimeoutException("thrown on purpose");
		});
	}

}
