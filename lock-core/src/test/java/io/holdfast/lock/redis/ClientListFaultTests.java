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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockDirectory.Client;
import io.holdfast.lock.LockDirectory.ClientList;
import io.holdfast.lock.internal.client.OpenQuestions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The list of clients where some are silent, cut off or no clients at all.
 */
@ParameterizedClass
@EnumSource
class ClientListFaultTests {

	private static final String CHANNELS = "list:client:";

	private static final Duration SHORT = Duration.ofMillis(300);

	@Parameter
	RedisDriver driver;

	private final RedisProcess server = RedisProcess.start();

	private final FaultProxy proxy = new FaultProxy(this.server);

	private final FaultClients clients = new FaultClients(this.server, "list:");

	private final Crew crew = new Crew();

	private final List<JedisPubSub> listeners = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		this.proxy.heal();
		this.listeners.forEach(JedisPubSub::unsubscribe);
		this.crew.close();
		this.clients.close();
		this.proxy.close();
		this.server.close();
	}

	private RedisLockClient open() {
		return open(this.server.port());
	}

	private RedisLockClient open(int port) {
		RedisLockClient client = this.clients.open(this.driver, this.server.host(), port,
				(builder) -> builder.watchdogTimeout(Duration.ofMinutes(1)));
		FaultClients.awaitHears(client);
		return client;
	}

	/**
	 * Subscribes to channels of clients.
	 * @param heard gets the words of each message
	 */
	private void listen(List<String> ids, Consumer<String[]> heard) {
		CountDownLatch subscribed = new CountDownLatch(ids.size());
		JedisPubSub listener = new JedisPubSub() {

			@Override
			public void onSubscribe(String channel, int count) {
				subscribed.countDown();
			}

			@Override
			public void onMessage(String channel, String message) {
				heard.accept(message.split(" "));
			}

		};
		this.crew.start("listener", () -> {
			try (Jedis jedis = new Jedis(this.server.host(), this.server.port(), 20_000)) {
				jedis.subscribe(listener, ids.stream().map((id) -> CHANNELS + id).toArray(String[]::new));
			}
		});
		this.listeners.add(listener);
		FaultClients.await("they listen", () -> subscribed.getCount() == 0);
	}

	private void publish(Jedis jedis, String client, String message) {
		jedis.publish(CHANNELS + client, message);
	}

	private static Client find(ClientList list, String id) {
		return list.clients().stream().filter((each) -> each.id().equals(id)).findFirst().orElseThrow();
	}

	@Test
	void processThatStandsStillIsThereWithoutAnAnswer() {
		RedisLockClient client = open();
		try (JavaProcess other = JavaProcess.start("other", LockProcess.class, this.driver.name(), this.server.host(),
				Integer.toString(this.server.port()), "list:", "60000")) {
			other.awaitLine("READY", FaultClients.PATIENCE);
			assertThat(client.directory().clients(FaultClients.PATIENCE).clients()).hasSize(2)
				.allMatch((each) -> each.report() != null);
			other.pause();

			ClientList list = client.directory().clients(SHORT);

			assertThat(list.clients()).extracting((each) -> each.report() != null).containsExactly(true, false);
			assertThat(list.missing()).isNull();
			assertThat(OpenQuestions.of(FaultClients.runtime(client))).isZero();
			other.resume();
			assertThat(client.directory().clients(FaultClients.PATIENCE).clients())
				.allMatch((each) -> each.report() != null);
		}
	}

	@Test
	void clientWhoseSubscriptionIsCutIsNotThereAndComesBack() {
		RedisLockClient client = open();
		RedisLockClient cut = open(this.proxy.port());
		cut.getLock("orders").lock();
		assertThat(client.directory().clients(FaultClients.PATIENCE).clients()).hasSize(2);
		this.proxy.forbid("SUBSCRIBE");
		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
		FaultClients.await("it is gone", () -> client.directory().clients(SHORT).clients().size() == 1);
		assertThat(client.directory().find("orders").orElseThrow().client()).isEqualTo(cut.id());
		FaultClients.await("it sees others", () -> cut.directory().clients(SHORT).clients().size() == 2);
		this.proxy.heal();

		FaultClients.await("it is back",
				() -> client.directory()
					.clients(FaultClients.PATIENCE)
					.clients()
					.stream()
					.anyMatch((each) -> each.id().equals(cut.id()) && each.report().resubscriptions() > 0));
	}

	@Test
	void whatNoClientHasWrittenIsIgnored() throws Exception {
		RedisLockClient client = open();
		String forger = "shop@host/forger";
		try (LogCapture log = LogCapture.open(); Jedis jedis = new Jedis(this.server.host(), this.server.port())) {
			listen(List.of(forger), (words) -> {
				String head = "2 status " + forger + " " + words[3] + " ";
				for (String garbage : List.of("UP", "UP 1 2 3", "DOWN 0 0 0 0 0 0 - - - -", "UP -1 0 0 0 0 0 - - - -",
						"UP 1e9 0 0 0 0 0 - - - -", "UP 99999999999999999999 0 0 0 0 0 - - - -",
						"UP 0 0 0 0 0 0 - - - <script>", "UP 0 0 0 0 0 0 - - - -" + " more".repeat(100_000))) {
					publish(jedis, words[2], head + garbage);
				}
				String good = " UP 7 0 0 0 0 0 - - - -";
				publish(jedis, words[2], "2 status " + words[2] + " " + words[3] + good);
				publish(jedis, words[2], "2 status shop@host/nobody " + words[3] + good);
				publish(jedis, words[2], "2 status " + forger + " another" + good);
			});

			ClientList list = client.directory().clients(SHORT);

			assertThat(list.clients()).extracting(Client::id).containsExactly(client.id(), forger);
			assertThat(find(list, client.id()).report().health().held()).isZero();
			assertThat(find(list, forger).report()).isNull();
			assertThat(log.messages(Level.WARN)).isEmpty();
			assertThat(OpenQuestions.of(FaultClients.runtime(client))).isZero();
			assertThat(FaultClients.subscription(client).hears()).isTrue();
		}
	}

	@Test
	void laterVersionsMaySayMore() throws Exception {
		RedisLockClient client = open();
		String later = "shop@host/later";
		try (Jedis jedis = new Jedis(this.server.host(), this.server.port())) {
			listen(List.of(later), (words) -> publish(jedis, words[2], "2 status " + later + " " + words[3]
					+ " RENEWALS_LATE 3 4 2 1500 1 5 20 - 6000 TIMED_OUT more words"));

			ClientList list = client.directory().clients(FaultClients.PATIENCE);

			assertThat(find(list, later).report().renewalLag()).isEqualTo(Duration.ofMillis(1500));
			assertThat(find(list, later).report().health().failure()).isEqualTo("TIMED_OUT");
		}
	}

	@Test
	void questionsOfStrangersCostABoundedNumberOfAnswers() throws Exception {
		RedisLockClient client = open();
		AtomicInteger answers = new AtomicInteger();
		List<String> strangers = IntStream.range(0, 50).mapToObj((i) -> "shop@host/stranger" + i).toList();
		listen(strangers, (words) -> answers.incrementAndGet());
		long start = System.nanoTime();
		try (LogCapture log = LogCapture.open(); Jedis jedis = new Jedis(this.server.host(), this.server.port())) {
			for (int i = 0; i < 5000; i++) {
				publish(jedis, client.id(), "2 asked " + strangers.get(i % 50) + " question" + i);
			}
			publish(jedis, client.id(), "2 asked nobody question");
			publish(jedis, client.id(), "2 asked shop@host/x " + "q".repeat(100_000));
			FaultClients.await("it answers", () -> answers.get() > 0);
			client.getLock("still works").lock();

			long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds() + 2;
			assertThat(answers.get()).isLessThanOrEqualTo((int) (20 * seconds));
			assertThat(log.messages(Level.WARN)).isEmpty();
		}
	}

	@Test
	void moreThanAThousandClientsAreNotAsked() {
		RedisLockClient client = open();
		AtomicInteger asked = new AtomicInteger();
		listen(IntStream.range(0, 1500).mapToObj((i) -> "shop@host/" + i).toList(), (words) -> asked.incrementAndGet());

		ClientList list = client.directory().clients(SHORT);

		assertThat(list.clients()).hasSize(1001);
		assertThat(list.missing()).isEqualTo("more than 1000 are subscribed, and only these were asked");
		FaultClients.await("they were asked", () -> asked.get() == 1000);
	}

	@Test
	void aThousandClientsAllAnswer() throws Exception {
		RedisLockClient client = open();
		List<String> ids = IntStream.range(0, 1000).mapToObj((i) -> "shop@host/" + i).toList();
		AtomicInteger next = new AtomicInteger();
		try (Jedis jedis = new Jedis(this.server.host(), this.server.port())) {
			listen(ids, (words) -> publish(jedis, words[2],
					"2 status " + ids.get(next.getAndIncrement()) + " " + words[3] + " UP 1 0 0 0 0 0 100 - - -"));

			ClientList list = client.directory().clients(FaultClients.PATIENCE);

			assertThat(list.missing()).isNull();
			assertThat(list.clients()).hasSize(1001).allMatch((each) -> each.report() != null);
		}
	}

	@Test
	void callersAtTheSameTimeShareAQuestion() throws Exception {
		RedisLockClient client = open();
		AtomicInteger asked = new AtomicInteger();
		listen(List.of("shop@host/silent"), (words) -> asked.incrementAndGet());

		List<Crew.Member> callers = IntStream.range(0, 20)
			.mapToObj((i) -> this.crew.start("caller " + i,
					() -> assertThat(client.directory().clients(Duration.ofMillis(700)).clients()).hasSize(2)))
			.toList();
		for (Crew.Member caller : callers) {
			caller.join(FaultClients.PATIENCE);
		}

		assertThat(asked.get()).isLessThan(5);
		assertThat(OpenQuestions.of(FaultClients.runtime(client))).isZero();
	}

	@Test
	void endOfTheClientEndsTheWaitForAnswers() throws Exception {
		RedisLockClient client = open();
		CountDownLatch asked = new CountDownLatch(1);
		listen(List.of("shop@host/silent"), (words) -> asked.countDown());
		Crew.Member caller = this.crew.start("caller", () -> assertThatExceptionOfType(LockClientClosedException.class)
			.isThrownBy(() -> client.directory().clients(Duration.ofSeconds(10))));
		asked.await();
		long start = System.nanoTime();

		client.close();

		caller.join(FaultClients.PATIENCE);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(9));
	}

	@Test
	void rightThatIsMissingIsSaid() {
		RedisLockClient client = open();
		open();
		for (String right : Stream.of("pubsub", "publish").toList()) {
			this.server.command("ACL", "SETUSER", "default", "-" + right);

			ClientList list = client.directory().clients(SHORT);

			assertThat(list.clients()).extracting(Client::id).containsExactly(client.id());
			assertThat(list.missing()).startsWith("Redis does not say which clients are subscribed (REFUSED");
			this.server.command("ACL", "SETUSER", "default", "+" + right);
		}
		assertThat(client.directory().clients(FaultClients.PATIENCE).missing()).isNull();
	}

	@Test
	void redisThatIsAwayIsSaid() {
		RedisLockClient client = open(this.proxy.port());
		this.proxy.refuse();
		this.proxy.cut();

		ClientList list = client.directory().clients(SHORT);

		assertThat(list.clients()).extracting(Client::id).containsExactly(client.id());
		assertThat(list.missing()).contains("Redis does not say");
	}

	@Test
	void interruptEndsTheWaitForAnswers() throws Exception {
		RedisLockClient client = open();
		listen(List.of("shop@host/silent"), (words) -> {
		});
		Crew.Member caller = this.crew.start("caller", () -> {
			Thread.currentThread().interrupt();
			assertThat(client.directory().clients(FaultClients.PATIENCE).clients()).hasSize(2);
			assertThat(Thread.interrupted()).isTrue();
		});

		caller.join(FaultClients.PATIENCE.dividedBy(2));
	}

}
