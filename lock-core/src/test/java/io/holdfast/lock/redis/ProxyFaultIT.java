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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.RequestIds;
import io.holdfast.lock.internal.redis.LockScript;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy.Fault;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What happens when the network between a client and Redis loses a reply, breaks, or says
 * nothing any more. Jedis reports a lost reply; Lettuce connects again and runs the
 * command a second time without telling.
 */
class ProxyFaultIT extends FaultFixture {

	private static final String ACQUIRE = LockScript.ACQUIRE.getSha1();

	private static final String RELEASE = LockScript.RELEASE.getSha1();

	private static final String RENEW = LockScript.RENEW.getSha1();

	private static final Duration WAIT = FaultClients.PATIENCE;

	private static final Duration DELAY = Duration.ofMillis(500);

	/**
	 * Much less than the delay, and more than it takes to look at both clocks.
	 */
	private static final Duration TOLERANCE = Duration.ofMillis(50);

	ProxyFaultIT() {
		super(RedisProcess.shared());
	}

	/**
	 * A client behind the proxy, to which the server knows all scripts, and that gives up
	 * soon.
	 */
	private RedisLockClient behindProxy(RedisDriver driver) {
		return warmedUp(open(this.clients.connect(driver, this.proxy.host(), this.proxy.port()), (builder) -> builder));
	}

	/**
	 * One that does not, and whose clock the test may set forward to a renewal. One
	 * without answer is sent again after a third of its waiter time-out.
	 */
	private RedisLockClient patientBehindProxy(RedisDriver driver) {
		return warmedUp(openPatient(driver, this.proxy.port(),
				(builder) -> withClock(builder).waiterTimeout(Duration.ofSeconds(10))));
	}

	private RedisLockClient warmedUp(RedisLockClient client) {
		LeaseLock lock = client.getLock("warm");
		lock.lock();
		FaultClients.server(client)
			.send(new Command.Renew(this.clients.key("warm"), RequestIds.next(), 1, 1, 0, 0, ""))
			.join();
		lock.unlock();
		return client;
	}

	/**
	 * Its waiters find within a second that a hold is over.
	 */
	private RedisLockClient direct() {
		return openPatient(RedisDriver.JEDIS, this.server.port(),
				(builder) -> builder.waiterTimeout(FaultClients.WAITER_TIMEOUT));
	}

	private String field(String name, String field) {
		return (String) this.clients.redis().opsForHash().get(this.clients.key(name), field);
	}

	// A reply is late

	@ParameterizedTest
	@EnumSource
	void leaseCountsFromBeforeItsRequestWasSent(RedisDriver driver) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		LeaseLock lock = client.getLock("orders");
		Fault late = this.proxy.holdReplyTo(ACQUIRE);
		Crew.Member owner = this.crew.start("owner", () -> {
			lock.lock();
			// Asked for first, so that it is the larger one.
			Duration inRedis = leaseInRedis("orders");
			assertThat(lock.validFor()).isLessThanOrEqualTo(inRedis.plus(TOLERANCE));
			lock.unlock();
		});
		late.awaitCaught();
		FaultClients.await("some of the lease is over",
				() -> leaseInRedis("orders").compareTo(LONG_LEASE.minus(DELAY)) < 0);

		late.release();

