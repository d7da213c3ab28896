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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A distributed lock that the calling thread owns: a {@link Lock} whose holds have a
 * lease.
 * <p>
 * <b>Reentrancy.</b> A thread that holds the lock may acquire it again; it is released by
 * as many {@link #unlock()} calls. Re-entering asks the server only if it wants a longer
 * lease than is left, or is the first to want the lease renewed; it never shortens the
 * outer lease nor stops its renewal. A thread whose hold was lost cannot re-enter: it
 * gets {@link LockLostException} until it has unlocked. Only where a lease time has ended
 * as it was asked for may the thread acquire the lock again, as if it had not held it:
 * then unlock calls give back what it holds now first, and are told of the loss after
 * that.
 * <p>
 * <b>Readers.</b> {@link LockClient#readWrite} gives two of them for one lock: the read
 * lock, which many threads may hold together, and the write lock, which is the one that
 * {@link LockClient#getLock(String)} gives. {@link #holdCount()},
 * {@link #isHeldByCurrentThread()} and {@link #unlock()} of each count what the thread
 * acquired through that one.
 * <p>
 * <b>Permits.</b> Those of {@link LockClient#getLock(java.util.Collection, LockOptions)}
 * belong to the thread: if it wants some of the same name again, it goes on with what it
 * has. If it wants more of them, a smaller limit or another mode, it gets
 * {@link IllegalStateException} from every method, as it would wait for itself.
 * <p>
 * <b>Lease.</b> The {@linkplain LockOptions#leaseTime(Duration) lease time} is that of
 * the options with which the lock was asked for, else of the client, which is
 * {@link LockOptions#WATCHDOG} unless configured otherwise: the hold is renewed until it
 * is released, its thread ends, the client is closed, or the process dies. With another
 * lease time nothing renews the hold and it ends by itself.
 * <p>
 * <b>Loss.</b> A hold is lost when its lease ended before it was released, or when the
 * server says that it is gone (an operator's {@link #forceUnlock()}, lost data). From
 * that moment {@link #isHeldByCurrentThread()} is {@code false}, and {@link #unlock()}
 * throws {@link LockLostException}, which is no {@link IllegalMonitorStateException}: so
 * code that ignores an unlock too many does not ignore a loss. A client remembers what
 * its threads have lost until they have given it back; at most the latest 500 losses. Of
 * an older one {@link #unlock()} says that the thread does not hold the lock.
 * <p>
 * <b>Interrupts.</b> An interrupt ends a wait, but no command that is on its way: the
 * answer to that, or its time-out, comes first, so that nothing of an interrupted wait is
 * left in the queue. If the server gives no answer, the client goes on trying to leave it
 * in the background.
 * <p>
 * <b>Server away.</b> Methods that ask the server throw {@link LockServerException} if it
 * gives no answer; they do not translate that to {@code false}. While waiting, failures
 * that pass with time (a failover, a busy or loading server) are retried until the wait
 * ends, or until there was nothing but failures for the client's waiter timeout.
 * <p>
 * <b>Memory.</b> Between threads of one process, locking has the memory effects of
 * {@link Lock}. Across processes there is no shared memory to synchronize.
 * <p>
 * <b>Several locks.</b> {@link LockClient#getLock(java.util.Collection, LockOptions)}
 * gives one that stands for several: the calling thread has all of them or none. They are
 * acquired in the order of their names, each by itself, within one wait; what the thread
 * holds already is entered again. A lease time begins with each of them, so the first one
 * has less of it left at the end; if it has none, the acquisition fails with
 * {@link LockLostException}. {@link #unlock()} gives back all of them, also if it throws
 * because one was lost or got no answer. For a thread that lacks one it throws
 * {@link IllegalMonitorStateException}, and gives back none.
 * <p>
 * Safe for use by many threads. Conditions are not supported.
 */
public interface LeaseLock extends Lock {

	/**
	 * Returns the name of this lock.
	 * @return the name as given to {@link LockClient#getLock(String)}; of several locks a
	 * text for messages and logs
	 */
	String name();

	/**
	 * Returns the names of the locks for which this one stands.
	 * @return one name, or several in the order in which they are acquired, none twice;
	 * not modifiable
	 */
	List<String> names();

	/**
	 * Whether callers of this lock are served first come, first served.
	 * @return what {@link LockOptions#fair(boolean)} was
	 */
	boolean isFair();

	/**
	 * Acquires the lock, waiting for as long as it takes. If the thread is interrupted
	 * while waiting it goes on waiting, and its interrupt status is set on return.
	 * @throws LockServerException if the server gave no answer
	 * @throws LockLostException if this thread held the lock and lost it
	 * @throws LockClientClosedException if the client was closed before or meanwhile
	 */
	@Override
	void lock();

	/**
	 * Acquires the lock, waiting for as long as it takes or until interrupted.
	 * @throws InterruptedException if the thread is interrupted on entry or while
	 * waiting; then it does not hold the lock, and has left the queue
	 * @throws LockServerException if the server gave no answer
	 * @throws LockLostException if this thread held the lock and lost it
	 * @throws LockClientClosedException if the client was closed before or meanwhile
	 */
	@Override
	void lockInterruptibly() throws InterruptedException;

	/**
	 * Acquires the lock if it is free and nobody waits for it. Makes one attempt and does
	 * not wait for other holders, though it may wait for the server's answer. Not
	 * interruptible.
	 * @return whether the thread holds the lock now; {@code false} means that somebody
	 * else holds it or is about to
	 * @throws LockServerException if the server gave no answer
	 */
	@Override
	boolean tryLock();

	/**
	 * As {@link #tryLock(Duration)}, but a negative time is not refused: it makes one
	 * attempt without waiting, as zero does.
	 * @param time longest wait
	 * @param unit the unit of the time
	 * @return whether the thread holds the lock now
	 * @throws InterruptedException if the thread is interrupted on entry or while waiting
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Acquires the lock if it can be had within the wait time.
	 * @param maxWait longest wait; zero makes one attempt without waiting; not negative
	 * @return whether the thread holds the lock now
	 * @throws IllegalArgumentException if the wait is negative
	 * @throws InterruptedException if the thread is interrupted on entry or while
	 * waiting; then it does not hold the lock, and has left the queue
	 * @throws LockServerException if the server gave no answer
	 */
	boolean tryLock(Duration maxWait) throws InterruptedException;

	/**
	 * Acquires the lock for the calling thread within the wait time of the options with
	 * which it was asked for, else of the client, or fails.
	 * @throws LockNotAcquiredException if another holder has the lock and the wait times
	 * out, or too many wait already; of several locks it names that one
	 * @throws InterruptedException if the thread is interrupted on entry or while
	 * waiting; then it does not hold the lock, and has left the queue
	 * @throws LockServerException if the server gave no answer
	 * @throws LockLostException if this thread held the lock and lost it
	 * @throws LockClientClosedException if the client was closed before or meanwhile
	 */
	void acquire() throws InterruptedException;

	/**
	 * Gives back one acquisition of the calling thread; the last one releases the lock
	 * and hands it to the next waiter. Works on an interrupted thread and keeps its
	 * status. If an {@code Error} hits what the client knows of the lock, for want of
	 * stack or memory, the lock counts as lost.
	 * @throws IllegalMonitorStateException if the calling thread does not hold the lock;
	 * nothing changes
	 * @throws LockLostException if the hold was lost before it was released, be it that
	 * its lease time has ended. The acquisition counts as given back.
	 * @throws LockServerException if the server gave no answer. The thread does not hold
	 * the lock any more; the client goes on trying to release it in the background, and
	 * it ends with its lease at the latest.
	 */
	@Override
	void unlock();

	/**
	 * Releases the lock no matter who holds it, for operators. The previous owner is
	 * notified that it lost the lock; waiters move up.
	 * @return whether a hold was ended; {@code false} if nobody held it, or if the lock
	 * went from one holder to another just then
	 * @throws LockServerException if the server gave no answer
	 */
	boolean forceUnlock();

	/**
	 * Asks the server whether anybody holds the lock.
	 * @return whether it was held when the server answered
	 * @throws LockServerException if the server gave no answer
	 */
	boolean isLocked();

	/**
	 * Whether the calling thread has the lock to give back, and its lease has not ended.
	 * Asks nobody. To be certain that nobody else has the lock, ask
	 * {@link LeaseView#confirm()} of {@link #lease()}.
	 * @return {@code false} from the moment on at which its lease is over, or a loss is
	 * known
	 */
	boolean isHeldByCurrentThread();

	/**
	 * How many acquisitions the calling thread has to give back. Asks nobody.
	 * @return zero if it does not hold the lock (any more)
	 */
	int holdCount();

	/**
	 * How long the calling thread holds the lock for certain if nothing renews it, by the
	 * local monotonic clock. Asks nobody.
	 * @return zero if it does not hold the lock (any more), or is not sure
	 */
	Duration validFor();

	/**
	 * The fencing token of the calling thread's hold: larger than that of every earlier
	 * grant of this lock, within the limits that {@link LeaseView#token()} names.
	 * Re-entering keeps it. Asks nobody.
	 * @return the token, also after the hold was lost and until it is unlocked
	 * @throws IllegalMonitorStateException if the calling thread never held the lock or
	 * has unlocked it
	 * @throws IllegalStateException if there are several locks, of which each has a token
	 * of its own
	 */
	long token();

	/**
	 * Returns what the calling thread holds as a lease: its tokens, whether it is valid,
	 * and an action for its loss. It lasts until the thread has unlocked as often as it
	 * has locked; then it is not valid. Other threads may use it, too. Asks nobody.
	 * @return the lease
	 * @throws LockLostException if this thread held the lock and lost it
	 * @throws IllegalMonitorStateException if the calling thread does not hold the lock
	 */
	LeaseView lease();

	/**
	 * Returns this lock under a name by which metrics count it; see
	 * {@link LockOptions#named}. It is the same lock.
	 * @param declaredName a name out of few, which stand in the source code; not blank
	 * @return the lock
	 */
	LeaseLock named(String declaredName);

	/**
	 * Not supported: a wait for a condition would need a signal that survives the loss of
	 * messages and of holders.
	 * @return never
	 * @throws UnsupportedOperationException always
	 */
	@Override
	Condition newCondition();

}
