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

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A distributed lock that many threads may hold together to read, in all processes, or
 * one alone to write. Has no state of its own. Thread-safe.
 * <p>
 * <b>One lock.</b> The write lock is the lock that {@link LockClient#getLock(String)}
 * gives for the same name; whoever holds that excludes readers, and the other way round.
 * <p>
 * <b>Order.</b> Nobody starves. A reader gets in at once while readers hold the lock and
 * nobody waits to write. Whoever comes while a writer waits, stands behind it; when a
 * reader is next, all readers that wait then get in together. Where all ask to be served
 * {@linkplain LockOptions#fair(boolean) fairly}, nobody is overtaken at all.
 * <p>
 * <b>Reentrancy.</b> A thread that reads may read again, one that writes may write again,
 * or read. Each {@code lock()} needs an {@code unlock()} of the same lock.
 * <p>
 * <b>Downgrade.</b> A thread that writes, then gets the read lock and then unlocks the
 * write lock, reads on: no other writer comes between. Its fencing token is a new one
 * from then on. If the server gives no answer to that, the client goes on trying in the
 * background; until it is heard, others wait as if the thread still wrote.
 * <p>
 * <b>No upgrade.</b> A thread that reads and wants to write gets
 * {@link IllegalStateException} from every method, {@code tryLock()} too: two threads
 * that did so would wait for each other. Release the read lock first, or take the write
 * lock from the start.
 * <p>
 * <b>Fencing.</b> All readers that hold the lock at the same time have one token. It is
 * larger than that of every writer before them, and smaller than that of every writer
 * after them.
 * <p>
 * Leases, losses, interrupts and failures are those of {@link LeaseLock}; each reader has
 * a lease of its own. {@link LeaseLock#isLocked()} and {@link LeaseLock#forceUnlock()} of
 * either lock are about whoever holds the lock, the writer or the readers.
 */
public interface ReadWriteLeaseLock extends ReadWriteLock {

	/**
	 * Returns the name of the lock.
	 * @return the name as given to {@link LockClient#readWrite(String)}
	 */
	String name();

	/**
	 * Returns the lock to read.
	 * @return the lock that several threads may hold
	 */
	@Override
	LeaseLock readLock();

	/**
	 * Returns the lock to write.
	 * @return the lock that one thread holds alone
	 */
	@Override
	LeaseLock writeLock();

}
