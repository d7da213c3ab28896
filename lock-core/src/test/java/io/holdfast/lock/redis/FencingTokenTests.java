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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The token of a grant is larger than that of each earlier grant of the lock.
 */
@Tag("topology")
class FencingTokenTests extends LockContract {

	@Test
	void tokensGrowFromGrantToGrantOverThreadsAndClients() {
		List<Long> tokens = new ArrayList<>();
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.here, this.here, this.elsewhere, this.elsewhere)) {
			running.add(this.threads.run(() -> {
				for (int i = 0; i < 100; i++) {
					lock(client).lock();
					tokens.add(lock(client).token());
					lock(client).unlock();
				}
			}));
		}

		running.forEach(TestThreads.Running::result);

		assertThat(tokens).hasSize(500);
		assertStrictlyIncreasing(tokens);
	}

	@Test
	void tokensOfHandlesAndThreadsAreOneSequence() throws Exception {
		List<Long> tokens = new ArrayList<>();

		tokens.add(nextToken(this.here));
		try (Lease lease = this.elsewhere.acquire(this.name, options())) {
			tokens.add(lease.token());
		}
		tokens.add(nextToken(this.here));

		assertStrictlyIncreasing(tokens);
	}

	@Test
	void tokenGrowsAfterForcedRelease() {
		lock().lock();
		long token = lock().token();

		lock(this.elsewhere).forceUnlock();

		assertThat(nextToken(this.elsewhere)).isGreaterThan(token);
	}

	@Test
	void tokenGrowsAfterBlockOfTokensWasHandedOutAndItsKeyWasDeleted() {
		List<TestThreads.Running<Long>> running = new ArrayList<>();
		lock().lock();
		for (int i = 0; i < 10; i++) {
			running.add(this.threads.start(() -> nextToken(this.here)).awaitParked());
		}
		lock().unlock();
		long largest = running.stream().mapToLong(TestThreads.Running::result).max().orElseThrow();

		redis().delete(key());

		assertThat(nextToken(this.elsewhere)).isGreaterThan(largest);
	}

	@Test
	void tokenGrowsAfterTheClockOfTheServerWasSetBack() {
		nextToken(this.here);
		long future = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + Duration.ofHours(1).toMillis());
		redis().opsForHash().put(key(), "token", Long.toString(future));

		long first = nextToken(this.elsewhere);
		long second = nextToken(this.here);

		assertThat(first).isGreaterThan(future);
		assertThat(second).isGreaterThan(first);
	}

	@Test
	void tokensOfThreadsThatHandTheLockToEachOtherGrowAfterTheClockOfTheServerWasSetBack() {
		lock().lock();
		long future = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + Duration.ofHours(1).toMillis());
		redis().opsForHash().put(key(), "token", Long.toString(future));
		List<Long> tokens = new ArrayList<>(List.of(future));
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (LockClient client : List.of(this.elsewhere, this.elsewhere, this.elsewhere, this.elsewhere)) {
			waiting.add(this.threads.run(() -> {
				lock(client).lock();
				tokens.add(lock(client).token());
				lock(client).unlock();
			}).awaitParked());
		}

		lock().unlock();
		waiting.forEach(TestThreads.Running::result);

		assertStrictlyIncreasing(tokens);
	}

	private long nextToken(LockClient client) {
		lock(client).lock();
		try {
			return lock(client).token();
		}
		finally {
			lock(client).unlock();
		}
	}

	private static void assertStrictlyIncreasing(List<Long> tokens) {
		assertThat(tokens).isSorted().doesNotHaveDuplicates().allMatch((token) -> token > 0);
	}

}
