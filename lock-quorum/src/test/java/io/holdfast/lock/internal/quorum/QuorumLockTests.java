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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Locks on a majority of five servers, of which some fail.
 */
class QuorumLockTests extends QuorumFixture {

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
		long first = this.here.token();
		assertThat(this.elsewhere.tryLock()).isFalse();

		this.here.unlock();

		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();
		assertThat(this.elsewhere.token()).isGreaterThan(first);
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
		await(() -> assertThat(servers("a name")).isEqualTo(5));
		// All together: one after another would take the hold up again.
		SERVERS.subList(0, 3).forEach(RedisProcess::kill);
		SERVERS.subList(0, 3).forEach(RedisProcess::startAgain);

		await(() -> assertThat(this.here.isHeldByCurrentThread()).isFalse());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.here::unlock);
	}

	@Test
	void restartedServersGrantNothingWhileTheirHoldsMayLast() throws Exception {
		Duration guard = Duration.ofSeconds(4);
		LeaseLock holder = client(guard).getLock("guarded");
		LeaseLock other = client(guard).getLock("guarded");
		holder.lock();
		long token = holder.token();
		for (int i = 0; i < 3; i++) {
			SERVERS.get(i).kill();
			SERVERS.get(i).startAgain();
		}

		assertThatExceptionOfType(LockServerException.class).isThrownBy(other::tryLock)
			.withMessageContaining("may have forgotten")
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.UNAVAILABLE));

		assertThat(other.tryLock(TestThreads.LONG)).isTrue();
		assertThat(holder.isHeldByCurrentThread()).isFalse();
		assertThat(other.token()).isGreaterThan(token);
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
		assertThat(this.here.token()).isGreaterThan(ahead);
		long token = this.here.token();
		this.here.unlock();

		SERVERS.get(3).startAgain();
		SERVERS.get(4).startAgain();
		SERVERS.get(0).kill();
		SERVERS.get(1).kill();
		this.elsewhere.lock();

		assertThat(this.elsewhere.token()).isGreaterThan(token);
		this.elsewhere.unlock();
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
					assertThat(latest.getAndSet(lock.token())).isLessThan(lock.token());
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
					assertThat(latest.getAndSet(this.here.token())).isLessThan(this.here.token());
					inside.decrementAndGet();
					this.here.unlock();
				}
			}));
		}
		running.add(this.threads.run(() -> {
			for (int round = 0; round < 3; round++) {
				this.elsewhere.lock();
				assertThat(inside.incrementAndGet()).isOne();
				assertThat(latest.getAndSet(this.elsewhere.token())).isLessThan(this.elsewhere.token());
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
	void operatorSeesThreadsOfItsClientWaitAndNeedsTheTokenToEndAHold() throws Exception {
		RedisLockClient operator = client((builder) -> builder);
		this.here.lock();
		long earlier = seenToken(operator);
		this.here.unlock();
		this.here.lock();
		this.threads.run(() -> {
			operator.getLock("a name").lock();
			operator.getLock("a name").unlock();
		});

		await(() -> assertThat(operator.directory().queue("a name", 10)).extracting(LockDirectory.QueuedWaiter::count)
			.containsExactly(1));
		assertThat(operator.directory().forceUnlock("a name", earlier)).isEmpty();
		// Until servers have raised each other's tokens, the one that is seen may change
		await(() -> assertThat(operator.directory().forceUnlock("a name", seenToken(operator))).isPresent());
	}

	private static long seenToken(RedisLockClient operator) {
		return operator.directory().find("a name").orElseThrow().token();
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
		RedisLockClient client = client(Duration.ofSeconds(5));

		assertThatThrownBy(() -> client.getLock("a name", LockType.FAIR))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.tryAcquire("a name", LockOptions.defaults().type(LockType.FAIR)))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> client.getLock("a name").tryLock(Duration.ZERO, Duration.ofSeconds(6)))
			.withMessageContaining("restart guard");
		assertThatIllegalArgumentException().isThrownBy(() -> client(Duration.ofSeconds(2)))
			.withMessageContaining("restart guard");
	}

}
