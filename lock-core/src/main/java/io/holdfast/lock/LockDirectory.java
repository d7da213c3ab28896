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
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What all clients of one Redis and key prefix hold and wait for, for operators. It is a
 * snapshot: locks come and go while it is taken. Every method asks the server, blocks
 * until it answers, and throws {@link LockServerException} if it gives no answer.
 * Thread-safe.
 */
public interface LockDirectory {

	/**
	 * The largest limit.
	 */
	int MAX_LIMIT = 1000;

	/**
	 * How many holds of one lock are told of at most.
	 */
	int MAX_HOLDERS = 100;

	/**
	 * Lists all held locks, a page at a time, as {@link #list(String, int, Filter)} does.
	 * @param cursor where to go on, from {@link Page#next()}; {@code null} to start
	 * @param limit about how many locks a page has, 1 to {@value #MAX_LIMIT}
	 * @return the page
	 * @throws IllegalArgumentException if the cursor is not one of ours or the limit is
	 * out of bounds
	 */
	default Page list(@Nullable String cursor, int limit) {
		return list(cursor, limit, Filter.ALL);
	}

	/**
	 * Lists held locks, a page at a time, on each page the oldest first. A lock that
	 * several clients read, or that has several permits out, is listed once for each
	 * hold, {@value #MAX_HOLDERS} at most.
	 * <p>
	 * A page is built by scanning the server's keys, be they locks or not, in small steps
	 * of which each takes the server a few milliseconds. It is full once it has as many
	 * locks as the limit, and may have some more. It has fewer at the end, and after 150
	 * ms if it has at least one. Only if two seconds (some million keys) have brought
	 * none, it is empty although there are further pages.
	 * @param cursor where to go on, from {@link Page#next()} with the same filter;
	 * {@code null} to start
	 * @param limit about how many locks a page has, 1 to {@value #MAX_LIMIT}
	 * @param filter which locks
	 * @return the page
	 * @throws IllegalArgumentException if the cursor is not one of ours or the limit is
	 * out of bounds
	 */
	Page list(@Nullable String cursor, int limit, Filter filter);

	/**
	 * Looks one lock up.
	 * @param name the lock's name
	 * @return the lock, or empty if nobody holds it; if several hold it, the one that has
	 * it for the longest
	 * @throws IllegalArgumentException if the name is not valid
	 */
	default Optional<HeldLock> find(String name) {
		return holders(name).stream().findFirst();
	}

	/**
	 * Looks all holds of one lock up: one, or those of readers or permits.
	 * @param name the lock's name
	 * @return who holds it, the oldest first, at most {@value #MAX_HOLDERS}; empty if
	 * nobody does
	 * @throws IllegalArgumentException if the name is not valid
	 */
	List<HeldLock> holders(String name);

	/**
	 * Lists who waits for a lock, in the order in which they will get it. First come the
	 * threads of the asking client, if it holds the lock: they get it from each other,
	 * until it is another client's turn. Those of another client that holds it are not
	 * known here, as they have no place in the queue; nor are those of other clients on a
	 * quorum, which has no queue.
	 * @param name the lock's name
	 * @param limit how many at most, 1 to {@value #MAX_LIMIT}
	 * @return the head of the queue
	 * @throws IllegalArgumentException if the name is not valid or the limit is out of
	 * bounds
	 */
	List<QueuedWaiter> queue(String name, int limit);

	/**
	 * Releases a lock no matter who holds it, or how many do. The previous owners are
	 * notified at once; waiters move up.
	 * @param name the lock's name
	 * @return what was released, of several holds the oldest; or empty if nobody held it,
	 * or if it went from one holder to another just then
	 * @throws IllegalArgumentException if the name is not valid
	 */
	Optional<HeldLock> forceUnlock(String name);

	/**
	 * Releases a lock by force if it is still held as an operator saw it. A later holder
	 * is not affected, nor is one of other permits; readers who hold it together have one
	 * token and all lose it. A hand-over between threads of the holding client is not
	 * noticed if that is another client than this one.
	 * @param name the lock's name
	 * @param token the fencing token that was seen, from {@link HeldLock#token()}
	 * @return what was released, of several readers the first; or empty if nobody holds
	 * it under that token
	 * @throws IllegalArgumentException if the name is not valid
	 */
	Optional<HeldLock> forceUnlock(String name, long token);

	/**
	 * Which of the held locks to list; a lock has to fulfil all conditions.
	 *
	 * @param prefix what its name begins with; empty for all names
	 * @param holder the id of the client that holds it, its application or its host as
	 * {@link HeldLock} has them, which may be cut; {@code null} for all
	 * @param fair whether the holder asked to be served first come, first served;
	 * {@code null} for both
	 * @param minAge how long its owner has it at least, as {@link HeldLock#age()} says;
	 * zero or less for all
	 */
	record Filter(String prefix, @Nullable String holder, @Nullable Boolean fair, Duration minAge) {

