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

import java.util.List;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several locks that one script acquires.
 */
class LocksTogetherTests extends LockContract {

	@Test
	void oneCallTakesTheLocksThatOneScriptMayTouch() {
		String setup = System.getProperty("redis.setup", "standalone");
		List<String> keys = Stream.of("{c}1", "{c}2", "d").map(this::named).map(this::key).toList();

		int expected = switch (setup) {
			case "local" -> 1;
			case "cluster" -> 2;
			default -> 3;
		};
		assertThat(FaultClients.server(this.here).batchSize(keys)).isEqualTo(expected);
	}

	@Test
	void whoWaitsIsNotOvertaken() throws Exception {
		Lease held = this.elsewhere.acquire(named("b"), options());
		LeaseLock second = this.here.getLock(named("b"), this.type);
		TestThreads.Running<Long> waiting = this.threads.start(() -> {
			second.lock();
			long token = second.token();
			second.unlock();
			return token;
		}).awaitParked();
		eventually().until(() -> this.elsewhere.directory().queue(named("b"), 10).size() == 1);

		TestThreads.Running<Lease> all = this.threads
			.start(() -> client().acquire(List.of(named("a"), named("b")), options().waitTime(LONG)))
			.awaitParked();
		held.close();

		assertThat(all.result().token(named("b"))).isGreaterThan(waiting.result());
	}

	private String named(String suffix) {
		return this.name + suffix;
	}

}
