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

package io.holdfast.lock.internal.single;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.internal.driver.RedisConnections;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.driver.RedisSubscription;
import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.testing.FailingThreadStarts;
import io.holdfast.lock.testing.LogCapture;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The thread of a subscription, on a driver that only notes when it listens.
 */
class SubscriptionTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private final FailingThreadStarts starts = new FailingThreadStarts();

	private final Semaphore begun = new Semaphore(0);

	private final ServerSettings settings = new ServerSettings(new LockKeys("subscription:"), "client", LONG, LONG);

	private final Subscription subscription = new Subscription(new Notes(),
			new MemoryLockServer(new LockMemory(() -> 1), this.settings, () -> 1, new Deaf()), this.settings,
			new Deaf());

	@AfterEach
	void close() {
		this.starts.remove();
		this.subscription.close();
	}

	@Test
	void subscriptionWhoseThreadDidNotStartIsMadeWithTheNextCheck() throws Exception {
		this.starts.after(0, 1);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.subscription::open);

		this.subscription.check("subscription:lock:a", Runnable::run);

		assertThat(this.begun.tryAcquire(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
	}

	/** It is tried ten times a second, and a listener of the log is told once. */
	@Test
	void errorsAreWarnedOf() throws Exception {
		Semaphore tried = new Semaphore(0);
		RedisDriver failing = new Notes() {

			@Override
			public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener) {
				tried.release();
				throw new NoSuchMethodError("void Driver.subscribe()");
			}

		};
		try (LogCapture log = LogCapture.open()) {
			Subscription broken = new Subscription(failing, null, this.settings, new Deaf());
			broken.open();

			assertThat(tried.tryAcquire(3, LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

			broken.close();
			assertThat(log.messages(Level.WARN)).hasSizeLessThanOrEqualTo(10)
				.first(InstanceOfAssertFactories.STRING)
				.startsWith("There is no subscription to subscription:client:client")
				.contains("because of an unexpected error");
		}
	}

	private class Notes implements RedisDriver {

		@Override
		public Duration longestRequest() {
			return LONGEST_REQUEST;
		}

		@Override
		public RedisConnections requests() {
			throw new UnsupportedOperationException();
		}

		@Override
		public RedisConnections reserved() {
			throw new UnsupportedOperationException();
		}

		@Override
		public RedisSubscription subscription(byte[] channel, RedisSubscription.Listener listener) {
			return new Listening(SubscriptionTests.this.begun, new Semaphore(0));
		}

	}

	/**
	 * Listens until it is ended.
	 */
	private record Listening(Semaphore begun, Semaphore ended) implements RedisSubscription {

		@Override
		public void listen() {
			this.begun.release();
			this.ended.acquireUninterruptibly();
		}

		@Override
		public void end() {
			this.ended.release();
		}

	}

	private static final class Deaf implements LockMessages {

		@Override
		public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		}

		@Override
		public void awaited(String key, String id) {
		}

		@Override
		public void forced(String key, String id) {
		}

		@Override
		public void missedMessages() {
		}

	}

}
