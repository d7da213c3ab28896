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
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Several locks at once, for a handle and for a thread: all of them or none.
 */
@Tag("topology")
class SeveralLocksTests extends LockContract {

	private static final int ROUNDS = 12;

	private static final Duration LEASE = Duration.ofSeconds(60);

	/**
	 * Each guarded by the lock of its name, and by nothing else.
	 */
	private final Map<String, int[]> counters = new HashMap<>();

	@Test
	void handleHasAllLocksWithATokenForEach() throws Exception {
		Lease lease = this.here.acquire(List.of(named("b"), named("a"), named("b")), options());

		assertThat(lease.names()).containsExactly(named("a"), named("b"));
		assertThat(lease.name()).isEqualTo(named("a") + ", " + named("b"));
		assertThat(lease.isValid()).isTrue();
		assertThat(lease.validFor()).isPositive();
		assertThat(lease.token(named("a"))).isEqualTo(tokenInRedis("a"));
		assertThat(lease.token(named("b"))).isEqualTo(tokenInRedis("b"));
		assertThatIllegalStateException().isThrownBy(lease::token).withMessageContaining("use token(name)");
		assertThatIllegalArgumentException().isThrownBy(() -> lease.token("c"));

		lease.close();

		assertThat(lease.isValid()).isFalse();
		assertNothingIsHeld("a", "b");
	}

	@Test
	void handleOfOneLockHasItsToken() throws Exception {
		try (Lease lease = this.here.acquire(List.of(named("a")), options())) {
			assertThat(lease.token()).isEqualTo(lease.token(named("a"))).isEqualTo(tokenInRedis("a"));
		}
	}

	@Test
	void threadHasAllLocksAndEntersEachOfThemAgain() throws Exception {
		LeaseLock both = this.here.getLock(List.of(named("b"), named("a")), options());
		LeaseLock first = this.here.getLock(named("a"), options());

		both.lock();
		both.lockInterruptibly();
		assertThat(first.tryLock()).isTrue();

		assertThat(both.names()).containsExactly(named("a"), named("b"));
		assertThat(both.isHeldByCurrentThread()).isTrue();
		assertThat(both.holdCount()).isEqualTo(2);
		assertThat(first.holdCount()).isEqualTo(3);
		assertThat(both.lease().token(named("a"))).isEqualTo(first.token());
		assertThatIllegalStateException().isThrownBy(both::token).withMessageContaining("lease().token(name)");
		assertThat(this.threads.start(both::tryLock).result()).isFalse();

		both.unlock();
		both.unlock();
		assertThat(both.isHeldByCurrentThread()).isFalse();
		assertThat(first.isHeldByCurrentThread()).isTrue();
		first.unlock();
		assertNothingIsHeld("a", "b");
	}

	@Test
	void threadThatHoldsOneOfTheLocksEntersIt() throws Exception {
		LeaseLock second = this.here.getLock(named("b"), options());
		second.lock();
		LeaseLock both = this.here.getLock(List.of(named("a"), named("b")),
				options().waitTime(Duration.ZERO).leaseTime(LEASE));

		both.acquire();

		assertThat(second.holdCount()).isEqualTo(2);
		both.unlock();
		assertThat(second.holdCount()).isEqualTo(1);
		assertThat(this.elsewhere.getLock(named("a")).tryLock()).isTrue();
	}

