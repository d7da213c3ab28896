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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is tried while a link takes long to open, and after the end.
 */
class ConnectionsTests {

	private static final Duration LIMIT = Duration.ofMillis(1);

	private final JedisConnectionFactory factory = new JedisConnectionFactory();

	/** What has begun to open, in that order. */
	private final List<CompletableFuture<TestLink>> begun = new CopyOnWriteArrayList<>();

	private final TestConnections connections;

	/** What opens at once. */
	private volatile @Nullable TestLink ready;

	/** Whether none opens. */
	private volatile boolean failing;

	/** Through which the latest call went. */
	private volatile @Nullable TestLink used;

	ConnectionsTests() {
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.connections = new TestConnections(this.factory);
	}

	@AfterEach
	void end() {
		this.connections.close();
		this.begun.forEach((each) -> each.complete(new TestLink()));
		this.factory.destroy();
	}

	@Test
	void linkThatOpensLateIsUsedAlthoughAnotherIsTriedBesideIt() {
		awaitBegun(2);
		TestLink late = new TestLink();
		this.begun.get(0).complete(late);

		awaitCallThrough(late);

		TestLink later = new TestLink();
		this.begun.get(1).complete(later);
		await().until(() -> later.closed);
		assertThat(late.closed).isFalse();
	}

	@Test
	void linkThatFailsLeavesTheOneBesideItToOpen() {
		awaitBegun(2);
		this.begun.get(0).completeExceptionally(new IllegalStateException("no server"));
		TestLink beside = new TestLink();
		this.begun.get(1).complete(beside);

		awaitCallThrough(beside);
	}

	@Test
	void linksThatFailAreBegunTenTimesASecondHoweverManyCallsThereAre() {
		this.failing = true;
		long since = System.nanoTime();

		for (int i = 0; i < 10_000; i++) {
			assertThatExceptionOfType(NotSentException.class)
				.isThrownBy(() -> this.connections.call(false, (used) -> 1));
		}

		long tenths = Duration.ofNanos(System.nanoTime() - since).toMillis() / 100;
		assertThat(this.begun).hasSizeLessThanOrEqualTo((int) tenths + 1);
	}

	@Test
	void callAfterTheEndHasALinkOfItsOwnAlthoughTheLatestOneHadFailed() {
		awaitBegun(1);
		this.begun.get(0).completeExceptionally(new IllegalStateException("no server"));
		this.connections.close();
		TestLink own = new TestLink();
		this.ready = own;

		awaitCallThrough(own);

		await().until(() -> own.closed);
	}

	@Test
	void callThatFailsAsTheClientIsClosedMayHaveBeenSent() {
		awaitBegun(1);
		TestLink link = new TestLink();
		this.begun.get(0).complete(link);
		awaitCallThrough(link);

		assertThatExceptionOfType(MaybeSentException.class).isThrownBy(() -> this.connections.call(false, (used) -> {
			this.connections.close();
			throw new IllegalStateException("closed under it");
		}));
	}

	@Test
	void callAfterTheEndIsNotSentIfNothingWasEverOpened() {
		this.connections.close();

		assertThatExceptionOfType(NotSentException.class).isThrownBy(() -> this.connections.call(false, (used) -> 1));
		assertThat(this.begun).isEmpty();
	}

	@Test
	void linkOfACallWithoutAnAnswerIsProbedNotTooOften() {
		TestLink link = new TestLink();
		this.ready = link;
		awaitCallThrough(link);

		for (int i = 0; i < 3; i++) {
			this.connections.call(true, (used) -> {
				await().until(() -> link.probes.get() > 0);
				return "late";
			});
		}

		assertThat(link.probes).hasValue(1);
	}

	@Test
	void probeWithoutAnAnswerIsRepeatedUntilTheCallIsOver() {
		TestLink link = new TestLink();
		link.answers = false;
		this.ready = link;
		awaitCallThrough(link);

		this.connections.call(true, (used) -> {
			await().until(() -> link.probes.get() > 2);
			return "late";
		});

		assertThat(link.silent.getAsBoolean()).isFalse();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(TestThreads.LONG).ignoreExceptions();
	}

	private void awaitBegun(int count) {
		await().until(() -> {
			if (this.begun.size() < count) {
				this.connections.call(false, (connection) -> "not sent");
			}
			return this.begun.size() == count;
		});
	}

	private void awaitCallThrough(TestLink link) {
		await().until(() -> {
			this.connections.call(false, (connection) -> "sent");
			return this.used == link;
		});
	}

	private final class TestConnections extends Connections<JedisConnectionFactory, TestLink> {

		TestConnections(JedisConnectionFactory original) {
			super(original, Duration.ZERO, LIMIT);
		}

		@Override
		TestLink connect() {
			CompletableFuture<TestLink> opening = new CompletableFuture<>();
			ConnectionsTests.this.begun.add(opening);
			if (ConnectionsTests.this.failing) {
				throw new IllegalStateException("no server");
			}
			TestLink open = ConnectionsTests.this.ready;
			return (open != null) ? open : opening.join();
		}

		@Override
		public RedisSubscription subscription(List<String> channels, RedisSubscription.Listener listener) {
			throw new UnsupportedOperationException();
		}

	}

	private final class TestLink implements Link {

		private final AtomicInteger probes = new AtomicInteger();

		private volatile boolean answers = true;

		private volatile BooleanSupplier silent = () -> true;

		private volatile boolean closed;

		@Override
		public void probe(BooleanSupplier silentNow) {
			this.silent = silentNow;
			this.probes.incrementAndGet();
			if (!this.answers) {
				throw new IllegalStateException("no answer");
			}
		}

		@Override
		public <T extends @Nullable Object> T call(Duration limit, Function<RedisConnection, T> command) {
			ConnectionsTests.this.used = this;
			return command.apply((RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RedisConnection.class }, (proxy, method, args) -> null));
		}

		@Override
		public void renew() {
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

}
