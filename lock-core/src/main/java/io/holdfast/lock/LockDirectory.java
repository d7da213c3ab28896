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
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What all clients of one Redis and key prefix hold and wait for, for operators. It is a
 * snapshot: locks come and go while it is taken. Work and memory of each call are bounded
 * by its limit. Every method throws {@link LockServerException} if the server gave no
 * answer.
 */
public interface LockDirectory {

	/**
	 * The largest limit.
	 */
	int MAX_LIMIT = 1000;

	/**
	 * Lists held locks, a page at a time.
	 * @param cursor where to go on, from {@link Page#next()}; {@code null} to start
	 * @param limit about how many to look at, 1 to {@value #MAX_LIMIT}; the page may hold
	 * a few more, or fewer, even none, while there are more pages
	 * @return the page
	 * @throws IllegalArgumentException if the cursor is not one of ours or the limit is
	 * out of bounds
	 */
	Page list(@Nullable String cursor, int limit);

	/**
	 * Looks one lock up.
	 * @param name the lock's name
	 * @return the lock, or empty if nobody holds it
	 */
	Optional<HeldLock> find(String name);

	/**
	 * Lists who waits for a lock, in the order in which they will get it. Threads of one
	 * client that got a fair lock from each other are listed until their client gives the
	 * lock up.
	 * @param name the lock's name
	 * @param limit how many at most, 1 to {@value #MAX_LIMIT}
	 * @return the head of the queue
	 */
	List<QueuedWaiter> queue(String name, int limit);

	/**
	 * Releases a lock no matter who holds it. The previous owner is notified at once;
	 * waiters move up.
	 * @param name the lock's name
	 * @return what was released, or empty if nobody held it, or if it went from one
	 * holder to another just then
	 */
	Optional<HeldLock> forceUnlock(String name);

	/**
	 * Some of the held locks.
	 *
	 * @param locks the locks found
	 * @param next the cursor of the next page, or {@code null} if this was the last
	 */
	record Page(List<HeldLock> locks, @Nullable String next) {
	}

	/**
	 * A lock that somebody holds.
	 *
	 * @param name the lock's name
	 * @param type the order for which its holder asked
	 * @param client the id of the client that holds it
	 * @param application the holder's application
	 * @param host the holder's host
	 * @param thread the holding thread, known only for locks of the asking client that a
	 * thread owns
	 * @param token the fencing token. A client may pass a hold on inside itself: for a
	 * hold of another client this is the token of its first owner, and the present one
	 * may have a larger one
	 * @param since when the client got it, by the server's clock
	 * @param leaseLeft what is left of the lease if nothing renews it
	 * @param holdCount how often its owner has acquired it, known only for locks of the
	 * asking client; otherwise 1
	 * @param waiters how many requests wait in the queue, see {@link #queue}
	 * @param own whether the asking client holds it
	 */
	record HeldLock(String name, LockType type, String client, String application, String host, @Nullable String thread,
			long token, Instant since, Duration leaseLeft, int holdCount, long waiters, boolean own) {
	}

	/**
	 * A request that waits for a lock. One request of type {@link LockType#REENTRANT} may
	 * stand for many threads of its client.
	 *
	 * @param position 1 for the next to get the lock
	 * @param type the order for which it asked
	 * @param client the id of the client that waits
	 * @param application the waiter's application
	 * @param host the waiter's host
	 * @param alive whether it still keeps its place; a dead one is skipped
	 */
	record QueuedWaiter(int position, LockType type, String client, String application, String host, boolean alive) {
	}

}
