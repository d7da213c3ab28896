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

package io.holdfast.lock.local;

import java.time.Duration;
import java.util.List;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What exceptions say of a lock that was not acquired, or not held.
 */
class CallErrorsTests {

	private static final Duration SHORT = Duration.ofMillis(30);

	private static final String TIMES = ", for \\d+m?s\\..*";

	private final TestThreads threads = new TestThreads();

	private final LocalLocks locks = new LocalLocks();

	private final LocalLockClient client = client();

	private final String me = Thread.currentThread().getName();

	@AfterEach
	void close() {
		this.threads.close();
		this.client.close();
	}

	@Test
	void timeOutNamesTheThreadOfThisClientThatHoldsTheLock() {
		LeaseLock lock = this.client.getLock("order", LockOptions.defaults().fair(true).waitTime(SHORT));
		lock.lock();

		Throwable thrown = this.threads.run(lock::acquire).failure();

		assertThat(thrown).isInstanceOf(LockNotAcquiredException.class)
			.hasMessageStartingWith(
					"Lock 'order' (EXCLUSIVE, fair) is held by another and did not become free within 30ms. "
							+ "It is held by thread '" + this.me + "' of this client, " + this.client.id() + ", for ")
			.hasMessageMatching(".*" + TIMES)
			.hasMessageEndingWith("Look at what the holder does, or wait for longer");
		lock.unlock();
	}

	@Test
	void timeOutOfAThreadThatWaitsForItsOwnLeaseSaysSo() throws Exception {
		try (Lease held = this.client.acquire("order", LockOptions.defaults())) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.client.acquire(held.name(), LockOptions.defaults().waitTime(SHORT)))
				.withMessageContaining("It is held by a lease of thread '" + this.me + "' of this client")
				.withMessageEndingWith("a lease is not reentrant: give it back first, or pass it on");

			Throwable thrown = this.threads
				.run(() -> this.client.execute("order", LockOptions.defaults().waitTime(SHORT),
						(lease) -> "the task ran"))
				.failure();
			assertThat(thrown).isInstanceOf(LockNotAcquiredException.class)
				.hasMessageContaining("It is held by a lease of thread '" + this.me + "' of this client")
				.hasMessageEndingWith("Look at what the holder does, or wait for longer");
		}
	}

	@Test
	void timeOutOfALeaseThatItsThreadHoldsAlreadySaysSo() {
		LeaseLock lock = this.client.getLock("order");
		lock.lock();

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.client.acquire("order", LockOptions.defaults().waitTime(SHORT)))
			.withMessageContaining("It is held by thread '" + this.me + "' of this client")
			.withMessageEndingWith("a lease is not reentrant: give it back first, or pass it on");
		lock.unlock();
	}

	@Test
	void timeOutSaysWhereToFindTheHolderThatIsAnotherClient() throws Exception {
		try (LocalLockClient other = client(); Lease held = other.acquire("order", LockOptions.defaults())) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.client.acquire(held.name(), LockOptions.defaults().waitTime(Duration.ZERO)))
				.withMessageContaining("and the call does not wait. No thread of this client holds it: "
						+ "GET /actuator/locks/{name}, or LockDirectory.find, shows");
		}
	}

	@Test
	void timeOutOfSeveralLocksNamesTheOneThatIsHeld() throws Exception {
		try (Lease held = this.client.acquire("b", LockOptions.defaults())) {
			LockOptions options = LockOptions.defaults().waitTime(SHORT);

			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.client.acquire(List.of("c", held.name(), "a"), options))
				.withMessageStartingWith("Lock 'b' (EXCLUSIVE) is held by another")
				.withMessageContaining("It is held by a lease of thread '" + this.me + "'");
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.client.getLock(List.of("c", "b"), options).acquire())
				.withMessageStartingWith("Lock 'b' (EXCLUSIVE) is held by another");
		}
	}

	@Test
	void unlockOfAnotherThreadNamesTheOneThatHoldsTheLock() {
		LeaseLock lock = this.client.getLock("order");
		lock.lock();

		Throwable thrown = this.threads.run(lock::unlock).failure();

		assertThat(thrown).isInstanceOf(IllegalMonitorStateException.class)
			.hasMessageStartingWith("Lock 'order' (EXCLUSIVE) is not held by thread '")
			.hasMessageContaining(
					"' of client " + this.client.id() + ". It is held by thread '" + this.me + "' of this client")
			.hasMessageMatching(".*" + TIMES);
		lock.unlock();
	}

	@Test
	void unlockOnceTooOftenSaysThatNobodyHoldsTheLock() {
		LeaseLock lock = this.client.getLock("order");
		lock.lock();
		lock.unlock();

		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock)
			.withMessageContaining("No other thread of this client holds it, either. Unlock once for each time");
	}

	private LocalLockClient client() {
		return LocalLockClient.builder().locks(this.locks).build();
	}

}
