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
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.TestThreads;
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
		List<FaultProxy> links = links();
		RedisLockClient client = clientThrough(links, PATIENCE);
		client.getLock("brief").lock();
		client.getLock("brief").unlock();
		LeaseLock lock = client.getLock("brief", LockOptions.defaults().leaseTime(Duration.ofMillis(50)));
		links.forEach((link) -> link.delay(Duration.ofMillis(150)));

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> lock.tryLock(Duration.ZERO))
			.withMessageContaining("a majority of its Redis servers granted it")
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.UNAVAILABLE));
	}

	@Test
	void deadMinorityCostsNothing() throws Exception {
		kill(0, 1);

		this.here.lock();
		assertThat(this.elsewhere.tryLock()).isFalse();
		this.here.unlock();
		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();
		this.elsewhere.unlock();
	}

	@Test
	void messagesOfAMajorityAreEnough() {
		RedisLockClient client = client((builder) -> builder);
		client.getLock("any").tryLock();
		client.getLock("any").unlock();
		await(() -> assertThat(ClientState.deafChannels(client)).isZero());

		kill(0, 1);
		await(() -> assertThat(ClientState.deafChannels(client)).isEqualTo(2));
		await(() -> assertThat(ClientState.hears(client)).isTrue());

		kill(2);
		await(() -> assertThat(ClientState.hears(client)).isFalse());
		startAgain(0, 1, 2);
	}

	@Test
	void hungMinorityCostsNoTimeout() throws Exception {
		LeaseLock lock = patientClient().getLock("a name");
		lock.lock();
		lock.unlock();
		pause(0, 1);

		long start = System.nanoTime();
		lock.lock();
		lock.unlock();

		// Voting, raising the token and releasing are decided without the two.
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();
		this.elsewhere.unlock();
		resume(0, 1);
	}

	@Test
	void deadMajorityIsNoAnswerAndLeavesNothingBehind() {
		kill(0, 1, 2);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> this.here.tryLock())
			.withMessageContaining("too few of its 5 Redis servers take part, 3 have to")
			.satisfies((ex) -> assertThat(ex.reason()).isIn(Reason.UNREACHABLE, Reason.TIMED_OUT));

		await(() -> assertThat(servers("a name")).isZero());
	}

	@Test
	void waitOutlastsADeadMajority() {
		kill(0, 1, 2);
		TestThreads.Running<Boolean> waiting = this.threads.start(() -> {
			boolean got = this.here.tryLock(TestThreads.LONG);
			this.here.unlock();
			return got;
		}).awaitParked();

		startAgain(0);

		assertThat(waiting.result()).isTrue();
	}

	@Test
	void lossOfTheMajorityIsToldAtTheDeadline() {
		this.here.lock();
		kill(0, 1, 2);

		await(() -> assertThat(this.here.isHeldByCurrentThread()).isFalse());

		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.here::unlock);
	}

	@Test
	void tokenOfOneMajorityIsKnownToTheNext() {
		// Its clock is an hour ahead, as far as its tokens tell.
		long ahead = (System.currentTimeMillis() + 3_600_000) * 1000;
		setToken(SERVERS.get(0), "a name", ahead);
		kill(3, 4);
		this.here.lock();
		assertThat(this.here.token()).isGreaterThan(ahead);
		long token = this.here.token();
		this.here.unlock();

		startAgain(3, 4);
		kill(0, 1);
		this.elsewhere.lock();

		assertThat(this.elsewhere.token()).isGreaterThan(token);
		this.elsewhere.unlock();
	}

	@Test
	void votesThatAreSplitComeTogetherAgain() {
		Excluded excluded = new Excluded();
		for (int i = 0; i < 8; i++) {
			excluded.repeat(client((builder) -> builder).getLock("split"), "split", 5);
		}

		excluded.running.forEach(TestThreads.Running::result);
	}

	@Test
	void threadsOfOneClientPassTheLockToEachOther() {
		Excluded excluded = new Excluded();
		for (int i = 0; i < 4; i++) {
			excluded.repeat(this.here, "a name", 200);
		}
		excluded.repeat(this.elsewhere, "a name", 3);

		excluded.running.forEach(TestThreads.Running::result);
	}

	/**
	 * Several locks, each on a majority.
	 */
	@Test
	void overlappingLocksExcludeEachOtherAndNobodyWaitsForEver() {
		Excluded excluded = new Excluded();
		for (RedisLockClient client : List.copyOf(this.clients)) {
			excluded.repeat(client.getLock(List.of("a", "b")), "b", 10);
			excluded.repeat(client.getLock(List.of("c", "b")), "b", 10);
		}

		excluded.running.forEach(TestThreads.Running::result);

		assertThat(List.of("a", "b", "c")).allMatch((name) -> this.clients.get(0).directory().find(name).isEmpty());
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
		this.here = this.clients.get(0).getLock("a name", LockOptions.defaults().leaseTime(Duration.ofSeconds(4)));
		assertThat(this.here.tryLock(Duration.ZERO)).isTrue();

		assertThat(this.elsewhere.tryLock(TestThreads.LONG)).isTrue();

		assertThat(this.here.isHeldByCurrentThread()).isFalse();
		this.elsewhere.unlock();
	}

	/** Together: one after another they would take longer than the client waits. */
	@Test
	void clientThatIsClosedReleasesWhatItHas() {
		List<FaultProxy> links = links();
		RedisLockClient client = clientThrough(links, TIMEOUT);
		TestThreads.Running<Void> owner = this.threads
			.run(() -> IntStream.range(0, 1000).forEach((i) -> client.getLock("held-" + i).lock()));
		owner.result();
		await(() -> assertThat(owner.thread().isAlive()).isFalse());
		links.forEach((link) -> link.delay(Duration.ofMillis(50)));

		client.close();

		assertThat(heldByAMajority()).isEmpty();
	}

	@Test
	void clientThatIsClosedWithoutAMajorityDoesNotWaitForItAndSaysWhatIsLeft() {
		RedisLockClient client = clientThrough(links(), Duration.ofMillis(500));
		TestThreads.Running<Void> owner = this.threads.run(() -> client.getLock("a name").lock());
		owner.result();
		await(() -> assertThat(owner.thread().isAlive()).isFalse());
		pause(0, 1, 2);

		long start = System.nanoTime();
		try (LogCapture log = LogCapture.open()) {
			client.close();

			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PATIENCE);
			assertThat(log.messages(Level.WARN))
				.anyMatch((line) -> line.startsWith("1 release(s) were not answered before the client was closed"));
		}
		resume(0, 1, 2);
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
		RedisLockClient client = patientClient();
		for (int i = 0; i < 20; i++) {
			client.getLock("listed-" + i).lock();
		}
		kill(0);
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
		RedisLockClient client = client(WATCHDOG);

		assertThatThrownBy(() -> client.getLock("a name", LockOptions.defaults().fair(true)))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.tryAcquire("a name", LockOptions.defaults().fair(true)))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.getLock(List.of("a", "b"), LockOptions.defaults().fair(true)))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.acquire(List.of("a", "b"), LockOptions.defaults().fair(true)))
			.isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.acquire("a", LockOptions.defaults().maxWaiters(5)))
			.isInstanceOf(UnsupportedOperationException.class)
			.hasMessageContaining("Max waiters");
		for (LockOptions kind : List.of(LockOptions.defaults().shared(), LockOptions.defaults().permits(1, 2))) {
			assertThatThrownBy(() -> client.acquireAsync("a", kind)).isInstanceOf(UnsupportedOperationException.class)
				.hasMessageContaining("quorum");
			assertThatThrownBy(() -> client.acquire("a", kind)).isInstanceOf(UnsupportedOperationException.class);
		}
		assertThatThrownBy(() -> client.readWrite("a")).isInstanceOf(UnsupportedOperationException.class);
		assertThatThrownBy(() -> client.semaphore("a", 2)).isInstanceOf(UnsupportedOperationException.class);
		LockOptions tooLong = LockOptions.defaults().leaseTime(WATCHDOG.plusSeconds(1));
		assertThatIllegalArgumentException().isThrownBy(() -> client.getLock("a name", tooLong))
			.withMessageContaining("restart guard");
		assertThatIllegalArgumentException().isThrownBy(() -> client.tryAcquire("a name", tooLong))
			.withMessageContaining("restart guard");
		assertThatIllegalArgumentException().isThrownBy(() -> client(WATCHDOG.minusSeconds(1)))
			.withMessageContaining("restart guard");
	}

	@Test
	void ownerThatHasALockForTooLongLosesItAndGivesItBackOnAllServers() throws Exception {
		RedisLockClient client = client((builder) -> builder);
		Lease lease = client.acquire("long", LockOptions.defaults().maxHold(Duration.ofMillis(300)));

		await(() -> assertThat(lease.isValid()).isFalse());

		assertThatThrownBy(lease::close).isInstanceOf(LockLostException.class).hasMessageContaining("MAX_HOLD");
		assertThat(client.getLock("long").tryLock(TestThreads.LONG)).isTrue();
		client.getLock("long").unlock();
	}

	/**
	 * Threads that hold a lock one at a time, with growing tokens.
	 */
	private final class Excluded {

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicLong latest = new AtomicLong();

		private final List<TestThreads.Running<Void>> running = new ArrayList<>();

		void repeat(LeaseLock lock, String name, int rounds) {
			this.running.add(QuorumLockTests.this.threads.run(() -> {
				for (int round = 0; round < rounds; round++) {
					lock.lock();
					assertThat(this.inside.incrementAndGet()).isOne();
					long token = lock.lease().token(name);
					assertThat(this.latest.getAndSet(token)).isLessThan(token);
					this.inside.decrementAndGet();
					lock.unlock();
				}
			}));
		}

	}

}
