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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.client.PendingReleaseSender;
import io.holdfast.lock.internal.engine.EngineState;
import io.holdfast.lock.internal.engine.PendingReleases;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens while Redis is away or refuses: failures are thrown, never translated to
 * "another holds the lock", and what they leave behind is cleared up.
 */
@ParameterizedClass
@EnumSource
class ServerAwayTests {

	private static final Duration DRIVER_TIMEOUT = Duration.ofMillis(300);

	private static final Duration SOON = Duration.ofMillis(200);

	@Parameter
	RedisDriver driver;

	private final RedisProcess server = RedisProcess.start();

	private boolean paused;

	private final TestThreads threads = new TestThreads();

	private final List<RedisLockClient> clients = new ArrayList<>();

	private final List<RedisConnectionFactory> connections = new ArrayList<>();

	@AfterEach
	void close() {
		try {
			if (this.paused) {
				resume();
			}
			this.threads.close();
			this.clients.forEach(RedisLockClient::close);
			LockContract.awaitEndOfClientThreads();
			this.connections.forEach(RedisDriver::disconnect);
		}
		finally {
			this.server.close();
		}
	}

	private void pause() {
		this.server.pause();
		this.paused = true;
	}

	private void resume() {
		this.server.resume();
		this.paused = false;
	}

	private RedisConnectionFactory connect() {
		RedisConnectionFactory factory = this.driver.connect(this.server.host(), this.server.port(), DRIVER_TIMEOUT);
		this.connections.add(factory);
		return factory;
	}

	/**
	 * A client that gives a dead server up soon, and whose holds end long after the test.
	 */
	private RedisLockClient client() {
		return client((builder) -> builder);
	}

	private RedisLockClient client(UnaryOperator<RedisLockClientBuilder> settings) {
		RedisLockClient client = settings
			.apply(RedisLockClient.builder(connect())
				.watchdogTimeout(Duration.ofMinutes(10))
				.waiterTimeout(Duration.ofMillis(500)))
			.build();
		this.clients.add(client);
		return client;
	}

	private void command(String... words) {
		RedisConnectionFactory admin = RedisDriver.JEDIS.connect(this.server);
		this.connections.add(admin);
		StringRedisTemplate template = new StringRedisTemplate(admin);
		byte[][] arguments = List.of(words).stream().skip(1).map(String::getBytes).toArray(byte[][]::new);
		template.execute((RedisCallback<Object>) (connection) -> connection.execute(words[0], arguments));
	}

	private static void assertFails(ThrowingCallable call, Reason... reasons) {
		assertThatExceptionOfType(LockServerException.class).isThrownBy(call)
			.satisfies((ex) -> assertThat(ex.reason()).isIn((Object[]) reasons));
	}

	private static void assertEverythingFails(RedisLockClient client, Reason... reasons) {
		LeaseLock lock = client.getLock("a");
		LockOptions options = LockOptions.defaults().waitTime(SOON);
		assertFails(lock::tryLock, reasons);
		assertFails(() -> lock.tryLock(SOON), reasons);
		assertFails(lock::lock, reasons);
		assertFails(lock::lockInterruptibly, reasons);
		assertFails(() -> client.acquire("a", options), reasons);
		assertFails(() -> client.tryAcquire("a", options.fair()), reasons);
		assertFails(() -> client.execute("a", options, (lease) -> "the task ran"), reasons);
		assertFails(lock::isLocked, reasons);
		assertFails(lock::forceUnlock, reasons);
		assertFails(() -> client.directory().list(null, 10), reasons);
		assertFails(() -> client.directory().find("a"), reasons);
		assertFails(() -> client.directory().queue("a", 10), reasons);
		assertFails(() -> client.directory().forceUnlock("a"), reasons);
		assertThat(LockContract.stateOf(client)).isEmpty();
	}

	@Test
	void serverThatIsNotThereIsUnreachable() {
		this.server.kill();

		assertEverythingFails(client(), Reason.UNREACHABLE);
	}

	@Test
	void failureOfTheFirstCallNamesTheLock() {
		this.server.kill();

		assertThatExceptionOfType(LockServerException.class).isThrownBy(client().getLock("a")::tryLock)
			.withMessageStartingWith("Lock 'a': ")
			.returns("a", LockServerException::lockName);
	}