		/**
		 * All locks.
		 */
		public static final Filter ALL = new Filter("", null, null, Duration.ZERO);

		/**
		 * Create a filter.
		 * @param prefix what the name begins with
		 * @param holder the client, its application or its host
		 * @param fair whether the holder asked to be served first come, first served
		 * @param minAge how long the owner has it at least
		 */
		public Filter(String prefix, @Nullable String holder, @Nullable Boolean fair, Duration minAge) {
			this.prefix = Objects.requireNonNull(prefix, "Prefix must not be null");
			this.holder = holder;
			this.fair = fair;
			this.minAge = Objects.requireNonNull(minAge, "Minimum age must not be null");
		}

	}

	/**
	 * Some of the held locks.
	 *
	 * @param locks the locks found
	 * @param next the cursor of the next page, or {@code null} if this was the last
	 */
	record Page(List<HeldLock> locks, @Nullable String next) {
	}

	/**
	 * A hold of a lock.
	 *
	 * @param name the lock's name
	 * @param fair whether its holder asked to be served first come, first served
	 * @param mode beside whom it is held; for permits how many, and of how many as far as
	 * its holder knows
	 * @param client the id of the client that holds it
	 * @param application the holder's application
	 * @param host the holder's host
	 * @param thread the holding thread, known only for locks of the asking client that a
	 * thread owns. Threads of one client that read together have one hold: this, and what
	 * follows, is about the one that has it for the longest
	 * @param token the fencing token. A client may pass a hold on inside itself: for a
	 * hold of another client this is the token of its first owner, and the present one
	 * may have a larger one. In a quorum that owner may have a smaller one
	 * @param since when its present owner got it, by the server's clock. Where an owner
	 * has passed it on inside another client, the one as of the latest renewal, every
	 * third of the lease: the present one may have it for less; in a quorum, for readers
	 * and for permits since when that client has it
	 * @param age how long ago that was, by the same clock; for a lock of the asking
	 * client, by its monotonic clock
	 * @param clientAge for how long its client has it, of which one owner after another
	 * may have had a part; at least {@code age}
	 * @param leaseLeft what is left of the lease if nothing renews it
	 * @param watchdogTimeout how long the lease is whenever its client's watchdog renews
	 * it; {@code null} if it is not renewed, or that is not known: it is where owners are
	 * tied to their connection ({@code takeoverAfter})
	 * @param holdCount how often its owner has acquired it, known only for locks of the
	 * asking client; otherwise 1
	 * @param waiters how many threads and handles of the asking client wait, and how many
	 * requests of other clients, of which each may stand for several threads there
	 * @param holders how many holds the lock has: this one, and those beside it
	 * @param unitsInUse the units of all these holds together, see
	 * {@link LockMode#units()}: of a limit, how many permits are taken
	 * @param own whether the asking client holds it
	 */
	record HeldLock(String name, boolean fair, LockMode mode, String client, String application, String host,
			@Nullable String thread, long token, Instant since, Duration age, Duration clientAge, Duration leaseLeft,
			@Nullable Duration watchdogTimeout, int holdCount, long waiters, int holders, int unitsInUse, boolean own) {

		/**
		 * Returns whether its watchdog should have renewed it by now: less than half of
		 * the lease is left, and it renews at two thirds. Its process is paused, gone or
		 * cut off from the server, or its owner may not keep it any longer.
		 * @return whether that is known
		 */
		public boolean renewalOverdue() {
			// A lease may begin shorter, until its client has heard of the grant.
			return this.watchdogTimeout != null && this.watchdogTimeout.compareTo(this.leaseLeft.multipliedBy(2)) > 0
					&& this.watchdogTimeout.compareTo(this.clientAge.multipliedBy(2)) < 0;
		}

	}

	/**
	 * A request that waits for a lock. One request that is not fair may stand for many
	 * threads of its client.
	 *
	 * @param position 1 for the next to get the lock
	 * @param fair whether it asked to be served first come, first served
	 * @param mode beside whom it wants to hold the lock
	 * @param client the id of the client that waits
	 * @param application the waiter's application
	 * @param host the waiter's host
	 * @param alive whether it still keeps its place; a dead one is skipped
	 * @param count how many threads and handles it stands for, known only for requests of
	 * the asking client; otherwise 1
	 * @param threads the names of these threads in their order, at most as many as the
	 * limit; empty if they are not of the asking client
	 */
	record QueuedWaiter(int position, boolean fair, LockMode mode, String client, String application, String host,
			boolean alive, int count, List<String> threads) {
	}

}
