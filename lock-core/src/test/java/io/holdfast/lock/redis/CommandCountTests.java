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
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.redis.LockScript;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How many commands locking costs, as Redis itself counts them, also as
 * {@code lock-benchmarks/RESULTS.md} claims, however many clients and threads want a
 * lock. These do not depend on the machine.
 */
@ParameterizedClass
@EnumSource
class CommandCountTests extends FaultFixture {

	/**
	 * What scripts run, and what counting itself takes.
	 */
	private static final List<String> UNCOUNTED = List.of("time", "hmget", "hget", "hset", "hdel", "hlen", "pexpire",
			"info", "config", "config|resetstat", "hello", "client", "client|setinfo", "client|setname", "ping",
			"select");

	@Parameter
	RedisDriver driver;

	private RedisLockClient client() {
		return client((builder) -> builder);
	}

	/**
	 * A client that has its subscription, its scripts and the server's time already, and
	 * whose watchdog has nothing to do while a test runs, unless the settings say
	 * otherwise.
	 */
	private RedisLockClient client(UnaryOperator<RedisLockClientBuilder> settings) {
		RedisLockClient client = openPatient(this.driver, this.server.port(), (builder) -> settings
			.apply(builder.watchdogTimeout(Duration.ofMinutes(10)).waiterTimeout(Duration.ofMinutes(5))));
		LeaseLock warmUp = client.getLock("warm-up");
		warmUp.lock();
		client.getLock("warm-up", LockOptions.defaults().leaseTime(Duration.ofMinutes(20))).lock();
		warmUp.unlock();
		warmUp.unlock();
		// Nobody has sent this yet.
		this.server.command("SCRIPT", "LOAD", LockScript.REQUESTS.getScriptAsString());
		return client;
	}

	private void startCounting() {
		this.server.command("CONFIG", "RESETSTAT");
	}

	/**
	 * What clients have sent, and what scripts have published.
	 */
	private Map<String, Integer> counted() {
		Map<String, Integer> counted = new TreeMap<>();
		((String) this.server.command("INFO", "commandstats")).lines()
			.filter((line) -> line.startsWith("cmdstat_"))
			.map((line) -> line.substring("cmdstat_".length()).split(":calls=|,", -1))
			.filter((words) -> !UNCOUNTED.contains(words[0]))
			.forEach((words) -> counted.put(words[0], Integer.valueOf(words[1])));
		return counted;
	}

	@Test
	void lockAndUnlockAreTwoScripts() {
		for (boolean fair : new boolean[] { false, true }) {
			LeaseLock lock = client().getLock("a" + fair, LockOptions.defaults().fair(fair));
			startCounting();

			lock.lock();
			lock.unlock();

			assertThat(counted()).isEqualTo(Map.of("evalsha", 2));
		}
	}

	@Test
	void boundsCostNoCommand() {
		LeaseLock lock = client().getLock(List.of("a"),
				LockOptions.defaults().maxWaiters(20).maxHold(Duration.ofMinutes(5)));
		startCounting();

		lock.lock();
		lock.unlock();

		assertThat(counted()).isEqualTo(Map.of("evalsha", 2));
	}

	/**
	 * Whoever waits only for an answer looks after nobody. The client asks after its own
	 * session eight times a second.
	 */
	@Test
	void takeoverCostsNoCommandOfAPairThatNobodyWaitsFor() throws Exception {
		RedisLockClient client = openPatient(this.driver, this.proxy.port(),
				(builder) -> builder.takeoverAfter(Duration.ofMillis(500)));
		client.getLock("warm-up").lock();
		FaultClients.await("it is tied", () -> this.clients.isTied("warm-up"));
		FaultClients.pass(Duration.ofSeconds(1));
		this.proxy.delay(Duration.ofMillis(5));
		startCounting();

		AtomicInteger pairs = new AtomicInteger();
		long start = System.nanoTime();
		// Requests of so few do not travel together.
		this.crew.start("owner", 4, () -> {
			while (System.nanoTime() - start < TimeUnit.SECONDS.toNanos(2)) {
				LeaseLock lock = client.getLock("a" + pairs.incrementAndGet());
				lock.lock();
				lock.unlock();
			}
		});
		this.crew.join(FaultClients.PATIENCE);

		long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + 1;
		assertThat(counted().getOrDefault("evalsha", 0).longValue())
			.isLessThanOrEqualTo(2L * pairs.get() + 10 * seconds);
	}

	/**
	 * One command if others of its client do not wait, or too few of them.
	 */
	@Test
	void whoIsToldThatTooManyWaitCostsOneScriptOrNone() throws Exception {
		LockOptions options = LockOptions.defaults().maxWaiters(2);
		RedisLockClient crowd = client();
		RedisLockClient other = client();
		Lease holder = other.acquire("a");
		List<CompletableFuture<Lease>> waiting = Stream.generate(() -> crowd.acquireAsync("a", options))
			.map(CompletionStage::toCompletableFuture)
			.limit(2)
			.toList();
		LockContract.eventually().until(() -> crowd.directory().queue("a", 5).size() == 2);
		startCounting();

		assertThat(crowd.tryAcquire("a", options)).isEmpty();
		assertThat(counted().getOrDefault("evalsha", 0)).isZero();
		assertThat(other.tryAcquire("a", options)).isEmpty();

		assertThat(counted()).isEqualTo(Map.of("evalsha", 1));
		waiting.forEach((each) -> each.cancel(false));
		holder.close();
	}

