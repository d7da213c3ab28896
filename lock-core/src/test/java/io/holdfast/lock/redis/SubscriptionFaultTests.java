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
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Subscriptions that are never confirmed, messages that are missed while the client asks,
 * and the order in which a client hears of a lock that was forced away.
 */
@ParameterizedClass
@EnumSource
class SubscriptionFaultTests extends FaultFixture {

	private static final LockOptions FAIR = LockOptions.defaults().fair(true).waitTime(FaultClients.PATIENCE);

	private static final String CHANNELS = "fault:client:";

	@Parameter
	RedisDriver driver;

	/**
	 * A client whose commands may hang for long.
	 */
	private RedisLockClient open(int port, Duration waiterTimeout) {
		return this.clients.open(
				this.clients.connect(this.driver, this.server.host(), port, FaultClients.PATIENCE.multipliedBy(2)),
				(builder) -> builder.commandTimeout(FaultClients.PATIENCE.multipliedBy(2))
					.watchdogTimeout(Duration.ofMinutes(10))
					.waiterTimeout(waiterTimeout));
	}

	private static void awaitQueue(RedisLockClient client, String name, int length) {
		FaultClients.await(length + " wait", () -> client.directory().queue(name, 100).size() == length);
	}

	private long subscribers(RedisLockClient client) {
		return (Long) ((List<?>) this.server.command("PUBSUB", "NUMSUB", CHANNELS + client.id())).get(1);
	}

	/**
	 * With Jedis, which waits for the confirmation for ever.
	 */
	@Test
	void subscriptionThatIsNeverConfirmedIsMadeAgain() throws Exception {
		assumeThat(this.driver).isEqualTo(RedisDriver.JEDIS);
		RedisLockClient holder = open(this.server.port(), Duration.ofSeconds(3));
		LeaseLock held = holder.getLock("orders");
		held.lock();
		FaultProxy.Fault unconfirmed = this.proxy.holdReplyTo("SUBSCRIBE");
		RedisLockClient client = open(this.proxy.port(), Duration.ofSeconds(3));
		unconfirmed.awaitCaught();
		Crew.Member waiter = this.crew.start("waiter", () -> {
			client.getLock("orders").lock();
			client.getLock("orders").unlock();
		});
		awaitQueue(holder, "orders", 1);
		Set<String> before = FaultClients.subscriptions(this.server);

		FaultClients.await("there is another subscription",
				() -> !before.containsAll(FaultClients.subscriptions(this.server)));

		FaultClients.awaitHears(client);
		held.unlock();
		waiter.join(FaultClients.PATIENCE);
	}

	@Test
	void echoThatAnotherAskedForIsWarnedOf() {
		RedisLockClient client = open(this.server.port(), Duration.ofMinutes(5));
		FaultClients.awaitHears(client);
		try (LogCapture log = LogCapture.open()) {
			this.server.command("PUBLISH", CHANNELS + client.id(), "3 echo 1");

			FaultClients.await("a warning",
					() -> log.messages(Level.WARN)
						.stream()
						.anyMatch((line) -> line.startsWith("Another process has the id of this client")));
		}
	}

	@Test
	void refusedSubscriptionIsTriedLessAndLessOften() {
		RedisLockClient client = open(this.server.port(), Duration.ofMinutes(5));
		FaultClients.awaitHears(client);
		this.server.command("ACL", "SETUSER", "default", "-subscribe");
		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
		long start = System.nanoTime();

		FaultClients.await("it was refused six times", () -> refusedSubscriptions() >= 6);

		// Without that it takes less than a second.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
		this.server.command("ACL", "SETUSER", "default", "+subscribe");
		FaultClients.awaitHears(client);
	}

	@Test
	void subscriptionThatIsCutOffIsTriedLessAndLessOften() {
		RedisLockClient client = open(this.proxy.port(), Duration.ofMinutes(5));
		FaultClients.awaitHears(client);
		this.proxy.forbid("SUBSCRIBE");
		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
		long start = System.nanoTime();

		FaultClients.await("it was cut off six times", () -> this.proxy.refused() >= 6);

		// Without that it takes less than a second.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
		this.proxy.heal();
		FaultClients.awaitHears(client);
	}

	private int refusedSubscriptions() {
		String stats = this.server.info("commandstats", "cmdstat_subscribe");
		return stats.contains("rejected_calls=") ? Integer.parseInt(stats.replaceAll(".*rejected_calls=(\\d+).*", "$1"))
				: 0;
	}

