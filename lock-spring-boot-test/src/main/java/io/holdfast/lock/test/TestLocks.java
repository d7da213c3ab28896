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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLockClientBuilder;
import io.holdfast.lock.local.LocalLocks;

/**
 * The locks of a test: in memory, with all that locks on Redis promise, and in the hands
 * of the test. The code under test locks with {@link #client()}; with Spring, that is its
 * {@link LockClient} bean and what {@code @DistributedLock} uses, see
 * {@link AutoConfigureTestLocks}. Without Spring, create the object and close it.
 * <p>
 * Names are those of locks, as in {@code order:4711}, not of keys in Redis. Thread-safe;
 * tests that run at the same time in one application context share it.
 */
public final class TestLocks implements AutoCloseable {

	private final Recorder recorder = new Recorder();

	private final List<Lease> heldAsAnother = new CopyOnWriteArrayList<>();

	private final LocalLockClient client;

	private final LocalLockClient another;

	/** What the application held before the test. */
	private volatile Set<String> kept = Set.of();

	private TestLocks(LocalLockClientBuilder application) {
		LocalLocks locks = new LocalLocks();
		this.client = application.locks(locks).waits(this.recorder::waitTime).observer(this.recorder).build();
		this.another = LocalLockClient.builder().locks(locks).application("another").build();
	}

	/**
	 * Creates locks of its own, which nobody holds, with the default settings.
	 * @return the locks; close them
	 */
	public static TestLocks create() {
		return create(LocalLockClient.builder());
	}

	/**
	 * Creates locks of its own, which nobody holds.
	 * @param application how the client of the code under test is set up; its locks and
	 * waits are replaced
	 * @return the locks; close them
	 */
	public static TestLocks create(LocalLockClientBuilder application) {
		return new TestLocks(application);
	}

	/**
	 * Returns the client of the code under test.
	 * @return always the same one
	 */
	public LockClient client() {
		return this.client;
	}

	/**
	 * Holds a lock as another process would, until the lease is closed or the test is
	 * over. The code under test waits for it; see {@link #timeOutWaits()}.
	 * @param name the lock
	 * @return what the other one has
	 * @throws IllegalStateException if the lock is held already
	 */
	public Lease holdAsAnother(String name) {
		return holdAsAnother(name, LockOptions.defaults());
	}

	/**
	 * As {@link #holdAsAnother(String)}, to read, or with permits: with
	 * {@code LockOptions.defaults().permits(4, 5)} the code under test finds one of five
	 * left.
	 * @param name the lock
	 * @param options how the other one has it; it does not wait
	 * @return what the other one has
	 * @throws IllegalStateException if the lock is held already so that this is not
	 * possible
	 */
	public Lease holdAsAnother(String name, LockOptions options) {
		Lease lease = tryAcquireAsAnother(name, options).orElseThrow(() -> new IllegalStateException("Lock '" + name
				+ "' is held already, by the " + (isHeld(name) ? "code under test" : "other one of this test")));
		this.heldAsAnother.add(lease);
		return lease;
	}

	private Optional<Lease> tryAcquireAsAnother(String name, LockOptions options) {
		try {
			return this.another.tryAcquire(name, options.waitTime(Duration.ZERO));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted, so lock '" + name + "' is not held", ex);
		}
	}

	/**
	 * Lets all waits time out at once that begin from now on, until the test is over:
	 * whoever asks for a lock that is held gets the answer that a wait of 10 s would have
	 * brought, for example a {@link LockNotAcquiredException}. Waits that have begun go
	 * on, and so do those without end, of {@link LeaseLock#lock()}.
	 */
	public void timeOutWaits() {
		this.recorder.timeOut(true);
	}

	/**
	 * Has the code under test lose a lock that it holds, as if an operator had taken it.
	 * When this returns, the lock is lost: its owner is told with a
	 * {@link LockLostException} at the end, commits are refused, and another may have it.
	 * Observers are told on threads of their own.
	 * @param name the lock
	 * @throws IllegalStateException if the code under test does not hold it
	 */
	public void lose(String name) {
		if (!isHeld(name) || this.client.directory().forceUnlock(name).isEmpty()) {
			throw new IllegalStateException(
					"Lock '" + name + "' is not held by the code under test, which has acquired " + acquired());
		}
	}