	@Test
	void serverThatWentAwayIsNotTakenForAnotherHolder() {
		RedisLockClient client = client();
		client.getLock("a").lock();
		client.getLock("a").unlock();

		this.server.kill();

		// A driver that reconnects by itself only knows that there was no answer.
		assertEverythingFails(client, Reason.UNREACHABLE, Reason.TIMED_OUT);
	}

	@Test
	void serverThatDoesNotAnswerIsTimedOut() {
		RedisLockClient client = client();
		client.getLock("a").lock();
		client.getLock("a").unlock();

		pause();

		assertEverythingFails(client, Reason.TIMED_OUT);
	}

	@Test
	void firstCallAfterTheServerFrozeIsTimedOut() {
		RedisLockClient client = client();
		client.getLock("a").lock();
		client.getLock("a").unlock();

		pause();

		assertFails(client.getLock("a")::tryLock, Reason.TIMED_OUT);
	}

	@Test
	void reenteringForLongerLeaseFailsAndLeavesTheHoldAlone() {
		LeaseLock lock = client().getLock("a");
		lock.lock(Duration.ofMinutes(1));
		long token = lock.token();
		pause();

		assertFails(() -> lock.lock(Duration.ofMinutes(5)), Reason.TIMED_OUT);
		assertFails(lock::lock, Reason.TIMED_OUT);

		assertThat(lock.holdCount()).isEqualTo(1);
		assertThat(lock.token()).isEqualTo(token);
		resume();
		lock.unlock();
		assertThat(lock.isLocked()).isFalse();
	}

	@Test
	void clientStartsBeforeTheServer() throws Exception {
		this.server.kill();
		RedisLockClient client = client();
		TestThreads.Running<Boolean> waiting = this.threads
			.start(() -> client((builder) -> builder.waiterTimeout(Duration.ofSeconds(30))).getLock("a")
				.tryLock(TestThreads.LONG));

		this.server.startAgain();

		assertThat(waiting.result()).isTrue();
		assertThat(client.getLock("b").tryLock(TestThreads.LONG)).isTrue();
	}

	@Test
	void threadsBehindOneThatGetsNoAnswerAreNotToldThatAnotherHoldsTheLock() {
		RedisLockClient client = client((builder) -> builder.waiterTimeout(Duration.ofSeconds(2)));
		LeaseLock lock = client.getLock("a");
		this.server.kill();
		TestThreads.Running<Void> first = this.threads.run(lock::lock).awaitParked();

		assertFails(() -> lock.tryLock(SOON), Reason.UNREACHABLE);
		assertFails(lock::tryLock, Reason.UNREACHABLE);

		assertThat(first.failure()).isInstanceOf(LockServerException.class);
	}

	@Test
	void threadsBehindAQuestionOnItsWayAreNotToldThatAnotherHoldsTheLock() {
		RedisLockClient client = client((builder) -> builder.waiterTimeout(Duration.ofSeconds(30)));
		LeaseLock lock = client.getLock("a");
		assertThat(client.getLock("b").tryLock()).isTrue();
		for (ThrowingCallable attempt : List.<ThrowingCallable>of(lock::tryLock,
				() -> lock.tryLock(Duration.ofMillis(50)))) {
			pause();
			TestThreads.Running<Void> first = this.threads.run(() -> {
				lock.lock();
				lock.unlock();
			});
			LockContract.eventually().until(() -> EngineState.isAsking(FaultClients.engine(client), "a"));

			assertFails(attempt, Reason.TIMED_OUT, Reason.UNREACHABLE);

			resume();
			first.result();
		}
	}

	@Test
	void acquisitionThatGotNoAnswerIsGivenBack() throws Exception {
		RedisLockClient client = client();
		client.getLock("b").lock();
		pause();
		assertFails(client.getLock("a")::tryLock, Reason.TIMED_OUT);

		resume();

		// Whether it was granted or not: long before its lease of ten minutes ends.
		assertThat(client().getLock("a").tryLock(TestThreads.LONG)).isTrue();
	}