	@Test
	void messageThatWasMissedDuringAQuestionIsAskedForAfterItsAnswer() throws Exception {
		RedisLockClient holder = open(this.server.port(), Duration.ofMinutes(5));
		RedisLockClient client = open(this.proxy.port(), Duration.ofMinutes(5));
		FaultClients.awaitHears(client);
		client.getLock("other").lock();
		LeaseLock held = holder.getLock("orders");
		held.lock();
		FaultProxy.Fault answer = this.proxy.holdReplyTo(this.clients.key("orders"));
		Crew.Member waiter = this.crew.start("waiter", () -> {
			client.getLock("orders").lock();
			client.getLock("orders").unlock();
		});
		answer.awaitCaught();
		awaitQueue(holder, "orders", 1);
		this.proxy.forbid("SUBSCRIBE");
		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
		FaultClients.await("nobody listens", () -> subscribers(client) == 0);

		held.unlock();
		this.proxy.heal();
		FaultClients.await("it listens again", () -> subscribers(client) == 1);
		FaultClients.awaitHears(client);
		answer.release();

		waiter.join(FaultClients.PATIENCE);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void serverThatPublishesNothingFromScriptsIsAskedOften(boolean fair) throws Exception {
		RedisLockClient holder = open(this.server.port(), Duration.ofMinutes(1));
		RedisLockClient client = open(this.server.port(), Duration.ofMinutes(5));
		FaultClients.awaitHears(client);
		this.server.command("ACL", "SETUSER", "default", "-publish");
		LeaseLock held = holder.getLock("orders", LockOptions.defaults().fair(fair));
		held.lock();
		Crew.Member waiter = this.crew.start("waiter", () -> {
			client.getLock("orders", LockOptions.defaults().fair(fair)).lock();
			client.getLock("orders", LockOptions.defaults().fair(fair)).unlock();
		});
		FaultClients.await("it knows", () -> client.health().subscriptionDownFor() != null);

		held.unlock();
		// Far sooner than one asks who hears messages.
		waiter.join(FaultClients.PATIENCE);

		this.server.command("ACL", "SETUSER", "default", "+publish");
		held.lock();
		waiter = this.crew.start("next waiter",
				() -> client.getLock("orders", LockOptions.defaults().fair(fair)).lock());
		FaultClients.awaitHears(client);
		held.unlock();
		waiter.join(FaultClients.PATIENCE);
	}

	@Test
	void rightToSeeSessionsThatIsTakenAwayIsWarnedOfAndEndsNoSubscription() {
		try (LogCapture log = LogCapture.open()) {
			RedisLockClient client = this.clients.open(
					this.clients.connect(this.driver, this.server.host(), this.server.port(), FaultClients.PATIENCE),
					(builder) -> builder.takeoverAfter(Duration.ofSeconds(1)).watchdogTimeout(Duration.ofMinutes(10)));
			LeaseLock held = client.getLock("orders");
			held.lock();
			FaultClients.await("its owner has a session",
					() -> String.valueOf(this.server.command("HGET", this.clients.key("orders"), "owner"))
						.contains("#"));
			Set<String> before = FaultClients.subscriptions(this.server);

			this.server.command("ACL", "SETUSER", "default", "-info");

			FaultClients.await("a warning",
					() -> log.messages(Level.WARN)
						.stream()
						.anyMatch((line) -> line.contains("Locks of a dead process are not taken over")));
			held.unlock();
			assertThat(FaultClients.subscriptions(this.server)).isEqualTo(before);
			this.server.command("ACL", "SETUSER", "default", "+info");
			held.lock();
			FaultClients.await("there is a session again",
					() -> String.valueOf(this.server.command("HGET", this.clients.key("orders"), "owner"))
						.contains("#"));
		}
	}

	@Test
	void subscriptionThatBreaksSoonIsMadeLessAndLessOften() {
		RedisLockClient client = open(this.proxy.port(), Duration.ofMinutes(5));
		FaultClients.awaitHears(client);
		long start = System.nanoTime();
		for (int i = 0; i < 6; i++) {
			Set<String> before = FaultClients.subscriptions(this.server);
			this.proxy.cut();
			FaultClients.await("there is another subscription",
					() -> !before.containsAll(FaultClients.subscriptions(this.server)));
		}

		// Without that it takes less than a second.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
	}

	@Test
	void lockThatIsForcedAwayIsLostBeforeTheNextThreadOfTheClientIsToldThatItHasIt() throws Exception {
		RedisLockClient client = open(this.server.port(), Duration.ofMinutes(1));
		FaultClients.awaitHears(client);
		List<String> heard = new CopyOnWriteArrayList<>();
		JedisPubSub listener = new JedisPubSub() {

			@Override
			public void onPMessage(String pattern, String channel, String message) {
				heard.add(message);
			}

		};
		try (Jedis listening = new Jedis(this.server.host(), this.server.port(), 20_000)) {
			Crew.Member listens = this.crew.start("listener", () -> listening.psubscribe(listener, CHANNELS + "*"));
			FaultClients.await("it listens", listener::isSubscribed);
			client.acquire("orders", FAIR);
			Crew.Member next = this.crew.start("next", () -> client.acquire("orders", FAIR).close());
			awaitQueue(client, "orders", 1);

			client.getLock("orders").forceUnlock();

			next.join(FaultClients.PATIENCE);
			FaultClients.await("both were said", () -> find(heard, "forced") >= 0 && find(heard, "granted") >= 0);
			assertThat(find(heard, "forced")).as("in %s", heard).isLessThanOrEqualTo(find(heard, "granted"));
			listener.punsubscribe();
			listens.join(FaultClients.PATIENCE);
		}
	}

	private static int find(List<String> messages, String word) {
		Optional<String> first = messages.stream().filter((each) -> each.contains(word)).findFirst();
		return first.map(messages::indexOf).orElse(-1);
	}

	@Test
	void twoThreadsOfOneClientNeverBothBelieveWhenItHearsSlowlyThatALockWasForcedAway() throws Exception {
		RedisLockClient operator = open(this.server.port(), Duration.ofMinutes(1));
		RedisLockClient client = open(this.proxy.port(), Duration.ofMinutes(1));
		FaultClients.awaitHears(client);
		Lease first = client.acquire("orders", FAIR);
		Crew.Member next = startNext(client, first);
		awaitQueue(operator, "orders", 1);
		this.proxy.trickle(Duration.ofMillis(1));

		operator.getLock("orders").forceUnlock();

		next.join(FaultClients.PATIENCE);
		this.proxy.heal();
	}

	/**
	 * Starts a thread that gets the lock next and does not find that the one before still
	 * believes to have it.
	 */
	private Crew.Member startNext(RedisLockClient client, Lease before) {
		return this.crew.start("next", () -> {
			Lease next = client.acquire("orders", FAIR);
			assertThat(before.isValid()).as("the one before is valid").isFalse();
			assertThat(next.token()).isGreaterThan(before.token());
			this.proxy.heal();
			next.close();
		});
	}

}