	@Test
	void eachOfSeveralLocksCostsWhatOneDoes() throws Exception {
		List<String> names = List.of("a", "b", "c", "d");
		for (boolean fair : new boolean[] { false, true }) {
			RedisLockClient client = client();
			LeaseLock lock = client.getLock(names, LockOptions.defaults().fair(fair));
			startCounting();

			Lease lease = client.acquire(names, LockOptions.defaults().fair(fair));
			assertThat(counted()).isEqualTo(Map.of("evalsha", 4));
			lease.close();
			assertThat(counted()).isEqualTo(Map.of("evalsha", 8));
			lock.lock();
			assertThat(counted()).isEqualTo(Map.of("evalsha", 12));
			lock.lock();
			lock.unlock();
			lock.unlock();

			assertThat(counted()).isEqualTo(Map.of("evalsha", 16));
		}
	}

	@Test
	void firstRefusedOfSeveralLocksEndsTheAttempt() throws Exception {
		RedisLockClient client = client();
		client().acquire("b", LockOptions.defaults());
		startCounting();

		assertThat(client.tryAcquire(List.of("a", "b", "c"), LockOptions.defaults().waitTime(Duration.ZERO))).isEmpty();

		// The first two, and the release of the first one.
		assertThat(counted()).isEqualTo(Map.of("evalsha", 2 + 1));
	}

	@Test
	void nestedAcquisitionsAndQuestionsAboutTheOwnHoldAreFree() throws Exception {
		for (boolean fair : new boolean[] { false, true }) {
			RedisLockClient client = client();
			LockOptions options = LockOptions.defaults().fair(fair);
			LeaseLock lock = client.getLock("a" + fair, options);
			lock.lock();
			startCounting();

			lock.lock();
			client.getLock("a" + fair, options.leaseTime(Duration.ofMillis(100))).lock();
			lock.tryLock(Duration.ofSeconds(1));
			lock.isHeldByCurrentThread();
			lock.holdCount();
			lock.token();
			lock.validFor();
			lock.unlock();
			lock.unlock();
			lock.unlock();

			assertThat(counted()).isEmpty();
			lock.unlock();
		}
	}

	@Test
	void attemptOnLockThatThreadOfTheSameClientHoldsIsFree() {
		LeaseLock lock = client().getLock("a");
		lock.lock();
		startCounting();

		this.threads.run(() -> assertThat(lock.tryLock()).isFalse()).result();

		assertThat(counted()).isEmpty();
	}

	@Test
	void readersOfAClientThatReadsAreFreeWhileNobodyWaitsToWrite() {
		LeaseLock lock = client().readWrite("a", LockOptions.defaults()).readLock();
		lock.lock();
		startCounting();

		this.threads.run(() -> {
			lock.lock();
			assertThat(lock.isHeldByCurrentThread()).isTrue();
			lock.unlock();
		}).result();

		assertThat(counted()).isEmpty();
	}

