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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the log says of locks that are held, and of callers who wait, for too long, and of
 * threads that wait for each other.
 */
class LookLogTests {

	private static final Duration THRESHOLD = Duration.ofMillis(100);

	private final TestThreads threads = new TestThreads();

	private final LocalLocks locks = new LocalLocks();

	private final LogCapture log = LogCapture.open();

	@AfterEach
	void close() {
		this.threads.close();
		this.log.close();
	}

	@Test
	void heldLockTellsWhatItsThreadDoesAndWhereItWasAcquired() {
		try (LocalLockClient client = client((builder) -> builder.heldTooLong(THRESHOLD))) {
			LeaseLock lock = client.getLock("order");
			acquireHere(lock);

			String warning = awaitWarning("is held for too long");

			assertThat(warning).startsWith("Lock 'order' with fencing token " + lock.token())
				.contains("by thread '" + Thread.currentThread().getName() + "'");
			assertThat(this.log.stacks(Level.WARN)).singleElement()
				.asString()
				.contains("is here now", "heldLockTellsWhatItsThreadDoesAndWhereItWasAcquired", "acquireHere",
						"Caused by");
			lock.unlock();
		}
	}

	@Test
	void leaseTellsWhereItWasAcquired() throws Exception {
		try (LocalLockClient client = client((builder) -> builder.heldTooLong(THRESHOLD));
				Lease lease = client.acquire("order", LockOptions.defaults())) {

			assertThat(awaitWarning("is held for too long")).contains("by a lease",
					"with fencing token " + lease.token());
			assertThat(this.log.stacks(Level.WARN)).singleElement()
				.asString()
				.contains("was acquired here", "leaseTellsWhereItWasAcquired");
		}
	}

	@Test
	void leaseOfAFutureTellsWhereItWasAskedFor() throws Exception {
		try (LocalLockClient client = client((builder) -> builder.heldTooLong(THRESHOLD))) {
			Lease held = client.acquire("order", LockOptions.defaults());
			CompletableFuture<Lease> later = client.acquireAsync("order", LockOptions.defaults()).toCompletableFuture();
			held.close();
			try (Lease lease = later.join()) {
				awaitWarning("with fencing token " + lease.token());
				assertThat(this.log.stacks(Level.WARN)).last()
					.asString()
					.contains("was acquired here", "leaseOfAFutureTellsWhereItWasAskedFor");
			}
		}
	}

	@Test
	void waitTellsWhichThreadOfThisClientHoldsTheLock() {
		try (LocalLockClient client = client((builder) -> builder.waitTooLong(THRESHOLD))) {
			LeaseLock lock = client.getLock("order");
			lock.lock();
			TestThreads.Running<Void> waiter = this.threads.run(() -> {
				lock.lock();
				lock.unlock();
			});

			assertThat(awaitWarning("wait for lock 'order'")).startsWith("1 caller(s) of this client")
				.contains("It is held by thread '" + Thread.currentThread().getName() + "' of this client");
			lock.unlock();
			waiter.result();
		}
	}

	@Test
	void waitOfAWriterTellsWhichThreadReads() {
		try (LocalLockClient client = client((builder) -> builder.waitTooLong(THRESHOLD))) {
			client.readWrite("order").readLock().lock();
			TestThreads.Running<Void> waiter = this.threads.run(() -> {
				client.getLock("order").lock();
				client.getLock("order").unlock();
			});

			assertThat(awaitWarning("wait for lock 'order'"))
				.contains("It is held by thread '" + Thread.currentThread().getName() + "' of this client");
			client.readWrite("order").readLock().unlock();
			waiter.result();
		}
	}

	@Test
	void waitTellsWhereToLookIfAnotherClientHoldsTheLock() throws Exception {
		try (LocalLockClient other = client((builder) -> builder.application("till"));
				Lease held = other.acquire("order", LockOptions.defaults());
				LocalLockClient client = client((builder) -> builder.waitTooLong(THRESHOLD))) {
			TestThreads.Running<Void> waiter = this.threads.run(() -> {
				client.getLock("order").lock();
				client.getLock("order").unlock();
			});

			assertThat(awaitWarning("wait for lock 'order'")).contains("No thread of this client holds it");
			held.close();
			waiter.result();
		}
	}

	@Test
	void nothingIsSaidByDefault() {
		try (LocalLockClient client = client((builder) -> builder);
				LocalLockClient telling = client((builder) -> builder.heldTooLong(THRESHOLD))) {
			client.getLock("quiet").lock();
			telling.getLock("told").lock();

			awaitWarning("Lock 'told'");

			assertThat(warnings()).noneMatch((message) -> message.contains("quiet"));
			client.getLock("quiet").unlock();
			telling.getLock("told").unlock();
		}
	}

	private static void acquireHere(LeaseLock lock) {
		lock.lock();
	}

	@Test
	void deadlockNamesThreadsAndLocksAndShowsTheirStacks() {
		Queue<List<String>> observed = new ConcurrentLinkedQueue<>();
		try (LocalLockClient client = client((builder) -> builder.observer(new LockObserver() {

			@Override
			public void deadlocked(List<String> names) {
				observed.add(names);
			}

		}))) {
			Deadlock deadlock = new Deadlock(this.threads, client);

			Awaitility.await("a message")
				.atMost(TestThreads.LONG)
				.until(() -> !this.log.messages(Level.ERROR).isEmpty() && !observed.isEmpty());
			assertThat(this.log.messages(Level.ERROR)).singleElement()
				.asString()
				.startsWith("Deadlock: thread 'test-thread' waits for lock '")
				.contains("lock 'a'", "lock 'b'", "in one order");
			assertThat(this.log.stacks(Level.ERROR)).singleElement()
				.asString()
				.contains("waits here", "Deadlock.acquire");
			assertThat(observed).singleElement()
				.asInstanceOf(InstanceOfAssertFactories.list(String.class))
				.containsExactlyInAnyOrder("a", "b");
			assertThat(deadlock.end()).containsExactly(false, true);
		}
	}

	private LocalLockClient client(UnaryOperator<LocalLockClientBuilder> settings) {
		return settings.apply(LocalLockClient.builder().locks(this.locks)).build();
	}

	private List<String> warnings() {
		return this.log.messages(Level.WARN);
	}

	private String awaitWarning(String part) {
		Awaitility.await(part)
			.atMost(TestThreads.LONG)
			.until(() -> warnings().stream().anyMatch((message) -> message.contains(part)));
		return warnings().stream().filter((message) -> message.contains(part)).findFirst().orElseThrow();
	}

}
