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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.holdfast.lock.testing.ObserverCalls;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks that a caller of whom an {@code Error} makes an end has on the way to a handle,
 * and that cannot be released either: nobody has them, so they end.
 */
class UnreleasedErrorTests {

	private static final Duration TIMEOUT = Duration.ofMillis(600);

	/** Many times what it takes until nobody renews them any more. */
	private static final Duration SECONDS = Duration.ofSeconds(20);

	private final RedisConnectionFactory connections = RedisDriver.JEDIS.connect(RedisProcess.shared());

	private final Clock clock = new Clock();

	private final ObserverCalls calls = new ObserverCalls();

	private final RedisLockClient client = client(this.calls.observer());

	private final Set<String> used = new LinkedHashSet<>();

	private RedisLockClient client(LockObserver observer) {
		RedisLockClientBuilder builder = RedisLockClient.builder(this.connections)
			.keyPrefix("unreleased-" + UUID.randomUUID() + ":")
			.watchdogTimeout(TIMEOUT)
			.waiterTimeout(TIMEOUT)
			.observer(observer);
		ReflectionTestUtils.setField(builder, "nanoTime", this.clock);
		return builder.build();
	}

	@AfterEach
	void close() {
		this.client.close();
		RedisDriver.disconnect(this.connections);
	}

	@Test
	void lockEndsThatCouldNotBeReleasedAfterAnErrorAnywhere() {
		assertAllEnd((round) -> this.client.acquire(name(round, "only"), LockOptions.defaults())::close);
	}

	@Test
	void lockEndsThatItsThreadCouldNotReleaseAfterAnErrorAnywhere() {
		assertAllEnd((round) -> {
			LeaseLock lock = this.client.getLock(name(round, "thread"));
			lock.lock();
			return lock::unlock;
		});
	}

	@Test
	void lockEndsOfAThreadThatLivesOnIfThereWasNoMemoryToReleaseIt() {
		LeaseLock lock = this.client.getLock(name(0, "live"));
		lock.lock();
		this.clock.releaseFails = true;

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(lock::unlock);

		assertThat(this.clock.hasFailed()).isTrue();
		awaitEnd();
		Awaitility.await("the observer")
			.untilAsserted(() -> assertThat(this.calls.calls()).last().isEqualTo("Attempt.released"));
	}

	@Test
	void observerThatNeverReturnsFromThatDelaysNoRenewal() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		CountDownLatch blocked = new CountDownLatch(1);
		LockObserver observer = new LockObserver() {

			@Override
			public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
				return new Attempt() {

					@Override
					public void released(Release how, long heldNanos) {
						blocked.countDown();
						awaitEnd(end);
					}

				};
			}

		};
		try (RedisLockClient observed = client(observer)) {
			Lease held = observed.acquire("held", LockOptions.defaults());
			LeaseLock lock = observed.getLock("unreleased");
			lock.lock();
			this.clock.releaseFails = true;
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(lock::unlock);
			assertThat(this.clock.hasFailed()).isTrue();
			blocked.await();

			Awaitility.await("renewals").atMost(SECONDS).during(TIMEOUT.multipliedBy(3)).until(held::isValid);

			end.countDown();
		}
	}

	private static void awaitEnd(CountDownLatch end) {
		try {
			end.await();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void severalLocksEndThatCouldNotBeReleasedAfterAnErrorAnywhere() {
		assertAllEnd((round) -> this.client.acquire(names(round), LockOptions.defaults())::close);
	}

	private void assertAllEnd(Acquisition acquisition) {
		int round = 0;
		do {
			this.clock.failAfter(round);
			try {
				acquisition.acquire(round).run();
			}
			catch (LockException | OutOfMemoryError ex) {
				// Then nobody has it.
			}
			catch (InterruptedException ex) {
				throw new AssertionError(ex);
			}
			round++;
		}
		while (this.clock.hasFailed());
		assertThat(round).as("readings").isGreaterThan(5);
		awaitEnd();
	}

	private void awaitEnd() {
		Awaitility.await("the end of locks that nobody has")
			.atMost(SECONDS)
			.pollInSameThread()
			.pollInterval(Duration.ofMillis(50))
			.untilAsserted(() -> {
				// Some of them have a handle, which is forgotten.
				System.gc();
				this.used.removeIf((name) -> this.client.directory().find(name).isEmpty());
				assertThat(this.used).as("locks that go on").isEmpty();
			});
	}

	private List<String> names(int round) {
		return List.of(name(round, "a"), name(round, "b"), name(round, "c"));
	}

	private String name(int round, String which) {
		String name = which + "-" + round;
		this.used.add(name);
		return name;
	}

	@FunctionalInterface
	private interface Acquisition {

		/**
		 * Returns what releases it.
		 */
		Runnable acquire(int round) throws InterruptedException;

	}

	/**
	 * The monotonic clock. Fails the thread that made it, as if there were no memory:
	 * once where it is told to, and from then on wherever something is released.
	 */
	private static final class Clock implements LongSupplier {

		private final Thread thread = Thread.currentThread();

		private int readings = -1;

		private boolean releaseFails;

		@Override
		public long getAsLong() {
			if (Thread.currentThread() == this.thread && fails()) {
				throw new OutOfMemoryError("thrown on purpose");
			}
			return System.nanoTime();
		}

		private boolean fails() {
			if (this.readings-- == 0) {
				this.releaseFails = true;
				return true;
			}
			return this.releaseFails && StackWalker.getInstance()
				.walk((frames) -> frames.anyMatch((frame) -> frame.getClassName().equals(Releaser.class.getName())));
		}

		void failAfter(int count) {
			this.readings = count;
		}

		/**
		 * Whether it has failed. It will not from now on.
		 */
		boolean hasFailed() {
			boolean failed = this.releaseFails;
			this.releaseFails = false;
			this.readings = -1;
			return failed;
		}

	}

}
