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
import java.util.function.UnaryOperator;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens while Redis is away or refuses: failures are thrown, never translated to
 * "another holds the lock", and what they leave behind is cleared up.
 */
@ParameterizedClass
@EnumSource
class ServerAwayTests extends FaultFixture {

	private static final Duration DRIVER_TIMEOUT = Duration.ofMillis(600);

	private static final Duration SOON = Duration.ofMillis(200);

	@Parameter
	RedisDriver driver;

	/**
	 * A client that gives a dead server up soon, and whose holds end long after the test.
	 */
	private RedisLockClient client() {
		return client((builder) -> builder);
	}

	private RedisLockClient client(UnaryOperator<RedisLockClientBuilder> settings) {
		return this.clients.open(
				this.clients.connect(this.driver, this.server.host(), this.server.port(), DRIVER_TIMEOUT),
				(builder) -> settings
					.apply(builder.watchdogTimeout(Duration.ofMinutes(10)).waiterTimeout(Duration.ofMillis(500))));
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
		assertFails(() -> client.tryAcquire("a", options.fair(true)), reasons);
		assertFails(() -> client.execute("a", options, (lease) -> "the task ran"), reasons);
		assertFails(lock::isLocked, reasons);
		assertFails(lock::forceUnlock, reasons);
		assertFails(() -> client.directory().list(null, 10), reasons);
		assertFails(() -> client.directory().find("a"), reasons);
		assertFails(() -> client.directory().queue("a", 10), reasons);
		assertFails(() -> client.directory().forceUnlock("a"), reasons);
		LockContract.awaitForgotten(client);
	}

	@Test
	void serverThatIsNotThereIsUnreachable() {
		this.server.kill();

		assertEverythingFails(client(), Reason.UNREACHABLE);
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

		this.server.pause();

		assertEverythingFails(client, Reason.TIMED_OUT);
	}

	@Test
	void reenteringForLongerLeaseFailsAndLeavesTheHoldAlone() {
		RedisLockClient client = client();
		client.getLock("a", LockOptions.defaults().leaseTime(Duration.ofMinutes(1))).lock();
		LeaseLock lock = client.getLock("a");
		long token = lock.token();
		this.server.pause();

		assertFails(client.getLock("a", LockOptions.defaults().leaseTime(Duration.ofMinutes(5)))::lock,
				Reason.TIMED_OUT);
		assertFails(lock::lock, Reason.TIMED_OUT);

		assertThat(lock.holdCount()).isEqualTo(1);
		assertThat(lock.token()).isEqualTo(token);
		this.server.resume();
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
			this.server.pause();
			TestThreads.Running<Void> first = this.threads.run(() -> {
				lock.lock();
				lock.unlock();
			});
			LockContract.eventually().until(() -> ClientState.isAsking(client, "a"));

			assertFails(attempt, Reason.TIMED_OUT, Reason.UNREACHABLE);

			this.server.resume();
			first.result();
		}
	}

	@Test
	void acquisitionThatGotNoAnswerIsGivenBack() throws Exception {
		RedisLockClient client = client();
		client.getLock("b").lock();
		this.server.pause();
		assertFails(client.getLock("a")::tryLock, Reason.TIMED_OUT);

		this.server.resume();

		// Whether it was granted or not: long before its lease of ten minutes ends.
		assertThat(openPatient(this.driver).getLock("a").tryLock(TestThreads.LONG)).isTrue();
	}

	@Test
	void unlockThatGetsNoAnswerIsDoneInTheBackground() throws Exception {
		LeaseLock lock = client().getLock("a");
		lock.lock();
		this.server.pause();

		assertFails(lock::unlock, Reason.TIMED_OUT);

		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		this.server.resume();
		assertThat(openPatient(this.driver).getLock("a").tryLock(TestThreads.LONG)).isTrue();
	}

	@Test
	void holdOfThisClientIsKnownHoweverLongTheServerIsSilent() throws Exception {
		RedisLockClient client = client(this::withClock);
		LeaseLock fair = client.getLock("fair", LockOptions.defaults().fair(true));
		fair.lock();
		// Two wait for the next hold, so it has tokens for further owners.
		Lease first = client.acquire("a");
		TestThreads.Running<Lease> second = this.threads.start(() -> client.acquire("a")).awaitParked();
		TestThreads.Running<Lease> third = this.threads.start(() -> client.acquire("a")).awaitParked();
		first.close();
		second.result().close();
		Lease owner = third.result();
		List<LeaseLock> locks = List.of(client.getLock("a"), client.getLock("a", LockOptions.defaults().fair(true)),
				fair);
		this.server.pause();
		setForwardToRenewal();
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
	void taskThatIsDoneReturnsAlthoughItsReleaseGotNoAnswer() throws Exception {
		String result = client().execute("a", LockOptions.defaults(), (lease) -> {
			this.server.pause();
			return "done";
		});

		assertThat(result).isEqualTo("done");
	}

	@Test
	void missingPermissionInsideAScriptIsRefusedHoweverManyAsk() {
		RedisLockClient client = openPatient(this.driver);
		client.getLock("a").isLocked();
		this.server.command("ACL", "SETUSER", "default", "-hset");

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
		RedisLockClient client = openPatient(this.driver);
		client.getLock("used").lock();
		client.getLock("used").unlock();
		this.server.command("ACL", "SETUSER", "default", "-pexpire");

		for (String name : List.of("new", "used")) {
			LeaseLock lock = client.getLock(name);
			assertFails(lock::tryLock, Reason.REFUSED);
			assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::lock)
				.withMessageContaining("permission");
			assertThat(lock.isLocked()).isFalse();
		}
		this.server.command("ACL", "SETUSER", "default", "+pexpire");
		assertThat(client.getLock("new").tryLock()).isTrue();
	}

	@Test
	void fullMemoryRefusesAcquisitionsButLetsHoldsBeRenewedAndReleased() throws Exception {
		RedisLockClient client = openPatient(this.driver, this.server.port(), this::withClock);
		Lease lease = client.acquire("held", LockOptions.defaults());
		client.getLock("a").isLocked();
		this.server.command("CONFIG", "SET", "maxmemory", "1");

		assertFails(client.getLock("a")::tryLock, Reason.REFUSED);
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("a")::lock)
			.withMessageContaining("memory");
		setForwardToRenewal();
		LockContract.eventually().until(() -> lease.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		assertThatCode(lease::close).doesNotThrowAnyException();
		assertThat(client.getLock("held").isLocked()).isFalse();
	}

}
