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
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Each form of acquiring waits as long as it says, and a wait that ended leaves nothing.
 */
@Tag("topology")
class LockWaitTests extends LockContract {

	private static final List<Duration> LEASES = List.of(LockOptions.WATCHDOG, Duration.ofSeconds(60));

	@Test
	void everyFormAcquiresLockThatIsFree() throws Exception {
		List<Form> forms = List.of(asForm(LeaseLock::lock), asForm(LeaseLock::lockInterruptibly),
				asForm(LeaseLock::acquire), LeaseLock::tryLock, (each) -> each.tryLock(0, TimeUnit.SECONDS),
				(each) -> each.tryLock(Duration.ZERO), (each) -> each.tryLock(Duration.ofSeconds(9)));

		for (Form form : forms) {
			for (Duration lease : LEASES) {
				LeaseLock lock = lock(lease);
				assertThat(form.acquire(lock)).isTrue();
				assertThat(lock.isHeldByCurrentThread()).isTrue();
				lock.unlock();
				assertThat(lock.isHeldByCurrentThread()).isFalse();
			}
		}
	}

	@Test
	void everyFormThatWaitsGetsTheLockWhenItIsReleased() {
		List<Form> forms = List.of(asForm(LeaseLock::lock), asForm(LeaseLock::lockInterruptibly),
				asForm(LeaseLock::acquire), (each) -> each.tryLock(30, TimeUnit.SECONDS), (each) -> each.tryLock(LONG));
		lock().lock();
		List<TestThreads.Running<Boolean>> waiting = new ArrayList<>();
		for (Form form : forms) {
			for (Duration lease : LEASES) {
				LeaseLock lock = this.elsewhere.getLock(this.name, options().waitTime(LONG).leaseTime(lease));
				waiting.add(this.threads.start(() -> {
					boolean acquired = form.acquire(lock);
					lock.unlock();
					return acquired;
				}).awaitParked());
			}
		}

		lock().unlock();

		assertThat(waiting).allMatch(TestThreads.Running::result);
	}

	@Test
	void noWaitLeavesTheQueueEmpty() throws Exception {
		lock().lock();

		lock(this.elsewhere).tryLock();
		lock(this.elsewhere).tryLock(Duration.ZERO);
		lock(this.elsewhere).tryLock(0, TimeUnit.SECONDS);

		assertNobodyIsInTheQueue();
		awaitForgotten(this.elsewhere);
	}

	@Test
	void negativeTimeOfUnitMeansNoWait() throws Exception {
		assertThat(lock().tryLock(-1, TimeUnit.SECONDS)).isTrue();

		assertThat(lock(this.elsewhere).tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isFalse();
	}

	@Test
	void longestTimeOfEveryUnitIsTaken() throws Exception {
		for (TimeUnit unit : TimeUnit.values()) {
			assertThat(lock().tryLock(Long.MAX_VALUE, unit)).isTrue();
		}
		assertThat(lock().tryLock(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
	}

	@Test
	void negativeDurationIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> lock().tryLock(Duration.ofNanos(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> options().waitTime(Duration.ofMillis(-1)));
		assertThat(lock().isHeldByCurrentThread()).isFalse();
		awaitForgotten(this.here);
		assertThat(keys()).isEmpty();
	}

	@Test
	void waitEndsAfterItsTimeAndNotBefore() throws Exception {
		lock().lock();
		long start = System.nanoTime();

		assertThat(lock(this.elsewhere).tryLock(SOON)).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SOON, LONG);

		long next = System.nanoTime();
		assertThat(this.threads.start(() -> lock().tryLock(SOON.toMillis(), TimeUnit.MILLISECONDS)).result()).isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - next)).isBetween(SOON, LONG);
	}

	@Test
	void waitThatEndedLeavesNothingBehind() throws Exception {
		lock().lock();

		lock(this.elsewhere).tryLock(SOON);

		// Until it hears messages a client asks often: such a question may be on its way.
		eventually().untilAsserted(this::assertNobodyIsInTheQueue);
		awaitForgotten(this.elsewhere);
	}

	@Test
	void shortestWaitGetsLockThatIsFree() throws Exception {
		for (int i = 0; i < 200; i++) {
			assertThat(lock().tryLock(1, TimeUnit.NANOSECONDS)).as("attempt %d", i).isTrue();
			lock().unlock();
		}
	}

	@Test
	void acquireFailsWhenTheWaitEnded() {
		lock().lock();
		LockOptions soon = options().waitTime(SOON);

		for (ThrowingCallable form : List.<ThrowingCallable>of(() -> this.elsewhere.acquire(this.name, soon),
				this.elsewhere.getLock(this.name, soon)::acquire)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(form)
				.satisfies((ex) -> assertThat(ex.waitTime()).isEqualTo(SOON))
				.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo(this.name));
		}
	}

	@Test
	void waitTimeOfTheClientIsTakenWhenNoneIsGiven() {
		lock().lock();
		LockClient impatient = client((builder) -> builder.waitTime(SOON));

		for (ThrowingCallable form : List.<ThrowingCallable>of(() -> impatient.acquire(this.name, options()),
				lock(impatient)::acquire)) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(form)
				.satisfies((ex) -> assertThat(ex.waitTime()).isEqualTo(SOON));
		}
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> lock().newCondition());
	}

	private static Form asForm(Plain plain) {
		return (lock) -> {
			plain.acquire(lock);
			return true;
		};
	}

	private interface Form {

		boolean acquire(LeaseLock lock) throws Exception;

	}

	private interface Plain {

		void acquire(LeaseLock lock) throws Exception;

	}

}