		owner.join(WAIT);
	}

	@ParameterizedTest
	@EnumSource
	void renewedLeaseCountsFromBeforeItsRenewalWasSent(RedisDriver driver) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		Lease lease = client.acquire("orders", LockOptions.defaults());
		Fault late = this.proxy.holdReplyTo(RENEW);
		setForwardToRenewal();
		late.awaitCaught();
		FaultClients.await("some of the lease is over",
				() -> leaseInRedis("orders").compareTo(LONG_LEASE.minus(DELAY)) < 0);

		late.release();

		FaultClients.await("renewed", () -> lease.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		Duration inRedis = leaseInRedis("orders");
		assertThat(lease.validFor()).isLessThanOrEqualTo(inRedis.plus(TOLERANCE));
		lease.close();
	}

	private Duration leaseInRedis(String name) {
		long until = Long.parseLong(field(name, "until").substring(2));
		Long now = this.clients.redis()
			.execute((RedisCallback<Long>) (connection) -> connection.serverCommands().time(TimeUnit.MILLISECONDS));
		return Duration.ofMillis(until - now);
	}

	// A reply is lost

	@ParameterizedTest
	@EnumSource
	void attemptWhoseReplyIsLostIsAtMostOneGrant(RedisDriver driver) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		LeaseLock lock = client.getLock("orders");
		Fault fault = this.proxy.loseReplyTo(ACQUIRE);

		Throwable thrown = catchThrowable(() -> assertThat(lock.tryLock()).isTrue());

		fault.awaitCaught();
		// Either driver sends it again.
		assertThat(thrown).isNull();
		assertHeldOnce(lock);
		lock.unlock();
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
	}

	@ParameterizedTest
	@EnumSource
	void attemptWhoseLeaseIsOverBeforeItsReplyDoesNotSayThatAnotherHasTheLock(RedisDriver driver) throws Exception {
		LeaseLock lock = behindProxy(driver).getLock("orders", LockOptions.defaults().leaseTime(LockOptions.MIN_LEASE));
		this.proxy.delay(Duration.ofMillis(60));

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> lock.tryLock(Duration.ofMillis(50)))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));

		this.proxy.heal();
		this.clients.awaitFree("orders");
	}

	private void assertHeldOnce(LeaseLock lock) {
		assertThat(lock.isHeldByCurrentThread()).isTrue();
		assertThat(lock.holdCount()).isEqualTo(1);
		assertThat(field(lock.name(), "token")).isEqualTo(Long.toString(lock.token()));
	}

	@ParameterizedTest
	@CsvSource({ "JEDIS, false", "JEDIS, true", "LETTUCE, false", "LETTUCE, true" })
	void requestWhosePlaceInTheQueueWasNotToldHasOnePlace(RedisDriver driver, boolean fair) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		LeaseLock held = direct().getLock("orders", LockOptions.defaults().fair(fair));
		held.lock();
		LeaseLock lock = client.getLock("orders", LockOptions.defaults().fair(fair));
		Fault fault = this.proxy.loseReplyTo(ACQUIRE);
		Crew.Member waiter = this.crew.start("waiter", () -> {
			lock.lock();
			assertHeldOnce(lock);
			lock.unlock();
		});

		fault.awaitCaught();
		FaultClients.await("told", () -> ClientState.stands(client, "orders"));
		assertThat(this.clients.waiters("orders")).isEqualTo(1);
		held.unlock();

		waiter.join(WAIT);
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
	}

	@ParameterizedTest
	@EnumSource
	void grantWhoseMessageOvertakesTheAnswerToItsQuestionIsOne(RedisDriver driver) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		LeaseLock held = direct().getLock("orders");
		held.lock();
		LeaseLock lock = client.getLock("orders");
		Fault fault = this.proxy.holdReplyTo(ACQUIRE);
		Crew.Member waiter = this.crew.start("waiter", () -> {
			lock.lock();
			assertHeldOnce(lock);
			lock.unlock();
		});

		fault.awaitCaught();
		held.unlock();
		FaultClients.await("it knows", () -> ClientState.holds(client, "orders"));
		fault.release();

		waiter.join(WAIT);
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
	}

	@ParameterizedTest
	@EnumSource
	void forcedReleaseWhoseReplyIsLostOustsOneHolder(RedisDriver driver) throws Exception {
		RedisLockClient operator = patientBehindProxy(driver);
		operator.getLock("orders").forceUnlock();
		FaultClients.server(operator).directory().evict(this.clients.key("orders"), List.of("none"));
		RedisLockClient client = direct();
		client.getLock("orders").lock();
		LeaseLock next = direct().getLock("orders");
		CountDownLatch looked = new CountDownLatch(1);
		Crew.Member waiter = this.crew.start("waiter", () -> {
			next.lock();
			looked.await();
			next.unlock();
		});
		this.clients.awaitWaiters("orders", 1);
		Fault fault = this.proxy.loseReplyTo(LockScript.EVICT.getSha1());

		Throwable thrown = catchThrowable(() -> operator.getLock("orders").forceUnlock());

		fault.awaitCaught();
		assertThat(thrown == null || thrown instanceof LockServerException).as("%s", thrown).isTrue();
		looked.countDown();
		waiter.join(WAIT);
	}

	/**
	 * The release ran, and others had the lock before it ran again.
	 */
	@ParameterizedTest
	@CsvSource({ "JEDIS, 0", "LETTUCE, 0", "JEDIS, 1", "LETTUCE, 1", "LETTUCE, 3" })
	void releaseThatRunsAgainAfterOthersHadTheLockHasWorked(RedisDriver driver, int waiters) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		RedisLockClient others = direct();
		LeaseLock lock = client.getLock("orders", LockOptions.defaults().fair(true));
		lock.lock();
		LeaseLock successor = others.getLock("orders", LockOptions.defaults().fair(true));
		for (int i = 0; i < waiters; i++) {
			this.crew.start("waiter-" + i, () -> {
				successor.lock();
				successor.unlock();
			});
			this.clients.awaitWaiters("orders", i + 1);
		}
		Fault fault = this.proxy.holdReplyTo(RELEASE);
		Throwable[] thrown = new Throwable[1];
		CountDownLatch taken = new CountDownLatch(1);
		Crew.Member cutter = this.crew.start("cutter", () -> {
			fault.awaitCaught();
			successor.lock();
			this.proxy.cut();
			taken.countDown();
			FaultClients.await("the release has run again", () -> thrown[0] != null);
			assertThat(successor.isHeldByCurrentThread()).isTrue();
			assertThat(this.clients.holder("orders")).isEqualTo(others.id());
			successor.unlock();
		});

		Throwable caught = catchThrowable(lock::unlock);
		assertThat(taken.await(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
		thrown[0] = (caught != null) ? caught : new Throwable("none");

		cutter.join(WAIT);
		assertThat(caught).isNull();
		assertThat(this.losses).isEmpty();
		this.crew.join(WAIT);
	}

	@ParameterizedTest
	@EnumSource
	void holdSurvivesTheLossOfRepliesToItsRenewals(RedisDriver driver) throws Exception {
		LeaseLock lock = patientBehindProxy(driver).getLock("orders");
		lock.lock();

		for (int i = 0; i < 3; i++) {
			Fault fault = this.proxy.loseReplyTo(RENEW);
			setForwardToRenewal();
			fault.awaitCaught();
			FaultClients.await("renewed", () -> lock.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		}

		assertHeldOnce(lock);
		assertThat(this.losses).isEmpty();
		lock.unlock();
	}

	/**
	 * An inner acquisition must not report a lock that was lost while it asked.
	 */
	@ParameterizedTest
	@EnumSource
	void nestedAcquisitionWhoseRenewalIsAnsweredAfterTheLeaseFails(RedisDriver driver) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		LeaseLock lock = client.getLock("orders", LockOptions.defaults().leaseTime(Duration.ofSeconds(30)));
		LeaseLock longer = client.getLock("orders", LockOptions.defaults().leaseTime(Duration.ofSeconds(45)));
		lock.lock();
		Fault fault = this.proxy.holdReplyTo(RENEW);
		Crew.Member releaser = this.crew.start("releaser", () -> {
			fault.awaitCaught();
			this.setForward.set(Duration.ofSeconds(31).toNanos());
			FaultClients.await("told of the loss", () -> !this.losses.isEmpty());
			fault.release();
		});

		Throwable thrown = catchThrowable(longer::lock);

		releaser.join(WAIT);
		assertThat(thrown).isInstanceOfAny(LockLostException.class, LockServerException.class);
		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		this.clients.awaitFree("orders");
	}

	// The connection breaks

	@ParameterizedTest
	@EnumSource
	void connectionsThatBreakInTheMidstOfAReplyLeaveNothingBehind(RedisDriver driver) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		LeaseLock lock = client.getLock("orders");
		int granted = 0;
		long token = 0;

		for (int round = 0; round < 40; round++) {
			this.proxy.cutAfter(round * 7L);
			try {
				if (lock.tryLock(WAIT)) {
					assertThat(lock.token()).isGreaterThan(token);
					assertThat(lock.holdCount()).isEqualTo(1);
					token = lock.token();
					granted++;
					lock.unlock();
				}
			}
			catch (LockServerException ex) {
				assertThat(ex.reason()).as(() -> Throwables.getStackTrace(ex))
					.isIn(Reason.TIMED_OUT, Reason.UNREACHABLE);
			}
			this.proxy.heal();
		}

		assertThat(granted).isPositive();
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
	}

	@ParameterizedTest
	@EnumSource
	void connectionsThatAreResetLeaveNothingBehind(RedisDriver driver) throws Exception {
		RedisLockClient client = patientBehindProxy(driver);
		LeaseLock lock = client.getLock("orders");
		long token = 0;

		for (int round = 0; round < 10; round++) {
			Fault fault = this.proxy.holdReplyTo((round % 2 == 0) ? ACQUIRE : RELEASE);
			Crew.Member resetter = this.crew.start("resetter", () -> {
				fault.awaitCaught();
				this.proxy.reset();
			});
			assertThat(lock.tryLock(WAIT)).isTrue();
			assertHeldOnce(lock);
			assertThat(lock.token()).isGreaterThan(token);
			token = lock.token();
			Throwable thrown = catchThrowable(lock::unlock);
			assertThat(thrown == null || thrown instanceof LockServerException).as("%s", thrown).isTrue();
			resetter.join(WAIT);
		}

		assertThat(this.losses).isEmpty();
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
	}

	/**
	 * Commands and replies come byte by byte, at once or so slowly that they take longer
	 * than drivers wait for them.
	 */
	@ParameterizedTest
	@CsvSource({ "JEDIS, 0", "LETTUCE, 0", "JEDIS, 10", "LETTUCE, 10" })
	void linkThatPassesSingleBytesWorksOrTimesOut(RedisDriver driver, int millisPerByte) throws Exception {
		RedisLockClient client = behindProxy(driver);
		LeaseLock lock = client.getLock("orders");
		this.proxy.trickle(Duration.ofMillis(millisPerByte));

		if (millisPerByte == 0) {
			for (int round = 0; round < 10; round++) {
				assertThat(lock.tryLock(WAIT)).isTrue();
				assertHeldOnce(lock);
				lock.unlock();
			}
		}
		else {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::tryLock)
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
		}

		this.proxy.heal();
		awaitAnswers(client);
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
	}

	/**
	 * Many holds come due together while no connection is to be had for a moment, and
	 * even to ask for one fails.
	 */
	@ParameterizedTest
	@CsvSource({ "JEDIS, false", "LETTUCE, false", "LETTUCE, true" })
	void manyHoldsSurviveAMomentWithoutConnections(RedisDriver driver, boolean validates) throws Exception {
		RedisConnectionFactory factory = this.clients.connect(driver, this.proxy.host(), this.proxy.port());
		if (validates) {
			((LettuceConnectionFactory) factory).setValidateConnection(true);
		}
		AtomicInteger failures = new AtomicInteger();
		RedisLockClient client = warmedUp(open(factory, (builder) -> withClock(builder).observer(new LockObserver() {

			@Override
			public void renewalFailed(String name, LockServerException reason) {
				failures.incrementAndGet();
			}

		})));
		for (int i = 0; i < 5; i++) {
			client.getLock("orders-" + i).lock();
		}
		this.proxy.refuse();
		setForwardToRenewal();
		FaultClients.await("renewals fail", () -> failures.get() >= 5);
		this.proxy.heal();

		for (int i = 0; i < 5; i++) {
			LeaseLock lock = client.getLock("orders-" + i);
			FaultClients.await("renewed", () -> lock.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		}
		assertThat(this.losses).isEmpty();
		for (int i = 0; i < 5; i++) {
			assertHeldOnce(client.getLock("orders-" + i));
			client.getLock("orders-" + i).unlock();
		}
	}

	private static void awaitAnswers(RedisLockClient client) {
		FaultClients.await("the client answers again", () -> FaultClients.failure(client.getLock("answers")).isEmpty());
	}

	// The connection is half open

	/**
	 * If requests pass, and only replies do not, its renewals reach Redis: others have to
	 * wait until those end.
	 */
	@ParameterizedTest
	@CsvSource({ "JEDIS, false", "JEDIS, true", "LETTUCE, false", "LETTUCE, true" })
	void holderThatHearsNothingKnowsWhenItsLeaseIsOver(RedisDriver driver, boolean requestsPass) throws Exception {
		RedisLockClient client = behindProxy(driver);
		LeaseLock lock = client.getLock("orders");
		LeaseLock next = direct().getLock("orders");
		lock.lock();
		long token = lock.token();

		if (requestsPass) {
			this.proxy.holdReplies();
		}
		else {
			this.proxy.goDeaf();
		}
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("other")::tryLock)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
		assertThat(next.tryLock(WAIT)).isTrue();

		assertThat(lock.isHeldByCurrentThread()).isFalse();
		assertThat(lock.validFor()).isZero();
		FaultClients.await("the observer is told", () -> !this.losses.isEmpty());
		assertThat(this.losses).singleElement().satisfies((loss) -> {
			assertThat(loss.token()).isEqualTo(token);
			assertThat(loss.cause()).isEqualTo(Cause.EXPIRED);
		});
		assertThat(next.token()).isGreaterThan(token);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		this.proxy.heal();
		awaitAnswers(client);
		assertHeldOnce(next);
		next.unlock();
		this.clients.awaitFree("other");
		FaultClients.awaitForgotten(client);
	}

	/**
	 * Requests that their callers gave up reach Redis when the network heals.
	 */
	@Test
	void attemptThatArrivesAfterItsDeadlineTakesNothing() throws Exception {
		List<RedisLockClient> both = List.of(behindProxy(RedisDriver.JEDIS), behindProxy(RedisDriver.LETTUCE));
		this.proxy.goDeaf();

		for (RedisLockClient client : both) {
			LeaseLock attempted = client.getLock("attempted by " + client.id());
			assertThatExceptionOfType(LockServerException.class).isThrownBy(attempted::tryLock)
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
			LeaseLock awaited = client.getLock("awaited by " + client.id());
			assertThatExceptionOfType(LockServerException.class)
				.isThrownBy(() -> awaited.tryLock(Duration.ofMillis(300)))
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
		}
		// The deadlines are over then.
		FaultClients.pass(Duration.ofMillis(2500));
		this.proxy.heal();

		for (RedisLockClient client : both) {
			awaitAnswers(client);
			assertThat(this.clients.redis().keys(this.clients.key("*by " + client.id()))).as("ever taken").isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource
	void requestOfAGivenUpWaitLeavesTheQueueThatItJoinsLate(RedisDriver driver) throws Exception {
		RedisLockClient client = behindProxy(driver);
		LeaseLock held = direct().getLock("orders");
		held.lock();
		LeaseLock lock = client.getLock("orders");
		this.proxy.goDeaf();
		CountDownLatch interrupted = new CountDownLatch(1);
		Crew.Member waiter = this.crew.start("waiter", () -> {
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(lock::lockInterruptibly);
			interrupted.countDown();
		});
		FaultClients.await("it asks", () -> LockContract.stateOf(client).contains("orders"));
		FaultClients.awaitParkedOrReading(waiter.thread());
		waiter.thread().interrupt();
		assertThat(interrupted.await(WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

		this.proxy.heal();
		awaitAnswers(client);
		this.clients.awaitWaiters("orders", 0);

		assertThat(held.isHeldByCurrentThread()).isTrue();
		held.unlock();
		this.clients.awaitFree("orders");
		FaultClients.awaitForgotten(client);
	}

}
