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
import java.util.concurrent.CompletionStage;

/**
 * Gives distributed locks by name. One client usually serves a whole process; it is safe
 * for use by many threads.
 * <p>
 * A lock is held either by a <em>thread</em> ({@link #getLock} and {@link #execute}),
 * which may acquire it again while it holds it, or by a <em>handle</em> ({@link #acquire}
 * and {@link #tryAcquire}), which any thread may use and close and which nothing acquires
 * again. Both exclude each other and every client that shares this Redis and key prefix.
 * Locks and semaphores that this returns have no state of their own.
 * <p>
 * A lock name is any text that is not blank, of at most {@value #MAX_NAME_BYTES} bytes in
 * UTF-8. Every method that takes names throws {@link IllegalArgumentException} for
 * another one or none at all, and {@link NullPointerException} for {@code null}.
 * <p>
 * Methods throw {@link LockServerException} when the server gives no answer and
 * {@link LockClientClosedException} when this client is closed before or meanwhile;
 * {@code false} or an empty result always means that somebody else has the lock, or waits
 * for it. A grant that was lost on the way to this client is given back within two
 * minutes, if the server answers again, and ends with its lease at the latest.
 */
public interface LockClient extends LockOperations, AutoCloseable {

	/**
	 * The longest lock name, in bytes of UTF-8.
	 */
	int MAX_NAME_BYTES = 1024;

	/**
	 * Returns the lock of a name.
	 * @param name the lock's name
	 * @return the lock
	 */
	default LeaseLock getLock(String name) {
		return getLock(name, LockOptions.defaults());
	}

	/**
	 * Returns the lock of a name, with options.
	 * @param name the lock's name
	 * @param options how to acquire it; their wait time is for
	 * {@link LeaseLock#acquire()} only
	 * @return the lock
	 * @throws IllegalArgumentException if this client works on a quorum, which refuses
	 * the lease time as too long
	 * @throws UnsupportedOperationException if this client works on a quorum and the
	 * options ask for what that does not have
	 */
	LeaseLock getLock(String name, LockOptions options);

	/**
	 * Returns a lock that stands for several, of which a thread has all or none. However
	 * callers name them, they cannot wait for each other in a cycle, unless a thread
	 * holds other locks already when it asks for these.
	 * @param names the names of the locks, one or several, in any order
	 * @param options how to acquire each; their wait time is for
	 * {@link LeaseLock#acquire()} only
	 * @return the lock
	 * @throws IllegalArgumentException if this client works on a quorum, which refuses
	 * the lease time as too long
	 * @throws UnsupportedOperationException if this client works on a quorum and the
	 * options ask for what that does not have
	 */
	LeaseLock getLock(Collection<String> names, LockOptions options);

	/**
	 * As {@link #getLock(Collection, LockOptions)} with default options.
	 * @param names the names of the locks, in any order
	 * @return the lock
	 */
	default LeaseLock getLock(Collection<String> names) {
		return getLock(names, LockOptions.defaults());
	}

	/**
	 * Returns the lock of a name as two: one that many threads may hold together to read,
	 * and one to write.
	 * @param name the lock's name
	 * @return the lock
	 */
	default ReadWriteLeaseLock readWrite(String name) {
		return readWrite(name, LockOptions.defaults());
	}

	/**
	 * As {@link #readWrite(String)}, with options.
	 * @param name the lock's name
	 * @param options how to acquire both, whatever their mode; their wait time is for
	 * {@link LeaseLock#acquire()} only
	 * @return the lock
	 * @throws UnsupportedOperationException if this client works on a quorum
	 */
	ReadWriteLeaseLock readWrite(String name, LockOptions options);

	/**
	 * Returns permits of which there is a fixed number in the whole cluster.
	 * @param name the name; as lock, it is the same one
	 * @param limit how many permits there are, at least 1
	 * @return the semaphore
	 * @throws IllegalArgumentException if the limit is less than 1
	 * @throws UnsupportedOperationException if this client works on a quorum
	 */
	LeaseSemaphore semaphore(String name, int limit);

	/**
	 * Acquires a lock, or permits, for a handle, without blocking the calling thread.
	 * <p>
	 * The stage completes with the lease, or exceptionally with what {@link #acquire}
	 * throws. What depends on it runs on a virtual thread from Java 21 on; before, on one
	 * of eight threads: work that blocks needs an executor of its own. A dependent that
	 * is added when the outcome is there runs on the thread that adds it, unless it is an
	 * asynchronous one, such as {@code thenAcceptAsync}. The stage's
	 * {@linkplain CompletionStage#toCompletableFuture() future} may be cancelled, or
	 * completed by a time-out: then the wait ends at once, and what it brings all the
	 * same is given back. {@link Lease#closeAsync()} closes the lease without blocking.
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @return the stage
	 * @throws UnsupportedOperationException if this client works on a quorum and the
	 * options ask for what that does not have
	 */
	CompletionStage<Lease> acquireAsync(String name, LockOptions options);

