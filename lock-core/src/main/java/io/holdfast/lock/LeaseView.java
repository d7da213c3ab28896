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
import java.util.function.Consumer;

/**
 * Proof of holding a lock, or several, for code that does not give them back: what a
 * thread holds ({@link LeaseLock#lease()}), or a method with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock}
 * ({@link Leases#current()}). Any thread may use it.
 */
public interface LeaseView {

	/**
	 * Returns the name of the lock.
	 * @return the name as given when it was acquired; of several locks a text for
	 * messages and logs
	 */
	String name();

	/**
	 * Returns the names of the locks.
	 * @return one name, or several in the order in which they were acquired, none twice;
	 * not modifiable
	 */
	default List<String> names() {
		return List.of(name());
	}

	/**
	 * Returns the fencing token: larger than that of every earlier grant that excluded
	 * this one, on a Redis that keeps its data and whose clock goes on. After a loss of
	 * data or a failover, and where the clocks of several servers disagree, there are
	 * limits ({@code docs/guarantees.md}). Give it to the guarded resource and let that
	 * refuse smaller ones.
	 * @return the token, also after the lease was lost or closed
	 * @throws IllegalStateException if there are several locks, of which each has a token
	 * of its own
	 */
	long token();

	/**
	 * Returns the fencing token of one of the locks.
	 * @param name its name
	 * @return the token, also after the lease was lost or closed
	 * @throws IllegalArgumentException if the lease is for no lock of that name
	 */
	default long token(String name) {
		if (!name.equals(name())) {
			throw new IllegalArgumentException("The lease is for lock '" + name() + "', not for '" + name + "'");
		}
		return token();
	}

	/**
	 * Whether the lock is held for certain; of several locks, whether all are. Asks
	 * nobody and never blocks.
	 * @return {@code false} from the moment at which the hold may have ended, also while
	 * the client has not heard from the server for longer than a dead owner keeps its
	 * locks; and after closing
	 */
	boolean isValid();

	/**
	 * Whether the lock is neither lost nor given back, as far as this client knows; of
	 * several locks, whether none is. Asks nobody and never blocks.
	 * @return as {@link #isValid()}, but {@code true} also while the client is not sure
	 */
	boolean isHeld();

	/**
	 * As {@link #isValid()}, but asks the server if the client is not sure, and waits for
	 * the answer, for at most the command timeout for each lock.
	 * @return {@code false} also if there is no answer
	 */
	boolean confirm();

	/**
	 * Fails if the lock was lost; of several locks, if one was. Passes while the client
	 * is not sure, and after the lock was given back. Asks nobody and never blocks.
	 * @throws LockLostException if the lock was lost before it was given back
	 */
	void throwIfLost();

	/**
	 * How long the lock is held for certain if nothing renews it, by the local monotonic
	 * clock; of several locks the shortest time. Asks nobody and never blocks.
	 * @return zero if it is not valid
	 */
	Duration validFor();

	/**
	 * Runs an action once if the lock is lost before it is closed, or at once if that
	 * loss was told before. It runs on a thread of the client that serves all such
	 * actions, or on the calling thread in the second case, so it should be short: where
	 * 10,000 losses wait for one that has not returned, further ones are not told. Of
	 * several locks it runs once for each that is lost, maybe at the same time if some
	 * were lost already.
	 * <p>
	 * The actions may refer to this object. Those of a {@link Lease} live with it. If a
	 * thread owns the lock they live as long as its hold, whether this object is kept or
	 * not.
	 * @param action what to do
	 * @return a handle that unregisters the action, of several locks from all of them
	 */
	Registration onLost(Consumer<? super LockLoss> action);

}