	@Test
	void nothingIsHeldIfAnotherHoldsOne() throws Exception {
		this.elsewhere.acquire(named("b"), options());
		List<String> names = List.of(named("c"), named("a"), named("b"));
		LeaseLock all = this.here.getLock(names, options());

		assertThat(this.here.tryAcquire(names, options().waitTime(Duration.ZERO))).isEmpty();
		assertThat(this.here.tryAcquire(names, options().waitTime(SOON))).isEmpty();
		assertThat(all.tryLock()).isFalse();
		assertThat(all.tryLock(SOON)).isFalse();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquire(names, options().waitTime(SOON)))
			.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo(named("b")))
			.satisfies((ex) -> assertThat(ex.waitTime()).isEqualTo(SOON));
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(this.here.getLock(names, options().waitTime(SOON).leaseTime(LEASE))::acquire)
			.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo(named("b")));

		assertNothingIsHeld("a", "c");
	}

	@Test
	void threadHoldsNothingMoreIfAnotherHoldsOne() {
		LeaseLock first = this.here.getLock(named("a"), options());
		first.lock();
		this.elsewhere.getLock(named("b"), options()).lock();

		assertThat(this.here.getLock(List.of(named("a"), named("b")), options()).tryLock()).isFalse();

		assertThat(first.holdCount()).isEqualTo(1);
	}

	@Test
	void locksAreAcquiredInTheOrderOfTheirNames() throws Exception {
		Lease held = this.elsewhere.acquire(named("b"), options());

		TestThreads.Running<Lease> waiting = this.threads
			.start(() -> this.here.acquire(List.of(named("c"), named("b"), named("a")), options().waitTime(LONG)))
			.awaitParked();

		eventually().until(() -> isHeld("a"));
		assertThat(isHeld("c")).isFalse();
		held.close();
		assertThat(waiting.result().isValid()).isTrue();
	}

	@Test
	void interruptedWaitLeavesNothingBehind() throws Exception {
		this.elsewhere.acquire(named("b"), options());
		List<String> names = List.of(named("a"), named("b"));
		List<TestThreads.Running<?>> waiting = List.of(
				this.threads.start(() -> this.here.acquire(names, options().waitTime(LONG))),
				this.threads.run(() -> this.here.getLock(names, options()).lockInterruptibly()));
		eventually().until(() -> isHeld("a"));

		waiting.forEach(TestThreads.Running::interrupt);

		assertThat(waiting).extracting(TestThreads.Running::failure).hasOnlyElementsOfType(InterruptedException.class);
		assertNothingIsHeld("a");
	}

	@Test
	void interruptedThreadAcquiresNothing() {
		assertThat(this.threads.start(() -> {
			Thread.currentThread().interrupt();
			return this.here.acquire(List.of(named("a"), named("b")), options());
		}).failure()).isInstanceOf(InterruptedException.class);

		assertNothingIsHeld("a", "b");
	}

	@Test
	void namesThatAreNoneAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.acquire(List.of(), options()))
			.withMessage("There must be at least one lock name");
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.tryAcquire(List.of(), options()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.getLock(List.of(), options()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.here.acquire(List.of("a", " "), options()));
		assertThatNullPointerException()
			.isThrownBy(() -> this.here.getLock(Collections.singletonList(null), options()));
		assertThat(keys()).isEmpty();
	}

	@Test
	void unlockOfAThreadThatLacksOneChangesNothing() {
		LeaseLock both = this.here.getLock(List.of(named("a"), named("b")), options());
		LeaseLock second = this.here.getLock(named("b"), options());
		both.lock();
		this.here.getLock(named("a")).unlock();

		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(both::unlock)
			.withMessageContaining(named("a"));

		assertThat(second.holdCount()).isOne();
		assertThat(isHeld("b")).isTrue();
		second.unlock();
		assertNothingIsHeld("a", "b");
	}

	@Test
	void unlockGivesBackWhatIsLeftIfOneWasLostAndAcquiredAnew() throws Exception {
		LockClient client = patientClient();
		LeaseLock both = client.getLock(List.of(named("a"), named("b")), options().leaseTime(LEASE));
		LeaseLock first = client.getLock(named("a"), options());
		LeaseLock second = client.getLock(named("b"), options());
		both.lock();
		second.lock();
		this.setForward.addAndGet(LEASE.multipliedBy(2).toNanos());
		assertThat(first.isHeldByCurrentThread()).isFalse();
		first.lock();
		first.unlock();
		second.unlock();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(both::unlock)
			.satisfies((ex) -> assertThat(ex.loss().name()).isEqualTo(named("a")));

		assertNothingIsHeld("a", "b");
	}

	@Test
	void lossOfOneLockIsTheLossOfTheLease() throws Exception {
		Queue<String> told = new ConcurrentLinkedQueue<>();
		Lease lease = this.here.acquire(List.of(named("a"), named("b"), named("c")), options());
		lease.onLost((loss) -> told.add(loss.name()));

		this.elsewhere.getLock(named("b")).forceUnlock();

		eventually().until(() -> !told.isEmpty());
		assertThat(lease.isValid()).isFalse();
		assertThat(lease.validFor()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::throwIfLost);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close)
			.satisfies((ex) -> assertThat(ex.loss().name()).isEqualTo(named("b")));
		assertThat(told).containsExactly(named("b"));
		assertNothingIsHeld("a", "b", "c");
	}

	@Test
	void lossOfOneLockIsToldToItsThread() {
		LeaseLock both = this.here.getLock(List.of(named("a"), named("b")), options());
		both.lock();

		this.elsewhere.getLock(named("b")).forceUnlock();

		eventually().pollInSameThread().until(() -> !both.isHeldByCurrentThread());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(both::tryLock);
		assertThat(this.here.getLock(named("a")).holdCount()).isEqualTo(1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(both::unlock);
		assertNothingIsHeld("a", "b");
	}

	@Test
	void leaseThatIsOverBeforeTheLastLockIsHadIsNoSuccess() throws Exception {
		Lease held = this.elsewhere.acquire(named("b"), options());
		List<String> names = List.of(named("a"), named("b"));
		TestThreads.Running<?> waiting = this.threads.start(() -> this.here.acquire(names,
				options().waitTime(Duration.ofHours(1)).leaseTime(Duration.ofSeconds(3))));
		eventually().until(() -> ClientState.stands(this.here, named("b")));
		eventually().until(() -> !isHeld("a"));

		held.close();

		assertThat(waiting.failure()).isInstanceOfSatisfying(LockLostException.class,
				(ex) -> assertThat(ex.loss().cause()).isEqualTo(LockLoss.Cause.EXPIRED));
		eventually().until(() -> !isHeld("a"));
		assertNothingIsHeld("a", "b");
	}

	/**
	 * Handles and threads count under random locks, which each names in an order of its
	 * own. In a cluster some of them share a slot.
	 */
	@Test
	void ownersOfOverlappingLocksDoNotWaitForEachOther() {
		List<String> all = List.of("a", "b", "{c}1", "{c}2", "{c}3").stream().map(this::named).toList();
		all.forEach((name) -> this.counters.put(name, new int[1]));
		List<TestThreads.Running<Integer>> running = new ArrayList<>();
		for (LockClient client : List.of(this.here, this.here, this.elsewhere, this.elsewhere, client())) {
			int seed = running.size();
			running.add(this.threads.start(() -> count(client, all, new Random(seed))));
		}

		int counted = running.stream().mapToInt(TestThreads.Running::result).sum();

		assertThat(this.counters.values().stream().mapToInt((counter) -> counter[0]).sum()).isEqualTo(counted);
		assertNothingIsHeld("a", "b", "{c}1", "{c}2", "{c}3");
	}

	private int count(LockClient client, List<String> all, Random random) throws Exception {
		int counted = 0;
		for (int i = 0; i < ROUNDS; i++) {
			List<String> names = new ArrayList<>(all);
			Collections.shuffle(names, random);
			names = names.subList(0, 1 + random.nextInt(all.size()));
			Lease lease = null;
			LeaseLock lock = client.getLock(names, options().waitTime(LONG).leaseTime(LEASE));
			if (random.nextBoolean()) {
				lease = client.acquire(names, options().waitTime(LONG));
			}
			else {
				lock.acquire();
			}
			for (String name : names) {
				int[] counter = this.counters.get(name);
				int before = counter[0];
				Thread.onSpinWait();
				counter[0] = before + 1;
				counted++;
			}
			if (lease != null) {
				lease.close();
			}
			else {
				lock.unlock();
			}
		}
		return counted;
	}

	/**
	 * One whose clock is set forward, and whose holds last longer than that unless they
	 * have a lease.
	 */
	private LockClient patientClient() {
		return client((builder) -> builder.watchdogTimeout(Duration.ofMinutes(10))
			.nanoTime(() -> System.nanoTime() + this.setForward.get()));
	}

	private String named(String suffix) {
		return this.name + suffix;
	}

	private long tokenInRedis(String suffix) {
		return this.elsewhere.directory().find(named(suffix)).orElseThrow().token();
	}

	private boolean isHeld(String suffix) {
		return this.elsewhere.directory().find(named(suffix)).isPresent();
	}

	private void assertNothingIsHeld(String... suffixes) {
		for (String suffix : suffixes) {
			assertThat(isHeld(suffix)).as(suffix).isFalse();
			assertThat(this.elsewhere.directory().queue(named(suffix), 10)).as(suffix).isEmpty();
			// A reply is told to the caller before its state is forgotten.
			eventually().until(() -> !stateOf(this.here).contains(named(suffix)));
		}
	}

}