	/**
	 * As {@link #acquireAsync(String, LockOptions)}, in the order and with the promises
	 * of {@link #acquire(Collection, LockOptions)}.
	 * @param names the names of the locks, in any order
	 * @param options how to acquire each of them
	 * @return the stage
	 */
	CompletionStage<Lease> acquireAsync(Collection<String> names, LockOptions options);

	/**
	 * Acquires a lock for the returned handle, or fails.
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @return the lease; close it to release the lock
	 * @throws LockNotAcquiredException if another has the lock and the wait times out
	 * @throws InterruptedException if interrupted before or meanwhile; nothing is held
	 * @throws LockServerException if the server gave no answer
	 * @throws LockClientClosedException if this client was closed before or meanwhile
	 */
	Lease acquire(String name, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #acquire(String, LockOptions)} with default options.
	 * @param name the lock's name
	 * @return the lease
	 * @throws InterruptedException if interrupted before or meanwhile; nothing is held
	 */
	default Lease acquire(String name) throws InterruptedException {
		return acquire(name, LockOptions.defaults());
	}

	/**
	 * Acquires a lock for the returned handle if it can be had within the wait time.
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @return the lease, or empty if another holder has the lock and the wait times out
	 * @throws InterruptedException if interrupted before or meanwhile; nothing is held
	 */
	Optional<Lease> tryAcquire(String name, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #tryAcquire(String, LockOptions)} with default options.
	 * @param name the lock's name
	 * @return the lease, or empty if another holder has the lock and the wait times out
	 * @throws InterruptedException if interrupted before or meanwhile; nothing is held
	 */
	default Optional<Lease> tryAcquire(String name) throws InterruptedException {
		return tryAcquire(name, LockOptions.defaults());
	}

	/**
	 * Acquires several locks for the returned handle, or fails and holds none. They are
	 * acquired in the order of their names, so callers cannot wait for each other in a
	 * cycle, unless they hold others already. The wait time is for all together. A lease
	 * time begins with each lock, so the first has less of it left at the end.
	 * @param names the names of the locks, in any order; a name may be there twice
	 * @param options how to acquire each of them
	 * @return the lease of all of them; close it to release them
	 * @throws LockNotAcquiredException if another has one, which it names, for too long
	 * @throws LockLostException if one was lost before the last one could be had
	 * @throws InterruptedException if interrupted before or while waiting
	 */
	Lease acquire(Collection<String> names, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #acquire(Collection, LockOptions)} with default options.
	 * @param names the names of the locks, in any order
	 * @return the lease of all of them; close it to release them
	 * @throws InterruptedException if interrupted before or meanwhile; nothing is held
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
	 * @throws InterruptedException if interrupted before or meanwhile; none is held
	 */
	Optional<Lease> tryAcquire(Collection<String> names, LockOptions options) throws InterruptedException;

	/**
	 * As {@link #tryAcquire(Collection, LockOptions)} with default options.
	 * @param names the names of the locks, in any order
	 * @return the lease of all of them, or empty if another holder has one
	 * @throws InterruptedException if interrupted before or meanwhile; nothing is held
	 */
	default Optional<Lease> tryAcquire(Collection<String> names) throws InterruptedException {
		return tryAcquire(names, LockOptions.defaults());
	}

	/**
	 * Returns what all clients hold and wait for, for operators.
	 * @return the directory of the locks under this client's prefix
	 */
	LockDirectory directory();

	/**
	 * Returns at once what is known of this client, with a look at each lock that it has.
	 * @return what is known now; also if the client is closed
	 */
	LockClientHealth health();

	/**
	 * Returns this client's id, as it stands in the {@link #directory()}.
	 * @return application, host and a random part that is new for each client
	 */
	String id();

	/**
	 * Makes all waiting and later calls of this client throw
	 * {@link LockClientClosedException}, releases what no owner works with, and stops the
	 * threads of this client. Owners at work are told that their locks are
	 * {@linkplain io.holdfast.lock.LockLoss.Cause#CLOSED lost}: nothing renews them any
	 * more. Nobody else gets such a lock before its owner has given it back, which still
	 * works while the connection factory runs, or its lease has ended, or the time after
	 * which others take over what a dead client holds. A second call waits for the first.
	 * <p>
	 * Blocks until the server has answered the releases and the commands of other calls,
	 * for two command timeouts and two seconds at most, and warns of what is left.
	 */
	@Override
	void close();

}
