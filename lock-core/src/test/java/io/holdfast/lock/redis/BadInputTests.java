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
import java.util.Map;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * What makes no sense is refused, and changes nothing.
 */
class BadInputTests extends LockContract {

	@Test
	void leasesAtTheBoundsAreTaken() {
		// Time stands still, so no lease is over before its owner has it.
		long now = standingNanos();
		LockClient client = client((builder) -> builder.nanoTime(() -> now));
		for (Duration lease : List.of(LockOptions.MIN_LEASE, LockOptions.MAX_LEASE, LockOptions.WATCHDOG,
				Duration.ofMillis(-1))) {
			LeaseLock lock = client.getLock(this.name + lease, options().leaseTime(lease));
			lock.lock();
			assertThat(lock.token()).isPositive();
		}
	}

	@Test
	void badWaitOfNestedCallLeavesTheHoldAlone() {
		lock().lock();

		assertThatIllegalArgumentException().isThrownBy(() -> lock().tryLock(Duration.ofMillis(-1)));

		assertThat(lock().holdCount()).isEqualTo(1);
	}

	@Test
	void nullIsRefused() throws Exception {
		assertRefused("Lease time", () -> options().leaseTime(null));
		assertRefused("Wait time", () -> options().waitTime(null));
		assertRefused("Wait time", () -> lock().tryLock(null));
		assertRefused("Time unit", () -> lock().tryLock(0, null));
		assertRefused("Lock options", () -> this.here.getLock(this.name, null));
		assertRefused("Lock options", () -> this.here.acquire(this.name, null));
		assertRefused("Lock options", () -> this.here.tryAcquire(this.name, null));
		assertRefused("Lock options", () -> this.here.execute(this.name, null, (lease) -> "the task ran"));
		assertRefused("Task", () -> this.here.execute(this.name, options(), null));
		assertRefused("Action", () -> this.here.executeWithoutResult(this.name, options(), null));
		assertThat(keys()).isEmpty();
		try (Lease lease = this.here.acquire(this.name, options())) {
			assertRefused("Action", () -> lease.onLost(null));
			assertRefused("Task", () -> Leases.call(lease, null));
			assertRefused("Lease", () -> Leases.call(null, (same) -> "the task ran"));
			assertRefused("Lock name", () -> Leases.current(null));
			assertThat(lease.isValid()).isTrue();
		}
		awaitForgotten(this.here);
	}

	private static void assertRefused(String parameter, TestThreads.Action action) {
		assertThatNullPointerException().isThrownBy(action::run).withMessage(parameter + " must not be null");
	}

	@Test
	void keyOfAnotherTypeIsNamedAndLeftAlone() {
		redis().opsForList().rightPush(key(), "item");

		for (TestThreads.Action action : List.<TestThreads.Action>of(() -> lock().lock(), () -> lock().tryLock(),
				() -> lock().tryLock(LONG), () -> lock().acquire(), () -> this.here.acquire(this.name, options()),
				() -> lock().forceUnlock(), () -> lock().isLocked(), () -> this.here.directory().find(this.name),
				() -> this.here.directory().forceUnlock(this.name))) {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(action::run)
				.withMessageContaining(key())
				// "list", where the Redis user may ask for the type
				.withMessageContaining("is not a lock but a ")
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED))
				.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo(this.name));
		}
		assertThat(redis().opsForList().range(key(), 0, -1)).containsExactly("item");
		assertThat(redis().getExpire(key())).isEqualTo(-1);
		awaitForgotten(this.here);
	}

	@Test
	void newerLayoutAndDamagedDataAreNamedAndLeftAlone() {
		for (Map<String, String> fields : List.of(Map.of("hold", "4:a", "until", "4:99999999999999"),
				Map.of("hold", "3:a", "until", "3:99999999999999", "token", "text"))) {
			redis().delete(key());
			redis().opsForHash().putAll(key(), fields);
			String said = fields.containsKey("token") ? "the data of the lock are damaged"
					: "written in layout 4, and this client knows layout 3; bring all applications to one version";

			for (TestThreads.Action action : List.<TestThreads.Action>of(() -> lock().lock(), () -> lock().tryLock(),
					() -> lock().tryLock(LONG), () -> lock().acquire(), () -> this.here.acquire(this.name, options()),
					() -> lock().forceUnlock(), () -> lock().isLocked())) {
				assertThatExceptionOfType(LockServerException.class).isThrownBy(action::run)
					.withMessageContaining(said)
					.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
			}
			assertThat(redis().opsForHash().entries(key())).isEqualTo(fields);
		}
		awaitForgotten(this.here);
	}

	@Test
	void messageOfAnotherLayoutIsIgnored() {
		lock().lock();
		String id = ((String) redis().opsForHash().get(key(), "hold")).replace(" +", "");

		redis().convertAndSend(this.prefix + "client:" + this.here.id(), "4 forced " + id + " " + key());
		redis().convertAndSend(this.prefix + "client:" + this.here.id(), "forced " + id + " " + key());
		// The message to the other client comes after these.
		this.threads.run(() -> {
			LeaseLock waiting = lock(this.elsewhere);
			assertThat(waiting.tryLock(SOON)).isFalse();
		}).result();

		assertThat(lock().isHeldByCurrentThread()).isTrue();
		lock().unlock();
	}

	@Test
	void keyThatBecameAnotherTypeIsLossForWhoeverUnlocksFirst() {
		lock(Duration.ofMinutes(1)).lock();
		long token = lock().token();
		redis().delete(key());
		redis().opsForValue().set(key(), "text");

		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock().unlock())
			.satisfies((ex) -> assertThat(ex.loss()).extracting(LockLoss::token, LockLoss::cause)
				.containsExactly(token, Cause.GONE));
		assertThat(redis().opsForValue().get(key())).isEqualTo("text");
		awaitForgotten(this.here);
	}

	@Test
	void keyThatBecameAnotherTypeIsLossAndDoesNotStopOtherRenewals() {
		LockClient client = clientWithClock();
		LeaseLock broken = client.getLock(this.name + "-broken", options());
		broken.lock();
		lock(client).lock();
		redis().delete(key(this.name + "-broken"));
		redis().opsForValue().set(key(this.name + "-broken"), "text");

		assertRenewedPastItsTimeout(lock(client)::validFor);

		assertThat(lock(client).isHeldByCurrentThread()).isTrue();
		assertThat(broken.isHeldByCurrentThread()).isFalse();
		assertThat(redis().opsForValue().get(key(this.name + "-broken"))).isEqualTo("text");
	}

}
