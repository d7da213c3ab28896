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

package io.holdfast.lock.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.test.TestLocks.Acquisition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** What a test can do with locks, without Spring. */
class TestLocksTests {

	private static final LockOptions PATIENT = LockOptions.defaults().waitTime(Duration.ofDays(1));

	private final TestLocks locks = TestLocks.create();

	private final LockClient client = this.locks.client();

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void anotherKeepsTheLockUntilItClosesTheLease() throws Exception {
		Lease lease = this.locks.holdAsAnother("order");
		CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> execute(this.client, "order", PATIENT));
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.locks.isAwaited("order"));

		lease.close();

		assertThat(waiting.get()).isEqualTo("done");
		assertThat(this.locks.isAwaited("order")).isFalse();
		assertThat(this.locks.acquiredNames()).containsExactly("order");
	}

	@Test
	void whatAnotherHoldsIsGivenBackAtTheEndAndNotLost() {
		List<LockLoss> lost = new CopyOnWriteArrayList<>();
		Lease held = this.locks.holdAsAnother("order");
		held.onLost(lost::add);

		this.locks.close();

		assertThat(held.isHeld()).isFalse();
		assertThatNoException().isThrownBy(held::throwIfLost);
		assertThat(lost).isEmpty();
	}

	@Test
	void anotherGetsNoLockThatIsHeld() throws Exception {
		this.client.acquire("order", PATIENT);
		this.locks.holdAsAnother("invoice");

		assertThatIllegalStateException().isThrownBy(() -> this.locks.holdAsAnother("order"))
			.withMessageContaining("'order' is held already, by the code under test");
		assertThatIllegalStateException().isThrownBy(() -> this.locks.holdAsAnother("invoice"))
			.withMessageContaining("'invoice' is held already, by the other one");
	}

	@Test
	void anotherHoldsPermitsBesideTheCodeUnderTest() throws Exception {
		LockOptions permit = LockOptions.defaults().permits(1, 5).waitTime(Duration.ZERO);
		this.locks.holdAsAnother("mail", LockOptions.defaults().permits(4, 5));

		Lease last = this.client.acquire("mail", permit);

		assertThat(this.locks.isHeld("mail")).isTrue();
		assertThat(this.client.tryAcquire("mail", permit)).isEmpty();
		assertThatIllegalStateException()
			.isThrownBy(() -> this.locks.holdAsAnother("mail", LockOptions.defaults().shared()));
		last.close();
		assertThat(this.locks.isHeld("mail")).isFalse();
	}

	@Test
	void waitsTimeOutAtOnceIfToldSo() throws Exception {
		this.locks.holdAsAnother("order");
		this.locks.timeOutWaits();

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.client.acquire("order", PATIENT))
			.withMessageContaining("1d");
		assertThat(this.client.getLock("order", LockOptions.defaults().fair(true)).tryLock(Duration.ofDays(1)))
			.isFalse();
		assertThat(this.client.tryAcquire("free", PATIENT)).isPresent();
	}

	@Test
	void lockIsLostOnCommand() {
		LeaseLock lock = this.client.getLock("order");

		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> {
			lock.lock();
			this.locks.lose("order");
			assertThat(lock.isHeldByCurrentThread()).isFalse();
			this.locks.holdAsAnother("order");
			lock.unlock();
		});
	}

	@Test
	void onlyWhatTheCodeUnderTestHoldsCanBeLost() {
		this.locks.holdAsAnother("order");

		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose("order"));
		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose("nobody"))
			.withMessageContaining("'nobody' is not held by the code under test");
	}

	@Test
	void acquisitionsAreNotedInOrder() throws Exception {
		LeaseLock fair = this.client.getLock("fair", LockOptions.defaults().fair(true));
		fair.lock();
		execute(this.client, "order", PATIENT);
		fair.lock();
		execute(this.client, "order", PATIENT);

		assertThat(this.locks.acquiredNames()).containsExactly("fair", "order", "order");
		assertThat(this.locks.acquired()).startsWith(new Acquisition("fair", true, LockMode.EXCLUSIVE),
				new Acquisition("order", false, LockMode.EXCLUSIVE));
		assertThat(this.locks.isHeld("fair")).isTrue();
		assertThat(this.locks.isHeld("order")).isFalse();
	}

	@Test
	void whatAnotherHoldsIsNotAcquiredNorHeldByTheCodeUnderTest() {
		this.locks.holdAsAnother("order");

		assertThat(this.locks.acquired()).isEmpty();
		assertThat(this.locks.isHeld("order")).isFalse();
	}

	@Test
	void resetFreesWhatTheTestLeft() throws Exception {
		this.client.acquire("lease", PATIENT);
		this.client.acquireAsync("lease of asynchronous code", PATIENT).toCompletableFuture().join();
		this.client.getLock("own thread").lock();
		this.client.readWrite("reader").readLock().lock();
		this.client.getLock(List.of("permit"), LockOptions.defaults().permits(1, 5)).lock();
		CompletableFuture.runAsync(() -> this.client.getLock("other thread").lock()).get();
		this.locks.holdAsAnother("another");
		this.locks.timeOutWaits();

		this.locks.reset();

		assertThat(this.locks.acquired()).isEmpty();
		assertThat(Stream.of("lease", "lease of asynchronous code", "own thread", "reader", "permit", "other thread",
				"another"))
			.allSatisfy((name) -> {
				assertThat(this.locks.isHeld(name)).isFalse();
				assertThat(this.client.getLock(name).tryLock()).isTrue();
			});
	}

	@Test
	void threadThatLostLockAcquiresItAgainAfterReset() {
		LeaseLock lock = this.client.getLock("order");
		lock.lock();
		lock.lock();
		this.locks.lose("order");

		this.locks.reset();

		assertThat(lock.tryLock()).isTrue();
	}

	@Test
	void resetLetsWaitsGoOnAsUsual() throws Exception {
		this.locks.timeOutWaits();
		this.locks.reset();
		Lease lease = this.locks.holdAsAnother("order");
		CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> execute(this.client, "order", PATIENT));
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.locks.isAwaited("order") || waiting.isDone());

		lease.close();

		assertThat(waiting.get()).isEqualTo("done");
	}

	@Test
	void callerThatStillWaitedBlocksNoLaterTest() {
		this.locks.holdAsAnother("order");
		CompletableFuture<Lease> waiting = this.client.acquireAsync("order", PATIENT).toCompletableFuture();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.locks.isAwaited("order"));

		this.locks.reset();

		assertThat(this.locks.holdAsAnother("order").isHeld()).isTrue();
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).matches((lease) -> !lease.isHeld());
	}

	@Test
	void locksOfOtherObjectsAreOtherLocks() throws Exception {
		this.locks.holdAsAnother("order");

		try (TestLocks others = TestLocks.create(LocalLockClient.builder().waitTime(Duration.ZERO))) {
			assertThat(others.client().tryAcquire("order", LockOptions.defaults())).isPresent();
			assertThat(others.client().tryAcquire("order", LockOptions.defaults())).isEmpty();
		}
		assertThat(this.locks.acquired()).isEmpty();
	}

	@Test
	void acquisitionSaysHowTheLockIsHeld() {
		this.client.readWrite("price").readLock().lock();
		this.client.getLock(List.of("mail"), LockOptions.defaults().permits(2, 5)).lock();

		assertThat(this.locks.acquired()).extracting(Acquisition::mode)
			.containsExactly(LockMode.SHARED, LockMode.permits(2, 5));
	}

	@Test
	void asynchronousCodeWaitsForAnother() {
		Lease other = this.locks.holdAsAnother("order");
		CompletableFuture<Lease> waiting = this.client.acquireAsync("order", PATIENT).toCompletableFuture();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.locks.isAwaited("order"));

		other.close();

		assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).matches(Lease::isValid);
		assertThat(this.locks.acquiredNames()).containsExactly("order");
		assertThat(this.locks.isHeld("order")).isTrue();
	}

	@Test
	void asynchronousWaitTimesOutAtOnceIfToldSo() {
		this.locks.holdAsAnother("order");
		this.locks.timeOutWaits();

		assertThat(this.client.acquireAsync("order", PATIENT)).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

	@Test
	void leaseOfAsynchronousCodeIsLostOnCommand() {
		Lease lease = this.client.acquireAsync("order", PATIENT).toCompletableFuture().join();

		this.locks.lose("order");

		assertThat(lease.isValid()).isFalse();
		assertThat(lease.closeAsync()).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
		this.locks.holdAsAnother("order");
	}

	private static String execute(LockClient client, String name, LockOptions options) {
		try {
			return client.execute(name, options, (lease) -> "done");
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