	@Test
	void unlockThatGetsNoAnswerIsDoneInTheBackground() throws Exception {
		LeaseLock lock = client().getLock("a");
		lock.lock();
		pause();

		assertFails(lock::unlock, Reason.TIMED_OUT);

		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		resume();
		assertThat(client().getLock("a").tryLock(TestThreads.LONG)).isTrue();
	}

	@Test
	void holdOfThisClientIsKnownHoweverLongTheServerIsSilent() throws Exception {
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofSeconds(9)));
		LeaseLock fair = client.getLock("fair", LockType.FAIR);
		fair.lock();
		// One of two, so that the hold has a token for its next owner.
		Lease first = client.acquire("a");
		TestThreads.Running<Lease> second = this.threads.start(() -> client.acquire("a")).awaitParked();
		first.close();
		Lease owner = second.result();
		List<LeaseLock> locks = List.of(client.getLock("a"), client.getLock("a", LockType.FAIR), fair);
		pause();
		TestThreads.Running<Void> behind = this.threads.run(client.getLock("a")::lock);
		List<TestThreads.Running<Boolean>> waits = locks.stream()
			.map((lock) -> this.threads.start(() -> lock.tryLock(Duration.ofSeconds(4))))
			.toList();

		waits.forEach((each) -> assertThat(each.result()).isFalse());
		locks.forEach((lock) -> assertThat(this.threads.start(() -> lock.tryLock()).result()).isFalse());
		owner.close();
		behind.result();
	}

	@Test
	void holdIsGivenBackHoweverLongTheServerDidNotAnswer() {
		RedisLockClient client = client();
		client.getLock("a").lock(Duration.ofHours(1));
		LockServer server = FaultClients.server(client);
		AtomicLong clock = new AtomicLong();
		PendingReleases pending = new PendingReleases(clock::get, (key) -> "");
		String key = new LockKeys("holdfast:").lock("a");
		EngineState.add(pending, key, server.describe(List.of(key), true).get(0).id(), Duration.ofHours(1).toNanos());
		PendingReleaseSender sender = new PendingReleaseSender(pending, server);
		pause();

		clock.set(Duration.ofMinutes(50).toNanos());
		sender.sendDue(clock.get());
		Awaitility.await().until(() -> pending.nextNanos(Long.MAX_VALUE / 4) > clock.get() && pending.size() == 1);
		resume();
		clock.addAndGet(Duration.ofSeconds(1).toNanos());
		sender.sendDue(clock.get());

		Awaitility.await().until(() -> client().getLock("a").tryLock());
	}

	@Test
	void taskThatIsDoneReturnsAlthoughItsReleaseGotNoAnswer() throws Exception {
		String result = client().execute("a", LockOptions.defaults(), (lease) -> {
			pause();
			return "done";
		});

		assertThat(result).isEqualTo("done");
	}

	@Test
	void holdsAreRenewedAgainAfterServerDidNotAnswerForWhile() throws Exception {
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofSeconds(4)));
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			leases.add(client.acquire("hold-" + i, LockOptions.defaults()));
		}

		pause();
		LockContract.eventually()
			.until(() -> leases.stream().allMatch((lease) -> lease.validFor().compareTo(Duration.ofMillis(2200)) < 0));
		resume();

		LockContract.eventually()
			.until(() -> leases.stream().allMatch((lease) -> lease.validFor().compareTo(Duration.ofSeconds(3)) > 0));
	}

	@Test
	void serverThatCameBackEmptyHasLostTheHold() {
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofSeconds(3)));
		LeaseLock lock = client.getLock("a");
		lock.lock();
		long token = lock.token();
		this.server.kill();
		this.server.startAgain();

		RedisLockClient other = client();
		other.getLock("a").lock();

		assertThat(other.getLock("a").token()).isGreaterThan(token);
		LockContract.eventually().pollInSameThread().until(() -> !lock.isHeldByCurrentThread());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
	}

	@Test
	void tokensGrowAfterAllDataAndScriptsWereLost() {
		LeaseLock lock = client().getLock("a");
		lock.lock();
		long token = lock.token();
		lock.unlock();

		command("FLUSHALL");
		command("SCRIPT", "FLUSH");

		lock.lock();
		assertThat(lock.token()).isGreaterThan(token);
	}

	@Test
	void missingPermissionIsRefused() {
		RedisLockClient client = client();
		command("ACL", "SETUSER", "default", "-evalsha", "-eval");

		assertFails(client.getLock("a")::tryLock, Reason.REFUSED);
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("a")::lock)
			.withMessageContaining("'a'")
			.withMessageContaining("permission");
	}

	@Test
	void missingPermissionInsideAScriptIsRefusedHoweverManyAsk() {
		RedisLockClient client = client();
		client.getLock("a").isLocked();
		command("ACL", "SETUSER", "default", "-hset");

		List<TestThreads.Running<Void>> asking = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			LeaseLock lock = client.getLock("own-" + i);
			asking.add(this.threads.run(() -> {
				for (int round = 0; round < 20; round++) {
					assertFails(lock::tryLock, Reason.REFUSED);
				}
			}));
		}
		asking.forEach(TestThreads.Running::result);
	}

	@Test
	void acquisitionThatMayNotSetATimeToLiveLeavesNothing() {
		RedisLockClient client = client();
		client.getLock("used").lock();
		client.getLock("used").unlock();
		command("ACL", "SETUSER", "default", "-pexpire");

		for (String name : List.of("new", "used")) {
			LeaseLock lock = client.getLock(name);
			assertFails(lock::tryLock, Reason.REFUSED);
			assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::lock)
				.withMessageContaining("permission");
			assertThat(lock.isLocked()).isFalse();
		}
		command("ACL", "SETUSER", "default", "+pexpire");
		assertThat(client.getLock("new").tryLock()).isTrue();
	}

	@Test
	void fullMemoryRefusesAcquisitionsButLetsHoldsBeRenewedAndReleased() throws Exception {
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofSeconds(2)));
		Lease lease = client.acquire("held", LockOptions.defaults());
		client.getLock("a").isLocked();
		command("CONFIG", "SET", "maxmemory", "1");

		assertFails(client.getLock("a")::tryLock, Reason.REFUSED);
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("a")::lock)
			.withMessageContaining("memory");
		long validUntil = System.nanoTime() + lease.validFor().toNanos();
		LockContract.eventually()
			.until(() -> System.nanoTime() + lease.validFor().toNanos() - validUntil > SOON.toNanos());
		assertThatCode(lease::close).doesNotThrowAnyException();
		assertThat(client.getLock("held").isLocked()).isFalse();
	}

	@Test
	void failureThatPassesIsUnavailableAndWaitersOutliveIt() {
		RedisLockClient client = client((builder) -> builder.waiterTimeout(Duration.ofSeconds(30)));
		client.getLock("b").lock();
		command("REPLICAOF", "127.0.0.1", Integer.toString(RedisProcess.freePort()));
		assertFails(client.getLock("a")::tryLock, Reason.UNAVAILABLE);
		TestThreads.Running<Boolean> waiting = this.threads.start(() -> client.getLock("a").tryLock(TestThreads.LONG))
			.awaitParked();

		command("REPLICAOF", "NO", "ONE");

		assertThat(waiting.result()).isTrue();
	}

	@Test
	void interruptibleWaitEndsAlthoughTheServerDoesNotAnswer() {
		RedisLockClient client = client((builder) -> builder.waiterTimeout(Duration.ofSeconds(30)));
		client.getLock("b").lock();
		pause();
		TestThreads.Running<Void> waiting = this.threads.run(client.getLock("a")::lockInterruptibly).awaitParked();

		waiting.interrupt();

		assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
	}

	@Test
	void waiterIsServedAlthoughItsSubscriptionWasCut() {
		RedisLockClient here = client();
		RedisLockClient elsewhere = client();
		LockContract.awaitSubscription(elsewhere);
		here.getLock("a").lock();
		TestThreads.Running<Void> waiting = this.threads.run(() -> elsewhere.getLock("a").lock()).awaitParked();

		command("CLIENT", "KILL", "TYPE", "pubsub");
		here.getLock("a").unlock();

		waiting.result();
	}

	@Test
	void clientClosesAlthoughTheServerDoesNotAnswer() {
		RedisLockClient client = client();
		client.getLock("a").lock();
		client.getLock("b").lock();
		pause();

		this.threads.run(client::close).result();

		assertThat(client.getLock("a").isHeldByCurrentThread()).isFalse();
	}

}
