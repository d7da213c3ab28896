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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * That a subscription hears, and ends: by itself, when it is told to, and when the server
 * hangs.
 */
class RedisSubscriptionTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	private static final byte[] CHANNEL = "news".getBytes(StandardCharsets.US_ASCII);

	private final RedisProcess server = RedisProcess.start();

	private final Crew crew = new Crew();

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final AtomicReference<RedisConnectionFactory> factory = new AtomicReference<>();

	private final AtomicReference<Throwable> thrown = new AtomicReference<>();

	private final AtomicReference<Runnable> onSubscribed = new AtomicReference<>(() -> {
	});

	@AfterEach
	void end() throws Exception {
		this.server.resume();
		this.crew.close();
		Factories.disconnect(this.factory.get());
		this.server.close();
	}

	private RedisSubscription subscribe(Factories kind) {
		this.factory.compareAndSet(null, kind.make(this.server));
		return RedisDriver.of(this.factory.get()).subscription(CHANNEL, new Notes());
	}

	private Crew.Member listen(RedisSubscription subscription) {
		return this.crew.start("listener", () -> this.thrown.set(catchThrowable(subscription::listen)));
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(5)).until(condition);
	}

	private void awaitSubscribed(int times) {
		await(() -> this.heard.stream().filter("subscribed"::equals).count() == times);
	}

	@ParameterizedTest
	@EnumSource
	void hearsUntilItIsEnded(Factories kind) throws Exception {
		for (int times = 1; times <= 2; times++) {
			RedisSubscription subscription = subscribe(kind);
			Crew.Member listener = listen(subscription);
			awaitSubscribed(times);
			String message = "message " + times;
			this.server.command("PUBLISH", "news", message);
			await(() -> this.heard.contains(message));

			subscription.end();

			listener.join(LONG);
			await(() -> ((List<?>) this.server.command("PUBSUB", "CHANNELS")).isEmpty());
		}
	}

	@ParameterizedTest
	@EnumSource
	void endsAlthoughTheServerHangs(Factories kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		Crew.Member listener = listen(subscription);
		awaitSubscribed(1);
		this.server.pause();

		subscription.end();

		listener.join(LONG);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_ALL, names = "JEDIS.*")
	void endsWithoutAConfirmation(Factories kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		this.server.pause();

		listen(subscription).join(LONG);

		assertThat(this.thrown.get()).isInstanceOf(RuntimeException.class);
		assertThat(this.heard).isEmpty();
	}

	/**
	 * Lettuce goes on to connect; what it opens then is closed.
	 */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "LETTUCE_UNSHARED" })
	void connectionThatOpensAfterTheEndIsClosed(Factories kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		this.factory.get().getConnection().close();
		String before = this.server.info("clients", "connected_clients");
		this.server.pause();
		Crew.Member listener = listen(subscription);
		await(() -> listener.thread().getState() == Thread.State.WAITING
				|| listener.thread().getState() == Thread.State.TIMED_WAITING);

		subscription.end();

		this.server.resume();
		listener.join(LONG);
		assertThat(this.heard).isEmpty();
		await(() -> this.server.info("clients", "connected_clients").equals(before));
	}

	/**
	 * As at the end of an application whose server hangs.
	 */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "LETTUCE_UNSHARED" })
	void factoryEndsWhileASubscriptionStillConnects(Factories kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		this.server.pause();
		Crew.Member listener = listen(subscription);
		await(() -> listener.thread().getState() == Thread.State.WAITING
				|| listener.thread().getState() == Thread.State.TIMED_WAITING);
		subscription.end();

		this.crew.start("end", () -> Factories.disconnect(this.factory.get())).join(LONG);

		listener.join(LONG);
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_ALL, names = "JEDIS.*")
	void silenceAfterTheConfirmationIsNoReasonToEnd(Factories kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		Crew.Member listener = listen(subscription);
		awaitSubscribed(1);

		Awaitility.await()
			.during(JedisSubscription.PATIENCE.plusMillis(500))
			.atMost(LONG)
			.until(() -> listener.thread().isAlive());

		subscription.end();
		listener.join(LONG);
	}

	/**
	 * Jedis opens a closed socket anew at the next step, and would listen there for ever.
	 */
	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_ALL, names = "JEDIS.*")
	void subscriptionThatIsEndedBetweenTwoStepsOpensNoSocketThatStays(Factories kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		this.onSubscribed.set(subscription::end);
		String before = this.server.info("clients", "connected_clients");

		listen(subscription).join(LONG);

		await(() -> this.server.info("clients", "connected_clients").equals(before));
		assertThat(this.heard).containsExactly("subscribed");
	}

	/**
	 * Some drivers would give it back to the application's pool while it is subscribed.
	 */
	@ParameterizedTest
	@EnumSource
	void listenerThatFailsEndsTheSubscriptionAndSpoilsNoConnection(Factories kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		this.onSubscribed.set(() -> {
			throw new OutOfMemoryError("on purpose");
		});

		listen(subscription).join(LONG);

		assertThat(this.thrown.get()).hasStackTraceContaining("on purpose");
		await(() -> ((List<?>) this.server.command("PUBSUB", "CHANNELS")).isEmpty());
		for (int i = 0; i < 20; i++) {
			try (RedisConnection connection = this.factory.get().getConnection()) {
				assertThat(connection.keyCommands().exists(CHANNEL)).isFalse();
			}
		}
	}

	private final class Notes implements RedisSubscription.Listener {

		@Override
		public void onMessage(Message message, byte[] pattern) {
			RedisSubscriptionTests.this.heard.add(new String(message.getBody(), StandardCharsets.US_ASCII));
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			RedisSubscriptionTests.this.heard.add("subscribed");
			RedisSubscriptionTests.this.onSubscribed.get().run();
		}

	}

}
