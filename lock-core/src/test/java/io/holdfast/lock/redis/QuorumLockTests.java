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
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.LockServer.Departure;
import io.holdfast.lock.redis.LockServer.Question;
import io.holdfast.lock.redis.LockServer.Sign;
import io.holdfast.lock.redis.LockServer.Wish;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Locks on a majority of five servers, of which some fail.
 */
@ParameterizedClass
@EnumSource
class QuorumLockTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final Duration WATCHDOG = Duration.ofSeconds(3);

	private static final List<RedisProcess> SERVERS = IntStream.range(0, 5)
		.mapToObj((unused) -> RedisProcess.start())
		.toList();

	@Parameter
	RedisDriver driver;

	private final String prefix = "quorum-" + UUID.randomUUID() + ":";

	private final List<RedisConnectionFactory> connections = new ArrayList<>();

	private final List<RedisLockClient> clients = new ArrayList<>();

	private final TestThreads threads = new TestThreads();

	private LeaseLock here;

	private LeaseLock elsewhere;

	@BeforeEach
	void connect() {
		this.here = client((builder) -> builder).getLock("a name");
		this.elsewhere = client((builder) -> builder).getLock("a name");
	}

	@AfterEach
	void disconnect() {
		try {
			this.threads.close();
		}
		finally {
			this.clients.forEach(RedisLockClient::close);
			this.connections.forEach(RedisDriver::disconnect);
			SERVERS.forEach(QuorumLockTests::heal);
		}
	}

	private static void heal(RedisProcess server) {
		if (server.isAlive()) {
			server.resume();
		}
		else {
			server.startAgain();
		}
	}

	@AfterAll
	static void stop() {
		SERVERS.forEach(RedisProcess::close);
	}

	private RedisLockClient client(UnaryOperator<RedisLockClient.Builder> settings) {
		return client(connect(SERVERS), settings);
	}

	private List<RedisConnectionFactory> connect(List<RedisProcess> servers) {
		return servers.stream().map((server) -> this.driver.connect(server.host(), server.port(), TIMEOUT)).toList();
	}

	private List<RedisConnectionFactory> connectThrough(List<FaultProxy> links) {
		return links.stream().map((link) -> this.driver.connect(link.host(), link.port(), TIMEOUT)).toList();
	}

	private RedisLockClient client(List<RedisConnectionFactory> own, UnaryOperator<RedisLockClient.Builder> settings) {
		this.connections.addAll(own);
		RedisLockClient client = settings
			.apply(RedisLockClient.quorum(own)
				.keyPrefix(this.prefix)
				.watchdogTimeout(WATCHDOG)
				.restartGuard(Duration.ZERO)
				.quorumTimeout(TIMEOUT))
			.build();
		this.clients.add(client);
		return client;
	}

	private long servers(String name) {
		return SERVERS.stream().filter(RedisProcess::isAlive).filter((server) -> isHeldOn(server, name)).count();
	}

	private boolean isHeldOn(RedisProcess server, String name) {
		return ask(server, (redis) -> redis.opsForHash().hasKey(this.prefix + "lock:" + name, "until"));
	}

	/**
	 * Whether a client holds a lock on a server now.
	 */
	private boolean isHeldOn(RedisProcess server, String name, RedisLockClient client) {
		Map<String, String> lock = hash(server, name);
		return client.id().equals(lock.get("client")) && Long.parseLong(lock.get("until")) > System.currentTimeMillis();
	}

	private Map<String, String> hash(RedisProcess server, String name) {
		return ask(server, (redis) -> redis.<String, String>opsForHash().entries(this.prefix + "lock:" + name));
	}

	private static <T> T ask(RedisProcess server, Function<StringRedisTemplate, T> question) {
		RedisConnectionFactory factory = RedisDriver.JEDIS.connect(server);
		try {
			return question.apply(new StringRedisTemplate(factory));
		}
		finally {
			RedisDriver.disconnect(factory);
		}
	}

	private static void await(Runnable assertion) {
		Awaitility.await().pollInSameThread().atMost(TestThreads.LONG).untilAsserted(assertion::run);
	}

	@Test
	void grantThatIsOverBeforeItsTokenIsWrittenIsNoLockOfAnother() {
		List<FaultProxy> links = SERVERS.stream().map(FaultProxy::new).toList();
		try {
			LeaseLock lock = client(connectThrough(links), (builder) -> builder).getLock("brief");
			lock.lock();
			lock.unlock();
			links.forEach((link) -> link.delay(Duration.ofMillis(150)));

			assertThatExceptionOfType(LockServerException.class)
				.isThrownBy(() -> lock.tryLock(Duration.ZERO, Duration.ofMillis(50)))
				.withMessageContaining("a majority of its Redis servers granted it")
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.UNAVAILABLE));
		}
		finally {
			links.forEach(FaultProxy::close);
		}
	}

	@Test
	void allServersHoldTheLockWhileItIsHeldAndNoneAfterwards() {
		this.here.lock();
		this.here.lock();

		await(() -> assertThat(servers("a name")).isEqualTo(5));
		assertThat(this.here.holdCount()).isEqualTo(2);

		this.here.unlock();
		this.here.unlock();
		await(() -> assertThat(servers("a name")).isZero());
	}

	@Test
	void oneClientAtATime() throws Exception {
		this.here.lock();
		long first = this.here.fencingToken();
		assertThat(this.elsewhere.tryLock()).isFalse();

		this.here.unlock();

		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();
		assertThat(this.elsewhere.fencingToken()).isGreaterThan(first);
		this.elsewhere.unlock();
	}

	@Test
	void waiterGetsTheLockWhenItIsReleased() {
		this.here.lock();
		TestThreads.Running<Boolean> waiting = this.threads.start(() -> {
			boolean got = this.elsewhere.tryLock(TestThreads.LONG);
			this.elsewhere.unlock();
			return got;
		}).awaitParked();

		this.here.unlock();

		assertThat(waiting.result()).isTrue();
	}

	@Test
	void deadMinorityCostsNothing() throws Exception {
		SERVERS.get(0).kill();
		SERVERS.get(1).kill();

		this.here.lock();

		assertThat(this.elsewhere.tryLock()).isFalse();
		this.here.unlock();
		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void hungMinorityCostsNoMoreThanTheTimeout() throws Exception {
		this.here.lock();
		this.here.unlock();
		SERVERS.get(0).pause();
		SERVERS.get(1).pause();

		long start = System.nanoTime();
		this.here.lock();
		this.here.unlock();
		long nanos = System.nanoTime() - start;

		// Voting, raising the token and releasing are decided without the two.
		assertThat(Duration.ofNanos(nanos)).isLessThan(TIMEOUT);
		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void heldLockOutlastsAHungMinority() {
		this.here.lock();
		SERVERS.get(3).pause();
		SERVERS.get(4).pause();
		long since = System.nanoTime();

		Awaitility.await()
			.atMost(TestThreads.LONG)
			.until(() -> System.nanoTime() - since > WATCHDOG.multipliedBy(2).toNanos());

		assertThat(this.here.isHeldByCurrentThread()).isTrue();
		assertThat(this.elsewhere.tryLock()).isFalse();
		this.here.unlock();
	}

	@Test
	void deadMajorityIsNoAnswerAndLeavesNothingBehind() {
		for (int i = 0; i < 3; i++) {
			SERVERS.get(i).kill();
		}

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> this.here.tryLock())
			.withMessageContaining("too few of its 5 Redis servers take part, 3 have to")
			.satisfies((ex) -> assertThat(ex.reason()).isIn(Reason.UNREACHABLE, Reason.TIMED_OUT));

		await(() -> assertThat(servers("a name")).isZero());
	}

	@Test
	void waitOutlastsADeadMajority() {
		for (int i = 0; i < 3; i++) {
			SERVERS.get(i).kill();
		}
		TestThreads.Running<Boolean> waiting = this.threads.start(() -> {
			boolean got = this.here.tryLock(TestThreads.LONG);
			this.here.unlock();
			return got;
		}).awaitParked();

		SERVERS.get(0).startAgain();

		assertThat(waiting.result()).isTrue();
	}

	@Test
	void lossOfTheMajorityIsToldAtTheDeadline() {
		this.here.lock();
		for (int i = 0; i < 3; i++) {
			SERVERS.get(i).kill();
		}

		await(() -> assertThat(this.here.isHeldByCurrentThread()).isFalse());

		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.here::unlock);
	}

	@Test
	void majorityThatHasForgottenTheLockIsALoss() {
		this.here.lock();
		for (int i = 0; i < 3; i++) {
			SERVERS.get(i).kill();
			SERVERS.get(i).startAgain();
		}

		await(() -> assertThat(this.here.isHeldByCurrentThread()).isFalse());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.here::unlock);
	}

	@Test
	void restartedServersGrantNothingWhileTheirHoldsMayLast() throws Exception {
		Duration guard = Duration.ofSeconds(4);
		LeaseLock holder = client((builder) -> builder.restartGuard(guard)).getLock("guarded");
		LeaseLock other = client((builder) -> builder.restartGuard(guard)).getLock("guarded");
		holder.lock();
		long token = holder.fencingToken();
		for (int i = 0; i < 3; i++) {
			SERVERS.get(i).kill();
			SERVERS.get(i).startAgain();
		}

		assertThatExceptionOfType(LockServerException.class).isThrownBy(other::tryLock)
			.withMessageContaining("may have forgotten")
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.UNAVAILABLE));

		assertThat(other.tryLock(TestThreads.LONG)).isTrue();
		assertThat(holder.isHeldByCurrentThread()).isFalse();
		assertThat(other.fencingToken()).isGreaterThan(token);
		other.unlock();
	}

	@Test
	void tokenOfOneMajorityIsKnownToTheNext() {
		// Its clock is an hour ahead, as far as its tokens tell.
		long ahead = (System.currentTimeMillis() + 3_600_000) * 1000;
		setToken(SERVERS.get(0), "a name", ahead);
		SERVERS.get(3).kill();
		SERVERS.get(4).kill();
		this.here.lock();
		assertThat(this.here.fencingToken()).isGreaterThan(ahead);
		long token = this.here.fencingToken();
		this.here.unlock();

		SERVERS.get(3).startAgain();
		SERVERS.get(4).startAgain();
		SERVERS.get(0).kill();
		SERVERS.get(1).kill();
		this.elsewhere.lock();

		assertThat(this.elsewhere.fencingToken()).isGreaterThan(token);
		this.elsewhere.unlock();
	}

	private void setToken(RedisProcess server, String name, long token) {
		ask(server, (redis) -> {
			redis.opsForHash().put(this.prefix + "lock:" + name, "token", Long.toString(token));
			return true;
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 3, 5 })
	void holdOutlastsTheRestartOfEachServer(int count) {
		List<RedisProcess> servers = SERVERS.subList(0, count);
		RedisLockClient client = client(connect(servers), (builder) -> builder.restartGuard(WATCHDOG));
		RedisLockClient others = client(connect(servers), (builder) -> builder.restartGuard(WATCHDOG));
		LeaseLock held = client.getLock("rolling");
		LeaseLock wanted = others.getLock("rolling");
		// So far that no clock says it.
		setToken(servers.get(0), "rolling", (System.currentTimeMillis() + 3_600_000) * 1000);
		held.lock();
		long token = held.fencingToken();
		AtomicBoolean over = new AtomicBoolean();
		TestThreads.Running<Void> trying = this.threads.run(() -> {
			while (!over.get()) {
				assertThat(isHad(wanted)).isFalse();
			}
		});

		for (RedisProcess server : servers) {
			server.kill();
			server.startAgain();
			await(() -> assertThat(isHeldOn(server, "rolling", client)).isTrue());
		}

		assertThat(held.isHeldByCurrentThread()).isTrue();
		assertThat(held.fencingToken()).isEqualTo(token);
		over.set(true);
		trying.result();
		held.unlock();
		wanted.lock();
		assertThat(wanted.fencingToken()).isGreaterThan(token);
		wanted.unlock();
	}

	private static boolean isHad(LeaseLock lock) throws InterruptedException {
		try {
			return lock.tryLock(Duration.ofMillis(100));
		}
		catch (LockServerException ex) {
			return false;
		}
	}

	@Test
	void serverThatWasAwayForLongerThanALeaseTakesTheHoldUp() {
		RedisLockClient client = client((builder) -> builder);
		LeaseLock lock = client.getLock("away");
		lock.lock();
		await(() -> assertThat(servers("away")).isEqualTo(5));
		SERVERS.get(0).pause();
		long since = System.nanoTime();
		Awaitility.await()
			.atMost(TestThreads.LONG)
			.until(() -> System.nanoTime() - since > WATCHDOG.plusSeconds(1).toNanos());

		SERVERS.get(0).resume();

		await(() -> assertThat(isHeldOn(SERVERS.get(0), "away", client)).isTrue());
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		lock.unlock();
	}

	@Test
	void serverThatAnotherHoldsIsTakenOnlyWhenItIsFree() {
		String key = this.prefix + "lock:taken";
		RedisProcess taken = SERVERS.get(4);
		ask(taken, (redis) -> redis.execute(LockScript.VOTE, List.of(key), "rival", "10000", "300000",
				this.prefix + "client:", "other", "reentrant", "600000", "0", "99999999999999"));
		Map<String, String> other = hash(taken, "taken");
		RedisLockClient client = client((builder) -> builder);
		LeaseLock lock = client.getLock("taken");
		lock.lock();
		for (int renewals = 0; renewals < 2; renewals++) {
			Map<String, String> before = hash(SERVERS.get(0), "taken");
			await(() -> assertThat(hash(SERVERS.get(0), "taken")).isNotEqualTo(before));
		}

		assertThat(hash(taken, "taken")).isEqualTo(other);

		ask(taken, (redis) -> redis.execute(LockScript.REQUEST, List.of(key), "rival", "10000", "300000",
				this.prefix + "client:", "release other 0"));
		await(() -> assertThat(isHeldOn(taken, "taken", client)).isTrue());
		lock.unlock();
		await(() -> assertThat(servers("taken")).isZero());
	}

	@Test
	void onlyRenewalsOfWhatIsStillHeldAreTakenUp() {
		String key = this.prefix + "lock:asked";
		Settings settings = ((Locks) Objects
			.requireNonNull(ReflectionTestUtils.getField(client((builder) -> builder), "locks"))).settings;
		List<RedisConnectionFactory> own = connect(SERVERS);
		this.connections.addAll(own);
		AtomicBoolean held = new AtomicBoolean(true);
		LockServer server = new QuorumLockServer(own, settings, Objects.requireNonNull(settings.quorum()),
				System::nanoTime, new Leftovers(System::nanoTime), (lock, id) -> held.get());
		Sign renewal = new Sign(key, "a", 60_000, 0);
		server.acquire(key, new Question("a", new Wish(LockType.REENTRANT, 60_000, 1), false, false), false, 0, false);
		await(() -> assertThat(servers("asked")).isEqualTo(5));
		ask(SERVERS.get(0), (redis) -> redis.delete(key));

		// Each answers after what the one before it has told the servers.
		server.renewEach(List.of(List.of(new Sign(key, "a", Sign.ONLY_ASKS, 0))));
		server.confirm(renewal, false);
		held.set(false);
		server.renewEach(List.of(List.of(renewal)));
		server.renew(List.of(renewal));
		assertThat(isHeldOn(SERVERS.get(0), "asked")).isFalse();

		held.set(true);
		List<Standing> standings = server.renewEach(List.of(List.of(renewal))).get(0).value();
		server.renew(List.of(renewal));
		assertThat(isHeldOn(SERVERS.get(0), "asked")).isTrue();
		assertThat(standings).singleElement().satisfies((each) -> assertThat(each.holds()).isTrue());
		assertThat(hash(SERVERS.get(0), "asked")).containsEntry("token", hash(SERVERS.get(1), "asked").get("token"));
		assertThat(server.release(key, new Departure("a", 0, "", null)).had()).isTrue();
		server.close();
	}

	@Test
	void voteWithoutAnswerIsUndoneWhenItsLockIsReleasedAndNotBefore() {
		List<FaultProxy> links = SERVERS.stream().map(FaultProxy::new).toList();
		try {
			LeaseLock lock = client(connectThrough(links), (builder) -> builder).getLock("voted");
			// The text of a script is sent once.
			SERVERS.get(0).command("SCRIPT", "FLUSH");
			FaultProxy.Fault vote = links.get(0).holdReplyTo("mutex-vote");
			lock.lock();
			await(() -> assertThat(servers("voted")).isEqualTo(5));
			long since = System.nanoTime();
			await(() -> assertThat(System.nanoTime() - since).isGreaterThan(TIMEOUT.toNanos()));
			vote.release();

			Awaitility.await()
				.pollInSameThread()
				.during(Duration.ofSeconds(6))
				.atMost(TestThreads.LONG)
				.until(() -> servers("voted") == 5);

			lock.unlock();
			await(() -> assertThat(servers("voted")).isZero());
		}
		finally {
			links.forEach(FaultProxy::close);
		}
	}

	@Test
	void releaseAfterAnUnansweredVoteLeavesNothingBehind() {
		List<FaultProxy> links = SERVERS.stream().map(FaultProxy::new).toList();
		try {
			RedisLockClient client = client(connectThrough(links), (builder) -> builder);
			LeaseLock lock = client.getLock("unanswered");
			lock.lock();
			await(() -> assertThat(servers("unanswered")).isEqualTo(5));
			SERVERS.get(0).kill();
			FaultProxy.Fault vote = links.get(0).holdReplyTo("mutex-takeup");
			SERVERS.get(0).startAgain();
			await(() -> assertThat(isHeldOn(SERVERS.get(0), "unanswered", client)).isTrue());

			lock.unlock();
			vote.release();

			await(() -> assertThat(servers("unanswered")).isZero());
		}
		finally {
			links.forEach(FaultProxy::close);
		}
	}

	@Test
	void whatIsGrantedAfterAnAttemptFailedIsNotReleasedWithIt() {
		List<FaultProxy> links = SERVERS.stream().map(FaultProxy::new).toList();
		try {
			LeaseLock lock = client(connectThrough(links), (builder) -> builder).getLock("again");
			lock.lock();
			lock.unlock();
			links.forEach(FaultProxy::refuse);
			TestThreads.Running<Boolean> holding = this.threads.start(() -> {
				lock.lock();
				Awaitility.await()
					.pollInSameThread()
					.during(Duration.ofSeconds(1))
					.atMost(TestThreads.LONG)
					.until(() -> servers("again") >= 3);
				return lock.isHeldByCurrentThread();
			}).awaitParked();

			links.forEach(FaultProxy::heal);

			assertThat(holding.result()).isTrue();
		}
		finally {
			links.forEach(FaultProxy::close);
		}
	}

	@Test
	void votesThatAreSplitComeTogetherAgain() {
		int clientCount = 8;
		int rounds = 10;
		AtomicInteger inside = new AtomicInteger();
		AtomicLong latest = new AtomicLong();
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (int i = 0; i < clientCount; i++) {
			LeaseLock lock = client((builder) -> builder).getLock("split");
			running.add(this.threads.run(() -> {
				for (int round = 0; round < rounds; round++) {
					lock.lock();
					assertThat(inside.incrementAndGet()).isOne();
					assertThat(latest.getAndSet(lock.fencingToken())).isLessThan(lock.fencingToken());
					inside.decrementAndGet();
					lock.unlock();
				}
			}));
		}

		running.forEach(TestThreads.Running::result);
	}

	@Test
	void threadsOfOneClientPassTheLockToEachOther() {
		AtomicInteger inside = new AtomicInteger();
		AtomicLong latest = new AtomicLong();
		List<TestThreads.Running<Void>> running = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			running.add(this.threads.run(() -> {
				for (int round = 0; round < 500; round++) {
					this.here.lock();
					assertThat(inside.incrementAndGet()).isOne();
					assertThat(latest.getAndSet(this.here.fencingToken())).isLessThan(this.here.fencingToken());
					inside.decrementAndGet();
					this.here.unlock();
				}
			}));
		}
		running.add(this.threads.run(() -> {
			for (int round = 0; round < 3; round++) {
				this.elsewhere.lock();
				assertThat(inside.incrementAndGet()).isOne();
				assertThat(latest.getAndSet(this.elsewhere.fencingToken())).isLessThan(this.elsewhere.fencingToken());
				inside.decrementAndGet();
				this.elsewhere.unlock();
			}
		}));

		running.forEach(TestThreads.Running::result);
	}

	@Test
	void interruptEndsAWaitAndLeavesNothingBehind() throws Exception {
		this.here.lock();
		TestThreads.Running<Void> waiting = this.threads.run(this.elsewhere::lockInterruptibly).awaitParked();

		waiting.interrupt();

		assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
		this.here.unlock();
		await(() -> assertThat(servers("a name")).isZero());
	}

	@Test
	void explicitLeaseEndsByItself() throws Exception {
		assertThat(this.here.tryLock(Duration.ZERO, Duration.ofSeconds(1))).isTrue();

		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();

		assertThat(this.here.isHeldByCurrentThread()).isFalse();
		this.elsewhere.unlock();
	}

	@Test
	void operatorEndsAHoldOnAllServers() throws Exception {
		this.here.lock();

		assertThat(this.elsewhere.forceUnlock()).isTrue();

		await(() -> assertThat(this.here.isHeldByCurrentThread()).isFalse());
		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void directoryListsEachHeldLockOnce() {
		RedisLockClient client = client((builder) -> builder);
		for (int i = 0; i < 20; i++) {
			client.getLock("listed-" + i).lock();
		}
		SERVERS.get(0).kill();
		List<String> names = new ArrayList<>();
		String cursor = null;
		do {
			LockDirectory.Page page = client.directory().list(cursor, 10);
			page.locks().forEach((lock) -> names.add(lock.name()));
			cursor = page.next();
		}
		while (cursor != null);

		assertThat(names).hasSize(20).doesNotHaveDuplicates();
		assertThat(client.directory().find("listed-3")).hasValueSatisfying((lock) -> assertThat(lock.own()).isTrue());
		assertThat(client.directory().find("unknown")).isEmpty();
		assertThat(client.directory().queue("listed-3", 10)).isEmpty();
	}

	@Test
	void whatAQuorumCannotDoIsRefused() {
		RedisLockClient client = client((builder) -> builder.restartGuard(Duration.ofSeconds(5)));

		assertThatThrownBy(() -> client.getLock("a name", LockType.FAIR))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.tryAcquire("a name", LockOptions.defaults().type(LockType.FAIR)))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.getLock("a name").tryLock(Duration.ZERO, Duration.ofSeconds(6)))
			.withMessageContaining("restart guard");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client((builder) -> builder.restartGuard(Duration.ofSeconds(2))))
			.withMessageContaining("restart guard");
		assertThatIllegalArgumentException().isThrownBy(() -> RedisLockClient.quorum(this.connections.subList(0, 2)));
		assertThatIllegalArgumentException().isThrownBy(() -> RedisLockClient.quorum(this.connections.subList(0, 4)));
	}

}
