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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

/**
 * What is special about local clients; what they have in common with others is in the
 * contract.
 */
class LocalLockClientTests {

	private final TestThreads threads = new TestThreads();

	private final LocalLocks locks = new LocalLocks();

	private volatile boolean cut;

	private final LocalLockClient client = LocalLockClient.builder()
		.locks(this.locks)
		.application("shop")
		.waits((wait) -> this.cut ? Duration.ZERO : wait)
		.build();

	@AfterEach
	void close() {
		this.threads.close();
		this.client.close();
	}

	@Test
	void clientsOfTheSameLocksExcludeEachOther() throws Exception {
		this.client.acquire("order", LockOptions.defaults());

		try (LocalLockClient other = LocalLockClient.builder().locks(this.locks).build()) {
			assertThat(other.getLock("order").tryLock()).isFalse();
			assertThat(other.directory().find("order")).get()
				.extracting(HeldLock::client, HeldLock::application, HeldLock::own)
				.containsExactly(this.client.id(), "shop", false);
		}
	}

	@Test
	void clientsOfOtherLocksDoNot() throws Exception {
		this.client.acquire("order", LockOptions.defaults());

		LocalLockClientBuilder builder = LocalLockClient.builder();
		try (LocalLockClient one = builder.build(); LocalLockClient two = builder.build()) {
			assertThat(one.getLock("order").tryLock()).isTrue();
			assertThat(two.getLock("order").tryLock()).isTrue();
			assertThat(two.directory().list(null, 10).locks()).singleElement()
				.extracting(HeldLock::client)
				.isEqualTo(two.id());
		}
	}

	@Test
	void closingLeavesALockToItsOwner() throws Exception {
		Lease lease = this.client.acquire("order", LockOptions.defaults());
		this.client.close();

		try (LocalLockClient other = LocalLockClient.builder().locks(this.locks).build()) {
			assertThat(other.getLock("order").tryLock()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
			assertThat(other.getLock("order").tryLock()).isTrue();
		}
	}

	@Test
	void directoryAndTokensTellTheTimeOfDay() {
		LeaseLock lock = this.client.getLock("order");
		lock.lock();

		HeldLock held = this.client.directory().find("order").orElseThrow();

		assertThat(held.since()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
		assertThat(lock.token()).isPositive().isEqualTo(held.token());
	}

	@Test
	void tokensOfLaterLocksAreLarger() {
		this.client.getLock("order").lock();

		try (LocalLockClient later = LocalLockClient.builder().build()) {
			later.getLock("order").lock();
			assertThat(later.getLock("order").token()).isGreaterThan(this.client.getLock("order").token());
		}
	}

	@Test
	void settingsAreChecked() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LocalLockClient.builder().watchdogTimeout(Duration.ofMillis(99)).build());
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LocalLockClient.builder().waiterTimeout(Duration.ofMinutes(6)).build());
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LocalLockClient.builder().waitTime(Duration.ofMillis(-1)).build());
		assertThatIllegalArgumentException()
			.isThrownBy(() -> LocalLockClient.builder().leaseTime(Duration.ZERO).build());
	}

	@Test
	void waitsAreCutShort() throws Exception {
		this.client.acquire("cut", LockOptions.defaults());
		this.cut = true;

		assertThat(this.client.getLock("cut").tryLock(Duration.ofDays(1))).isFalse();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.client.acquire("cut", LockOptions.defaults().waitTime(Duration.ofDays(1))))
			.withMessageContaining("1d");
	}

	@Test
	void waitsWithoutEndAreNotCutShort() {
		this.cut = true;
		assertWaitsWithoutEnd(this.client.getLock("cut"));
		assertWaitsWithoutEnd(this.client.getLock(List.of("cut", "free")));
	}

	private void assertWaitsWithoutEnd(LeaseLock lock) {
		lock.lock();
		TestThreads.Running<Boolean> waiting = this.threads.start(() -> {
			lock.lock();
			boolean held = lock.isHeldByCurrentThread();
			lock.unlock();
			return held;
		}).awaitParked();

		lock.unlock();

		assertThat(waiting.result()).isTrue();
	}

}
