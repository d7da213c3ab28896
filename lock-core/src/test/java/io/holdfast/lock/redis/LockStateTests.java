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

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What nobody uses any more is gone: at once from the client, in time from Redis.
 */
class LockStateTests extends LockContract {

	@Test
	void thousandNamesLeaveNothingInTheClientAndNothingForEverInRedis() {
		for (int i = 0; i < 1000; i++) {
			LeaseLock lock = this.here.getLock(this.name + i, options());
			lock.lock();
			lock.unlock();
		}

		awaitForgotten(this.here);
		assertThat(keysWithoutTtl()).isZero();
		redis().delete(keys());
	}

	@Test
	void lockObjectsCostNothing() {
		for (int i = 0; i < 1000; i++) {
			this.here.getLock(this.name + i, options());
		}

		awaitForgotten(this.here);
		assertThat(keys()).isEmpty();
	}

	@Test
	void everyKeyOfLockThatIsHeldAndAwaitedEndsByItself() {
		lock().lock();
		assertThat(keysWithoutTtl()).isZero();
		TestThreads.Running<Void> waiting = this.threads.run(() -> lock(this.elsewhere).lock()).awaitParked();

		assertThat(keys()).isNotEmpty();
		assertThat(keysWithoutTtl()).isZero();

		lock().unlock();
		waiting.result();
		assertThat(keysWithoutTtl()).isZero();
	}

	@Test
	void keyThatWasMadeToLastEndsByItselfAgain() throws Exception {
		LockClient client = clientWithClock();
		// A client that begins to hear asks once how its holds stand.
		awaitSubscription(client);
		LeaseLock renewed = lock(client);
		renewed.lock();
		redis().persist(key());
		assertThat(keysWithoutTtl()).isEqualTo(1);

		setForwardToRenewal();
		eventually().until(() -> keysWithoutTtl() == 0);
		renewed.unlock();
		lock(SOON).lock();
		redis().persist(key());

		assertThat(lock(this.elsewhere).tryLock(LONG)).isTrue();
		assertThat(keysWithoutTtl()).isZero();
	}

	@Test
	void keyOutlivesTheLongestLease() {
		lock(Duration.ofDays(366)).lock();

		assertThat(redis().getExpire(key())).isGreaterThan(Duration.ofDays(366).toSeconds());
	}

	@Test
	void releasedLockKeepsItsTokenForTheRetention() {
		LockClient client = client((builder) -> builder.tokenRetention(Duration.ofMinutes(2)));

		lock(client).lock();
		lock(client).unlock();

		assertThat(redis().getExpire(key())).isBetween(60L, 240L);
		assertThat(redis().opsForHash().keys(key())).contains("token").doesNotContain("until", "head");
	}

	@Test
	void manyThreadsOnManyNamesLeaveNothing() {
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			LockClient client = (i % 2 == 0) ? this.here : this.elsewhere;
			running.add(this.threads.run(() -> {
				for (int n = 0; n < 200; n++) {
					LeaseLock lock = client.getLock(this.name + n % 3, options());
					if (lock.tryLock(Duration.ofMillis(n % 4))) {
						lock.unlock();
					}
				}
			}));
		}
		running.forEach(TestThreads.Running::result);

		awaitForgotten(this.here);
		awaitForgotten(this.elsewhere);
		for (int n = 0; n < 3; n++) {
			String lockName = this.name + n;
			eventually().until(() -> this.elsewhere.directory().queue(lockName, 100).isEmpty());
		}
	}

	private long keysWithoutTtl() {
		return keys().stream().filter((key) -> redis().getExpire(key) < 0).count();
	}

}
