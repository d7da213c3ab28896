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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.FailingThreadStarts;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * On a quorum threads of the client ask the servers. They end when nobody needs them for
 * a while; if new ones cannot be started, no lock may stay behind.
 */
class QuorumThreadStartIT extends QuorumFixture {

	private static final LockOptions OPTIONS = LockOptions.defaults().leaseTime(Duration.ofMinutes(1));

	private final FailingThreadStarts starts = new FailingThreadStarts();

	@AfterEach
	void letThreadsStart() {
		this.starts.remove();
	}

	@Test
	void lockIsReleasedAlthoughThreadsCannotBeStarted() throws Exception {
		Map<Integer, LeaseLock> locks = new LinkedHashMap<>();
		for (int succeed : List.of(0, 2)) {
			RedisLockClient client = client((builder) -> builder);
			// Whoever may have missed messages asks about what it holds.
			await(() -> assertThat(ClientState.hears(client)).isTrue());
			LeaseLock lock = client.getLock("release-" + succeed, OPTIONS);
			lock.lock();
			assertThat(servers(lock.name())).isGreaterThanOrEqualTo(3);
			locks.put(succeed, lock);
		}
		awaitEndOfIdleThreads();

		for (Map.Entry<Integer, LeaseLock> each : locks.entrySet()) {
			this.starts.after(each.getKey(), 10);
			attempt(each.getValue()::unlock);
			this.starts.end();

			assertIsFree(each.getValue().name());
		}
	}

	@Test
	void nothingIsHeldIfThreadsCannotBeStartedToAcquireTheLock() throws Exception {
		for (int succeed = 0; succeed < SERVERS.size(); succeed++) {
			LeaseLock lock = client((builder) -> builder).getLock("acquire-" + succeed, OPTIONS);

			this.starts.after(succeed, 10);
			attempt(() -> {
				if (lock.tryLock(Duration.ofMillis(100))) {
					lock.unlock();
				}
			});
			this.starts.end();

			assertIsFree(lock.name());
		}
	}

	private static void attempt(TestThreads.Action action) {
		try {
			action.run();
		}
		catch (Exception | OutOfMemoryError ex) {
			// Whoever cannot start a thread may fail.
		}
	}

	private void assertIsFree(String name) throws Exception {
		LeaseLock other = this.clients.get(1).getLock(name);
		assertThat(other.tryLock(TestThreads.LONG)).as("another client got '%s'", name).isTrue();
		other.unlock();
		await(() -> assertThat(servers(name)).as("servers that have '%s'", name).isZero());
	}

	/**
	 * With other names of threads this waits for nothing.
	 */
	private static void awaitEndOfIdleThreads() {
		// Each command of a client lets its threads live for ten seconds more.
		Awaitility.await()
			.pollInSameThread()
			.atMost(TestThreads.LONG.multipliedBy(4))
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.noneMatch((thread) -> thread.startsWith("holdfast-quorum-")));
	}

}