	/**
	 * Returns what the code under test has acquired in this test, in order, whether it
	 * still has it or not. A lock that its thread held already does not count again.
	 * @return a snapshot
	 */
	public List<Acquisition> acquired() {
		return this.recorder.acquired();
	}

	/**
	 * Returns the names of what the code under test has acquired, see
	 * {@link #acquired()}.
	 * @return a snapshot; a name is in it as often as it was acquired
	 */
	public List<String> acquiredNames() {
		return acquired().stream().map(Acquisition::name).toList();
	}

	/**
	 * Whether the code under test holds a lock at this moment.
	 * @param name the lock
	 * @return {@code false} also if it is held as another
	 */
	public boolean isHeld(String name) {
		return this.client.directory().holders(name).stream().anyMatch(HeldLock::own);
	}

	/**
	 * Whether the code under test waits at this moment for a lock that is held as
	 * another: that a test can await before it closes the lease.
	 * @param name the lock
	 * @return whether it waits
	 */
	public boolean isAwaited(String name) {
		return !this.client.directory().queue(name, 1).isEmpty();
	}

	/**
	 * Starts again: releases what is held as another, forgets what was acquired and takes
	 * it from whoever still has it, or waited first for it, so that it does not block the
	 * next test, and lets waits go on as usual. With Spring that happens after each test
	 * method. Locks that the application held before the test, as since its start, stay
	 * as they are.
	 */
	public void reset() {
		this.recorder.timeOut(false);
		// Who waits for one of these gets it now, and may not be recorded yet.
		Set<String> names = this.heldAsAnother.stream()
			.flatMap((lease) -> lease.names().stream())
			.filter((name) -> !isHeld(name))
			.collect(Collectors.toCollection(LinkedHashSet::new));
		this.heldAsAnother.forEach(TestLocks::closeQuietly);
		this.heldAsAnother.clear();
		names.addAll(acquiredNames());
		names.removeAll(this.kept);
		this.recorder.forget();
		names.forEach(this::free);
	}

	void begin() {
		this.kept = this.client.directory()
			.list(null, LockDirectory.MAX_LIMIT)
			.locks()
			.stream()
			.filter(HeldLock::own)
			.map(HeldLock::name)
			.collect(Collectors.toSet());
		this.recorder.forget();
	}

	private static void closeQuietly(Lease lease) {
		try {
			lease.close();
		}
		catch (LockException ex) {
			// Lost, which is fine for whoever does not need it any more.
		}
	}

	private void free(String name) {
		LockOptions any = LockOptions.defaults();
		Stream.of(any, any.shared(), any.permits(1, Integer.MAX_VALUE))
			.forEach((options) -> giveBack(this.client.getLock(List.of(name), options)));
		if (isHeld(name)) {
			this.client.directory().forceUnlock(name);
		}
	}

	/**
	 * Gives back what this thread holds, so that it is not lost, and what it has lost, so
	 * that the thread may acquire it again.
	 */
	private static void giveBack(LeaseLock lock) {
		boolean had = true;
		while (had) {
			try {
				lock.unlock();
			}
			catch (LockLostException ex) {
				// That is given back, too, and there may be more.
			}
			catch (IllegalMonitorStateException ex) {
				had = false;
			}
		}
	}

	@Override
	public void close() {
		this.heldAsAnother.forEach(TestLocks::closeQuietly);
		this.another.close();
		this.client.close();
	}

	/**
	 * A lock that the code under test got.
	 *
	 * @param name the lock
	 * @param fair whether it asked to be served first come, first served
	 * @param mode whether it has the lock alone, to read, or has permits
	 */
	public record Acquisition(String name, boolean fair, LockMode mode) {

	}

}
