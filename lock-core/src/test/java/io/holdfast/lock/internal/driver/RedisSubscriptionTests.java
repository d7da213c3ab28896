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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.testing.Crew;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * That a subscription hears, and ends: by itself, when it is told to, and when the server
 * hangs.
 */
class RedisSubscriptionTests extends DriverFixture {

	private static final byte[] CHANNEL = "news".getBytes(StandardCharsets.US_ASCII);

	private final List<String> heard = new CopyOnWriteArrayList<>();

	private final AtomicReference<RedisConnectionFactory> factory = new AtomicReference<>();

	private final AtomicReference<Throwable> thrown = new AtomicReference<>();

	private final AtomicReference<Runnable> onSubscribed = new AtomicReference<>(() -> {
	});

	private RedisSubscription subscribe(Kind kind) {
		if (this.factory.get() == null) {
			this.factory.set(connect(kind));
		}
		return open(this.factory.get(), RedisDriver.LONGEST_REQUEST)
			.subscription(List.of(new String(CHANNEL, StandardCharsets.US_ASCII)), new Notes());
	}

	private Crew.Member listen(RedisSubscription subscription) {
		return this.crew.start("listener", () -> this.thrown.set(catchThrowable(subscription::listen)));
	}

	private void awaitSubscribed(int times) {
		await(() -> this.heard.stream().filter("subscribed"::equals).count() == times);
	}

	/**
	 * Who calls first does not wait for the first connection of a JVM.
	 */
	@Test
	void lettuceConnectsForCallsWhenASubscriptionIsPrepared() {
		subscribe(Kind.LETTUCE);

		await(() -> this.server.command("CLIENT", "LIST", "TYPE", "normal").toString().lines().count() == 2);
	}

	@ParameterizedTest
	@EnumSource
	void hearsUntilItIsEnded(Kind kind) throws Exception {
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
	void endsWithItsConnection(Kind kind) throws Exception {
		Crew.Member listener = listen(subscribe(kind));
		awaitSubscribed(1);

		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");

		listener.join(LONG);
	}

	/**
	 * Jedis' connections are none of the factory's.
	 */
	@ParameterizedTest
	@EnumSource(names = "LETTUCE")
	void endsWhenTheFactoryIsStopped(Kind kind) throws Exception {
		Crew.Member listener = listen(subscribe(kind));
		awaitSubscribed(1);

		((SmartLifecycle) this.factory.get()).stop();

		listener.join(LONG);
	}

	@ParameterizedTest
	@EnumSource
	void endsAlthoughTheServerHangs(Kind kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		Crew.Member listener = listen(subscription);
		awaitSubscribed(1);
		this.server.pause();

		subscription.end();

		listener.join(LONG);
	}

	@ParameterizedTest
	@EnumSource(names = "JEDIS")
	void endsWithoutAConfirmation(Kind kind) throws Exception {
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
	@EnumSource(names = "LETTUCE")
	void connectionThatOpensAfterTheEndIsClosed(Kind kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		// The driver has opened its first one by then.
		awaitConnections(2);
		this.server.pause();
		Crew.Member listener = listen(subscription);
		await(() -> listener.thread().getState() == Thread.State.WAITING
				|| listener.thread().getState() == Thread.State.TIMED_WAITING);

		subscription.end();

		this.server.resume();
		listener.join(LONG);
		assertThat(this.heard).isEmpty();
		awaitConnections(2);
	}

	/** One of them is that of whoever asks. One that was just closed still counts. */
	private void awaitConnections(int count) {
		await(() -> this.server.info("clients", "connected_clients").equals(Integer.toString(count)));
	}

	/**
	 * As at the end of an application whose server hangs.
	 */
	@ParameterizedTest
	@EnumSource(names = "LETTUCE")
	void factoryEndsWhileASubscriptionStillConnects(Kind kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		this.server.pause();
		Crew.Member listener = listen(subscription);
		await(() -> listener.thread().getState() == Thread.State.WAITING
				|| listener.thread().getState() == Thread.State.TIMED_WAITING);
		subscription.end();

		this.crew.start("end", () -> io.holdfast.lock.testing.RedisDriver.disconnect(this.factory.get())).join(LONG);

		listener.join(LONG);
	}

	@ParameterizedTest
	@EnumSource(names = "JEDIS")
	void silenceAfterTheConfirmationIsNoReasonToEnd(Kind kind) throws Exception {
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
	@EnumSource(names = "JEDIS")
	void subscriptionThatIsEndedBetweenTwoStepsOpensNoSocketThatStays(Kind kind) throws Exception {
		RedisSubscription subscription = subscribe(kind);
		this.onSubscribed.set(subscription::end);
		awaitConnections(1);

		listen(subscription).join(LONG);

		awaitConnections(1);
		assertThat(this.heard).containsExactly("subscribed");
	}

	/**
	 * Some drivers would give it back to the application's pool while it is subscribed.
	 */
	@ParameterizedTest
	@EnumSource
	void listenerThatFailsEndsTheSubscriptionAndSpoilsNoConnection(Kind kind) throws Exception {
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
		public void onMessage(byte[] body) {
			RedisSubscriptionTests.this.heard.add(new String(body, StandardCharsets.US_ASCII));
		}

		@Override
		public void onSubscribed() {
			RedisSubscriptionTests.this.heard.add("subscribed");
			RedisSubscriptionTests.this.onSubscribed.get().run();
		}

	}

}
