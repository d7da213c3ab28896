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

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when messages come twice, late, or about another lock, and when a
 * subscription is closed by the server or goes silent.
 */
class MessageFaultIT extends FaultFixture {

	private static final String CHANNELS = "fault:client:";

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void messagesThatComeTwiceOrLateOrAreOfAnotherLockGrantNothing(boolean fair) throws Exception {
		RedisLockClient one = openPatient(RedisDriver.JEDIS);
		RedisLockClient two = openPatient(RedisDriver.LETTUCE);
		LeaseLock goods = one.getLock("goods");
		goods.lock();
		Parrot parrot = new Parrot();
		try (Jedis listening = new Jedis(this.server.host(), this.server.port(), 20_000)) {
			Crew.Member parroting = this.crew.start("parrot", () -> listening.psubscribe(parrot, CHANNELS + "*"));
			FaultClients.await("the parrot hears", parrot::isSubscribed);
			FaultLoad load = new FaultLoad();
			Crew loaded = new Crew();
			load.start(loaded, one.getLock("orders", LockOptions.defaults().fair(fair)), 2);
			load.start(loaded, two.getLock("orders", LockOptions.defaults().fair(fair)), 2);

			load.awaitMore(200);
			FaultClients.await("enough was said again", () -> parrot.said.get() >= 100);
			load.stop(loaded);

			parrot.punsubscribe();
			parroting.join(FaultClients.PATIENCE);
			assertThat(load.failures()).isZero();
		}
		assertThat(this.losses).isEmpty();
		assertThat(goods.isHeldByCurrentThread()).isTrue();
		goods.unlock();
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(one);
		FaultClients.awaitForgotten(two);
	}

	/**
	 * A message that is larger than the server keeps for a client that is slow to read.
	 */
	@ParameterizedTest
	@EnumSource
	void subscriptionThatTheServerClosesIsMadeAgain(RedisDriver driver) throws Exception {
		RedisLockClient client = openPatient(driver);
		LeaseLock held = openPatient(RedisDriver.JEDIS).getLock("orders");
		held.lock();
		Crew.Member waiter = startWaiter(client);
		this.server.command("CONFIG", "SET", "client-output-buffer-limit", "pubsub 4096 0 0");
		Set<String> before = FaultClients.subscriptions(this.server);

		this.server.command("PUBLISH", CHANNELS + client.id(), "x".repeat(1_000_000));

		awaitSubscribedAgain(before);
		held.unlock();
		waiter.join(FaultClients.PATIENCE);
	}

	@ParameterizedTest
	@EnumSource
	void subscriptionThatHearsNothingIsMadeAgain(RedisDriver driver) throws Exception {
		RedisLockClient client = open(this.clients.connect(driver, this.proxy.host(), this.proxy.port()),
				(builder) -> builder.watchdogTimeout(FaultClients.PATIENCE));
		LeaseLock held = openPatient(RedisDriver.JEDIS).getLock("orders");
		held.lock();
		Crew.Member waiter = startWaiter(client);
		Set<String> before = FaultClients.subscriptions(this.server);

		this.proxy.goDeaf("SUBSCRIBE");

		awaitSubscribedAgain(before);
		held.unlock();
		waiter.join(FaultClients.PATIENCE);
	}

	private Crew.Member startWaiter(RedisLockClient client) {
		Crew.Member waiter = this.crew.start("waiter", () -> {
			client.getLock("orders").lock();
			client.getLock("orders").unlock();
		});
		this.clients.awaitWaiters("orders", 1);
		return waiter;
	}

	private void awaitSubscribedAgain(Set<String> before) {
		FaultClients.await("there is another subscription",
				() -> !before.containsAll(FaultClients.subscriptions(this.server)));
	}

	@Test
	void oneSubscriptionServesAllLocksOfAClient() throws Exception {
		RedisLockClient one = openPatient(RedisDriver.JEDIS);
		RedisLockClient two = openPatient(RedisDriver.LETTUCE);
		List<LeaseLock> held = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			String name = "orders-" + i;
			held.add(one.getLock(name));
			held.get(i).lock();
			this.crew.start("waiter-" + i, () -> {
				two.getLock(name).lock();
				two.getLock(name).unlock();
			});
		}
		for (int i = 0; i < 200; i++) {
			this.clients.awaitWaiters("orders-" + i, 1);
		}

		assertThat(FaultClients.subscriptions(this.server)).hasSize(2);
		assertThat((List<?>) this.server.command("PUBSUB", "CHANNELS", "*#*")).hasSize(2);

		held.forEach(LeaseLock::unlock);
		this.crew.join(FaultClients.PATIENCE);
	}

	/**
	 * Says all messages again: at once, a while later, and as if of another lock.
	 */
	private final class Parrot extends JedisPubSub {

		private static final int LATE = 10;

		private final AtomicInteger said = new AtomicInteger();

		/**
		 * What was heard already, be it of itself.
		 */
		private final Set<String> heard = new HashSet<>();

		private final List<String[]> latest = new ArrayList<>();

		@Override
		public void onPMessage(String pattern, String channel, String message) {
			if (!this.heard.add(channel + message)) {
				return;
			}
			String ofAnother = message.replace("fault:lock:orders", "fault:lock:goods");
			this.heard.add(channel + ofAnother);
			say(channel, message);
			say(channel, ofAnother);
			this.latest.add(new String[] { channel, message });
			if (this.latest.size() > LATE) {
				String[] late = this.latest.remove(0);
				say(late[0], late[1]);
			}
		}

		private void say(String channel, String message) {
			MessageFaultIT.this.server.command("PUBLISH", channel, message);
			this.said.incrementAndGet();
		}

	}

}
