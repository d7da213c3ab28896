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

package io.holdfast.lock;

import java.util.Collection;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Gives distributed locks by name. One client usually serves a whole process; it is safe
 * for use by many threads.
 * <p>
 * A lock is held either by a <em>thread</em> ({@link #getLock} and {@link #execute}),
 * which may acquire it again while it holds it, or by a <em>handle</em> ({@link #acquire}
 * and {@link #tryAcquire}), which any thread may use and close and which nothing acquires
 * again. Both exclude each other and every client that shares this Redis and key prefix.
 * <p>
 * A lock name is any text that is not blank, of at most {@value #MAX_NAME_BYTES} bytes in
 * UTF-8; spaces, line breaks and braces are allowed. Every method that takes a name
 * throws {@link IllegalArgumentException} for another one, and
 * {@link NullPointerException} for {@code null}.
 * <p>
 * When the server gives no answer, methods throw {@link LockServerException};
 * {@code false} or an empty result always means that somebody else has the lock. A grant
 * that was lost on the way to this client is given back when the server answers again, if
 * that is within two minutes, and ends by itself with its lease at the latest.
 */
public interface LockClient extends AutoCloseable {

	/**
	 * The longest lock name, in bytes of UTF-8.
	 */
	int MAX_NAME_BYTES = 1024;

	/**
	 * Returns the reentrant lock of a name. Costs nothing and asks nobody: the object has
	 * no state of its own.
	 * @param name the lock's name
	 * @return the lock
	 */
	default LeaseLock getLock(String name) {
		return getLock(name, LockType.REENTRANT);
	}

	/**
	 * Returns the lock of a name. Costs nothing and asks nobody: the object has no state
	 * of its own.
	 * @param name the lock's name
	 * @param type the order among waiters
	 * @return the lock
	 */
	LeaseLock getLock(String name, LockType type);

	/**
	 * Returns a lock that stands for several, of which a thread has all or none; see
	 * {@link LeaseLock}. However callers name them, they cannot wait for each other in a
	 * cycle, unless a thread holds other locks already when it asks for these. Costs
	 * nothing and asks nobody.
	 * @param names the names of the locks, in any order; a name may be there twice
	 * @param type the order among waiters of each lock
	 * @return the lock
	 * @throws IllegalArgumentException if there are no names, or one is not valid
	 */
	LeaseLock getLock(Collection<String> names, LockType type);

	/**
	 * As {@link #getLock(Collection, LockType)} with {@link LockType#REENTRANT}.
	 * @param names the names of the locks, in any order
	 * @return the lock
	 * @throws IllegalArgumentException if there are no names, or one is not valid
	 */
	default LeaseLock getLock(Collection<String> names) {
		return getLock(names, LockType.REENTRANT);
	}

	/**
	 * Acquires a lock for the returned handle, or fails.
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @return the lease; close it to release the lock
	 * @throws LockNotAcquiredException if another holder has the lock and the wait times
	 * out
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 * @throws LockServerException if the server gave no answer
	 * @throws LockClientClosedException if this client was closed before or meanwhile
	 */
	Lease acquire(String name, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #acquire(String, LockOptions)} with {@linkplain LockOptions#defaults()
	 * default options}.
	 * @param name the lock's name
	 * @return the lease; close it to release the lock
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 */
	default Lease acquire(String name) throws InterruptedException {
		return acquire(name, LockOptions.defaults());
	}

	/**
	 * Acquires a lock for the returned handle if it can be had within the wait time.
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @return the lease, or empty if another holder has the lock and the wait times out
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 * @throws LockServerException if the server gave no answer
	 * @throws LockClientClosedException if this client was closed before or meanwhile
	 */
	Optional<Lease> tryAcquire(String name, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #tryAcquire(String, LockOptions)} with {@linkplain LockOptions#defaults()
	 * default options}.
	 * @param name the lock's name
	 * @return the lease, or empty if another holder has the lock and the wait times out
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 */
	default Optional<Lease> tryAcquire(String name) throws InterruptedException {
		return tryAcquire(name, LockOptions.defaults());
	}

	/**
	 * Acquires several locks for the returned handle, all of them or none, or fails. They
	 * are acquired in the order of their names, so callers that want some of the same
	 * locks cannot wait for each other in a cycle, unless they hold others already. The
	 * wait time is for all together. A lease time begins with each lock, so the first one
	 * has less of it left at the end.
	 * @param names the names of the locks, in any order; a name may be there twice
	 * @param options how to acquire each of them
	 * @return the lease of all of them; close it to release them
	 * @throws IllegalArgumentException if there are no names, or one is not valid
	 * @throws LockNotAcquiredException if another holder has one of the locks, which it
	 * names, and the wait times out; then none is held
	 * @throws LockLostException if a lock was lost, or its lease time over, before the
	 * last one could be had; then none is held
	 * @throws InterruptedException if interrupted before or while waiting; then none is
	 * held
	 * @throws LockServerException if the server gave no answer; then none is held
	 * @throws LockClientClosedException if this client was closed before or meanwhile
	 */
	Lease acquire(Collection<String> names, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #acquire(Collection, LockOptions)} with
	 * {@linkplain LockOptions#defaults() default options}.
	 * @param names the names of the locks, in any order
	 * @return the lease of all of them; close it to release them
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 */
	default Lease acquire(Collection<String> names) throws InterruptedException {
		return acquire(names, LockOptions.defaults());
	}

	/**
	 * As {@link #acquire(Collection, LockOptions)}, but without an exception if another
	 * holder has one of the locks.
	 * @param names the names of the locks, in any order; a name may be there twice
	 * @param options how to acquire each of them
	 * @return the lease of all of them, or empty if another holder has one and the wait
	 * times out; then none is held
	 * @throws InterruptedException if interrupted before or while waiting; then none is
	 * held
	 */
	Optional<Lease> tryAcquire(Collection<String> names, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #tryAcquire(Collection, LockOptions)} with
	 * {@linkplain LockOptions#defaults() default options}.
	 * @param names the names of the locks, in any order
	 * @return the lease of all of them, or empty if another holder has one
	 * @throws InterruptedException if interrupted before or while waiting; then nothing
	 * is held
	 */
	default Optional<Lease> tryAcquire(Collection<String> names) throws InterruptedException {
		return tryAcquire(names, LockOptions.defaults());
	}

	/**
	 * Runs a task while the current thread holds a lock, and releases it afterwards.
	 * Calls of the same thread nest.
	 * <p>
	 * An exception of the task is thrown as it is; if the release fails as well, that
	 * failure is attached to it as suppressed. If the task returned but its lock had been
	 * lost meanwhile, {@link LockLostException} is thrown. A release that the server did
	 * not answer is only logged: the task is done, and the lock ends with its lease.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @param task what to run; it is given the lease that the thread holds
	 * @return what the task returned
	 * @throws LockNotAcquiredException if another holder has the lock and the wait times
	 * out; the task did not run
	 * @throws InterruptedException if interrupted before or while waiting; the task did
	 * not run
	 * @throws LockServerException if the server gave no answer; the task did not run
	 * @throws LockClientClosedException if this client was closed; the task did not run
	 * @throws E whatever the task throws
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options, LockedTask<T, E> task)
			throws E, InterruptedException;

	/**
	 * As {@link #execute(String, LockOptions, LockedTask)} with
	 * {@linkplain LockOptions#defaults() default options}.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param name the lock's name
	 * @param task what to run; it is given the lease that the thread holds
	 * @return what the task returned
	 * @throws InterruptedException if interrupted before or while waiting; the task did
	 * not run
	 * @throws E whatever the task throws
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockedTask<T, E> task)
			throws E, InterruptedException {
		return execute(name, LockOptions.defaults(), task);
	}

	/**
	 * Returns what all clients hold and wait for, for operators.
	 * @return the directory of the locks under this client's prefix
	 */
	LockDirectory directory();

	/**
	 * Returns immediately with what is known of this client. Costs a look at each lock
	 * that it holds. While this is called at least once a minute, an otherwise idle
	 * client probes the server in the background: every ten seconds, every second during
	 * an outage.
	 * @return what is known now; also if the client is closed
	 */
	LockClientHealth health();

	/**
	 * Returns this client's id, as it stands in Redis and in the {@link #directory()}.
	 * @return application, host and a random part that is new for each client
	 */
	String id();

	/**
	 * Makes all waiting calls of this client throw {@link LockClientClosedException},
	 * releases what no owner works with, and stops the threads of this client. Owners
	 * that are still at work are told that their locks are
	 * {@linkplain io.holdfast.lock.LockLoss.Cause#CLOSED lost}: nothing renews them any
	 * more. Nobody else gets such a lock before its owner has given it back, which still
	 * works while the application's connection factory runs, or its lease has ended.
	 * Later calls throw {@link LockClientClosedException}; closing again has no effect,
	 * but waits for a {@code close()} that is under way, unless it is interrupted.
	 * <p>
	 * Blocks until the server has answered the releases, which travel together, and the
	 * commands of other calls that are on their way, so that what their answers bring is
	 * released, too. A server that is silent or refuses is not asked again, and after two
	 * command timeouts and two seconds this ends at the latest: what is held then ends
	 * with its lease, and a warning in the log says how many there were. On a quorum the
	 * releases are sent in the background, and it waits for them no longer than one call
	 * may take.
	 */
	@Override
	void close();

}
