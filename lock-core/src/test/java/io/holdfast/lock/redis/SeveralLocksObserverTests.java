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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What observers are told of locks that are acquired together, and when. */
class SeveralLocksObserverTests extends FaultFixture {

	private static final List<String> NAMES = List.of("a", "b");

	private final Recorder observer = new Recorder();

	private final RedisLockClient other;

	private final RedisLockClient client;

	SeveralLocksObserverTests() {
		super(RedisProcess.shared());
		this.other = openPatient(RedisDriver.JEDIS);
		this.client = openPatient(RedisDriver.JEDIS, this.server.port(), (builder) -> builder.observer(this.observer));
	}

	@Test
	void eachIsWantedWhenTheCallerComesToIt() throws Exception {
		this.client.acquire(NAMES, LockOptions.defaults()).close();

		assertThat(this.observer.told).containsExactly("wanted a", "FIRST_ATTEMPT a", "wanted b", "FIRST_ATTEMPT b",
				"RETURNED b", "RETURNED a");
	}

	@Test
	void threadThatHoldsThemDoesNotWantThemAgain() throws Exception {
		LeaseLock several = this.client.getLock(NAMES);
		Lease held = this.other.acquire("b", LockOptions.defaults());

		assertThat(several.tryLock(Duration.ofSeconds(1))).isFalse();
		held.close();
		several.lock();
		several.lock();
		several.unlock();
		several.unlock();

		assertThat(this.observer.told).containsExactly("wanted a", "FIRST_ATTEMPT a", "wanted b", "TIMED_OUT b",
				"RETURNED a", "wanted a", "FIRST_ATTEMPT a", "wanted b", "FIRST_ATTEMPT b", "RETURNED b", "RETURNED a");
	}

	@Test
	void lockToWhichTheCallerDoesNotComeIsNotWanted() throws Exception {
		try (Lease held = this.other.acquire("a", LockOptions.defaults())) {
			assertThat(this.client.tryAcquire(NAMES, LockOptions.defaults().waitTime(Duration.ofMillis(50)))).isEmpty();
			assertThat(held.isValid()).isTrue();
		}

		assertThat(this.observer.told).containsExactly("wanted a", "TIMED_OUT a");
	}

	private static final class Recorder implements LockObserver {

		private final Queue<String> told = new ConcurrentLinkedQueue<>();

		@Override
		public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
			this.told.add("wanted " + name);
			return new Attempt() {

				@Override
				public void acquired(Acquisition how, long waitedNanos) {
					Recorder.this.told.add(how + " " + name);
				}

				@Override
				public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
					Recorder.this.told.add(why + " " + name);
				}

				@Override
				public void released(Release how, long heldNanos) {
					Recorder.this.told.add(how + " " + name);
				}

			};
		}

	}

}