	@Test
	void exceptionsThatTellWhoHoldsTheLockCostNoCommand() throws Exception {
		RedisLockClient client = client();
		LockOptions noWait = LockOptions.defaults().waitTime(Duration.ZERO);
		try (Lease own = client.acquire("own", LockOptions.defaults());
				Lease foreign = client().acquire("foreign", LockOptions.defaults())) {
			startCounting();

			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> client.acquire(own.name(), noWait))
				.withMessageContaining("of this client");
			assertThat(counted()).isEmpty();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> client.acquire(foreign.name(), noWait))
				.withMessageContaining("No thread of this client holds it");
			assertThat(counted()).isEqualTo(Map.of("evalsha", 1));
			assertThatExceptionOfType(IllegalMonitorStateException.class)
				.isThrownBy(client.getLock(foreign.name())::unlock);
			assertThat(counted()).isEqualTo(Map.of("evalsha", 1));
		}
	}

	@Test
	void thousandHoldsAreRenewedByTwoScripts() {
		AtomicLong clock = new AtomicLong(LockContract.standingNanos());
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(LONG_LEASE).nanoTime(clock::get));
		for (int i = 0; i < 1000; i++) {
			client.getLock("a" + i).lock();
		}
		startCounting();
		long before = end(999);
		// However long that took, all are due at once.
		clock.addAndGet(LONG_LEASE.dividedBy(3).toNanos());

		LockContract.eventually().pollInterval(Duration.ofMillis(100)).until(() -> leastEnd() > before);

		assertThat(counted().get("evalsha")).isEqualTo(2);
	}

	/**
	 * When the first of a thousand holds ends.
	 */
	private long leastEnd() {
		long least = Long.MAX_VALUE;
		for (int i : List.of(0, 500, 999)) {
			least = Math.min(least, end(i));
		}
		return least;
	}

	private long end(int i) {
		Object until = this.clients.redis().opsForHash().get(this.clients.key("a" + i), "until");
		return Long.parseLong(((String) until).substring(2));
	}

	/**
	 * Besides what one client says every two seconds for all of them.
	 */
	@Test
	void waitingCostsNothing() {
		RedisLockClient waiter = client();
		LeaseLock lock = client().getLock("a");
		lock.lock();
		for (boolean fair : new boolean[] { false, true }) {
			for (int i = 0; i < 5; i++) {
				this.threads.run(() -> {
					waiter.getLock("a", LockOptions.defaults().fair(fair)).lock();
					waiter.getLock("a", LockOptions.defaults().fair(fair)).unlock();
				}).awaitParked();
			}
		}

		LockContract.eventually().ignoreExceptions().until(() -> {
			startCounting();
			LockContract.eventually()
				.atMost(Duration.ofMillis(1500))
				.during(Duration.ofSeconds(1))
				.until(this::counted, Map::isEmpty);
			return true;
		});

		lock.unlock();
	}

	/**
	 * Clients for which time stands still: how often they pass a lock on does not depend
	 * on how fast the machine is.
	 */
	private List<RedisLockClient> clients(int count) {
		long now = LockContract.standingNanos();
		return Stream.generate(() -> client((builder) -> builder.nanoTime(() -> now))).limit(count).toList();
	}

	@Test
	void hotKeyOfOneClientCostsNoMoreThanOneScriptForTenGrants() {
		assertThat(scriptsPerGrant(false, 1, 32, 100)).isLessThanOrEqualTo(0.1);
	}

	@Test
	void hotKeyOfFourClientsCostsNoMoreThanThreeScriptsForTenGrants() {
		assertThat(scriptsPerGrant(false, 4, 4, 400)).isLessThanOrEqualTo(0.3);
	}

	/**
	 * Less than one where threads of a client are quick to come back, two where they are
	 * not.
	 */
	@Test
	void fairGrantCostsNoMoreThanTwoScripts() {
		assertThat(scriptsPerGrant(true, 4, 4, 100)).isLessThanOrEqualTo(2.05);
	}

	/**
	 * What it costs if threads of some clients take one lock again and again.
	 */
	private double scriptsPerGrant(boolean fair, int clients, int threadsEach, int grantsEach) {
		List<RedisLockClient> all = clients(clients);
		// Whose time stands still never asks again for what it has not heard.
		all.forEach(LockContract::awaitSubscription);
		LeaseLock held = all.get(0).getLock("hot");
		held.lock();
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (int i = 0; i < clients * threadsEach; i++) {
			LeaseLock lock = all.get(i % clients).getLock("hot", LockOptions.defaults().fair(fair));
			running.add(this.threads.run(() -> {
				for (int n = 0; n < grantsEach; n++) {
					lock.lock();
					lock.unlock();
				}
			}).awaitParked());
		}
		startCounting();

		held.unlock();
		running.forEach(TestThreads.Running::result);

		Map<String, Integer> counted = counted();
		// A script tells one client at most.
		assertThat(counted.getOrDefault("publish", 0)).isLessThanOrEqualTo(counted.get("evalsha"));
		return counted.get("evalsha") / (double) (clients * threadsEach * grantsEach);
	}

	@Test
	void grantCostsTheSameBehindAHundredAndThreeHundredWaiters() {
		List<RedisLockClient> two = clients(2);

		double few = commandsPerWaiter(two, 100);
		double many = commandsPerWaiter(two, 300);

		// To wait, to be handed the lock, and to be told so.
		assertThat(few).isLessThanOrEqualTo(3.2);
		assertThat(many).isLessThanOrEqualTo(few + 0.1);
	}

	private double commandsPerWaiter(List<RedisLockClient> two, int waiters) {
		LeaseLock held = two.get(0).getLock("a");
		held.lock();
		startCounting();
		long start = System.nanoTime();
		List<TestThreads.Running<Void>> waiting = new ArrayList<>();
		for (int i = 0; i < waiters; i++) {
			LeaseLock lock = two.get(i % 2).getLock("a", LockOptions.defaults().fair(true));
			waiting.add(this.threads.run(() -> {
				lock.lock();
				lock.unlock();
			}).awaitParked());
		}
		held.unlock();
		waiting.forEach(TestThreads.Running::result);
		// Each client may have proved that messages reach it: every two seconds, with a
		// script and a message.
		long proofs = two.size() * Duration.ofNanos(System.nanoTime() - start).dividedBy(Duration.ofSeconds(2));
		return (counted().values().stream().mapToInt(Integer::intValue).sum() - 2 * proofs) / (double) waiters;
	}

}
