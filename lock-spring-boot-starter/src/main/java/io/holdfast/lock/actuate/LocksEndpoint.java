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

package io.holdfast.lock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockType;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Shows the locks that all applications hold which share this one's Redis and key prefix,
 * and releases one by force where {@code management.endpoint.locks.access} is
 * {@code unrestricted}.
 * <p>
 * Slashes in a lock's name may stand in the path as they are. Names that begin or end
 * with a slash, or have two in a row, cannot be written in a path.
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
public class LocksEndpoint {

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	private static final int DEFAULT_LIMIT = 100;

	private static final int QUEUE_LIMIT = 100;

	private final LockDirectory directory;

	/**
	 * Create the endpoint.
	 * @param directory where the locks are listed
	 */
	public LocksEndpoint(LockDirectory directory) {
		this.directory = directory;
	}

	/**
	 * Lists held locks, a page at a time.
	 * @param cursor the {@code next} of the page before; none to start
	 * @param limit about how many locks to look at, 100 unless given
	 * @return the page
	 */
	@ReadOperation
	@SuppressWarnings("deprecation") // Spring Boot 3.5 knows an optional parameter by
										// Spring's own annotation only
	public LocksDescriptor locks(@org.springframework.lang.Nullable @Nullable String cursor,
			@org.springframework.lang.Nullable @Nullable Integer limit) {
		LockDirectory.Page page = ask(() -> this.directory.list(cursor, (limit != null) ? limit : DEFAULT_LIMIT));
		return new LocksDescriptor(page.locks().stream().map(LockDescriptor::of).toList(), page.next());
	}

	/**
	 * Shows one lock and the head of its queue.
	 * @param name the lock's name, in the parts between its slashes
	 * @return the lock, or {@code null} if nobody holds it
	 */
	@ReadOperation
	public @Nullable QueuedLockDescriptor lock(@Selector(match = Match.ALL_REMAINING) String[] name) {
		String lockName = String.join("/", name);
		return ask(() -> this.directory.find(lockName))
			.map((lock) -> QueuedLockDescriptor.of(lock, this.directory.queue(lockName, QUEUE_LIMIT)))
			.orElse(null);
	}

	/**
	 * Releases a lock no matter who holds it.
	 * @param name the lock's name, in the parts between its slashes
	 * @return what was released, or a 404 if nobody held it, or if it went from one
	 * holder to another just then
	 */
	@DeleteOperation
	public WebEndpointResponse<LockDescriptor> release(@Selector(match = Match.ALL_REMAINING) String[] name) {
		String lockName = String.join("/", name);
		Optional<HeldLock> released = ask(() -> this.directory.forceUnlock(lockName));
		released.ifPresent((lock) -> logger.warn("Lock '" + lockName + "' with fencing token " + lock.token()
				+ " was taken from client " + lock.client() + " by force, through the locks endpoint"));
		return released.map((lock) -> new WebEndpointResponse<>(LockDescriptor.of(lock)))
			.orElseGet(() -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND));
	}

	private static <T> T ask(Supplier<T> question) {
		try {
			return question.get();
		}
		catch (IllegalArgumentException ex) {
			String reason = String.valueOf(ex.getMessage());
			throw new InvalidEndpointRequestException(reason, reason, ex);
		}
	}

	/**
	 * Some of the held locks.
	 *
	 * @param locks the locks found
	 * @param next the cursor of the next page, or {@code null} if this was the last
	 */
	public record LocksDescriptor(List<LockDescriptor> locks, @Nullable String next) {
	}

	/**
	 * A lock that somebody holds.
	 *
	 * @param name the lock's name
	 * @param type the order for which its holder asked
	 * @param holder who holds it
	 * @param token the fencing token
	 * @param since when the holder got it, by the server's clock
	 * @param leaseLeft what is left of the lease if nothing renews it
	 * @param holdCount how often its owner has acquired it, as far as this application
	 * knows
	 * @param waiters how many requests wait in the queue
	 */
	public record LockDescriptor(String name, LockType type, HolderDescriptor holder, long token, Instant since,
			Duration leaseLeft, int holdCount, long waiters) {

		static LockDescriptor of(HeldLock lock) {
			return new LockDescriptor(lock.name(), lock.type(), HolderDescriptor.of(lock), lock.token(), lock.since(),
					lock.leaseLeft(), lock.holdCount(), lock.waiters());
		}

	}

	/**
	 * A lock that somebody holds, and who waits for it.
	 *
	 * @param lock the lock
	 * @param queue the head of the queue, in the order in which they will get the lock
	 */
	public record QueuedLockDescriptor(LockDescriptor lock, List<WaiterDescriptor> queue) {

		static QueuedLockDescriptor of(HeldLock lock, List<QueuedWaiter> queue) {
			return new QueuedLockDescriptor(LockDescriptor.of(lock), queue.stream().map(WaiterDescriptor::of).toList());
		}

	}

	/**
	 * Who holds a lock.
	 *
	 * @param client the id of the lock client
	 * @param application the application's name
	 * @param host the host
	 * @param thread the thread, known only if this application's client holds the lock
	 * @param own whether this application's client holds it
	 */
	public record HolderDescriptor(String client, String application, String host, @Nullable String thread,
			boolean own) {

		static HolderDescriptor of(HeldLock lock) {
			return new HolderDescriptor(lock.client(), lock.application(), lock.host(), lock.thread(), lock.own());
		}

	}

	/**
	 * A request that waits for a lock.
	 *
	 * @param position 1 for the next to get the lock
	 * @param type the order for which it asked
	 * @param client the id of the lock client
	 * @param application the application's name
	 * @param host the host
	 * @param alive whether it still keeps its place; a dead one is skipped
	 */
	public record WaiterDescriptor(int position, LockType type, String client, String application, String host,
			boolean alive) {

		static WaiterDescriptor of(QueuedWaiter waiter) {
			return new WaiterDescriptor(waiter.position(), waiter.type(), waiter.client(), waiter.application(),
					waiter.host(), waiter.alive());
		}

	}

}
