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

import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockServerException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What the {@link LocksEndpoint} answers.
 */
public final class LockDescriptors {

	private LockDescriptors() {
	}

	/**
	 * Some of the held locks.
	 *
	 * @param locks the locks found
	 * @param next the cursor of the next page, or {@code null} if this was the last
	 */
	public record LocksDescriptor(List<LockDescriptor> locks, @Nullable String next) implements OperationResponseBody {
	}

	/**
	 * A lock that somebody holds.
	 *
	 * @param name the lock's name, masked if it must not be shown
	 * @param masked true if {@code name} is masked; the lock cannot be looked up by it
	 * @param fair whether its holder asked to be served first come, first served
	 * @param mode beside whom its holder has it
	 * @param holders how many holds it has: this one, and those beside it
	 * @param unitsInUse the units of all these holds together: of a limit, how many
	 * permits are taken
	 * @param holder who holds it
	 * @param token the fencing token
	 * @param since when its present owner got it, by the server's clock
	 * @param age how long ago that was, by the same clock; for a lock of this
	 * application's client, by its monotonic clock
	 * @param clientAge for how long its client has it, of which one owner after another
	 * may have had a part
	 * @param leaseLeft what is left of the lease if nothing renews it
	 * @param watchdogTimeout how long the lease is whenever it is renewed, if it is and
	 * that is known
	 * @param renewalOverdue whether its watchdog is known to be late
	 * @param holdCount how often its owner has acquired it, as far as this application
	 * knows
	 * @param waiters at least how many threads and handles wait
	 */
	public record LockDescriptor(String name, boolean masked, boolean fair, LockMode mode, int holders, int unitsInUse,
			HolderDescriptor holder, long token, Instant since, Duration age, Duration clientAge, Duration leaseLeft,
			@Nullable Duration watchdogTimeout, boolean renewalOverdue, int holdCount, long waiters) {

		static LockDescriptor of(HeldLock lock, String name) {
			return new LockDescriptor(name, !name.equals(lock.name()), lock.fair(), lock.mode(), lock.holders(),
					lock.unitsInUse(),
					new HolderDescriptor(lock.client(), lock.application(), lock.host(), lock.thread(), lock.own()),
					lock.token(), lock.since(), lock.age(), lock.clientAge(), lock.leaseLeft(), lock.watchdogTimeout(),
					lock.renewalOverdue(), lock.holdCount(), lock.waiters());
		}

	}

	/**
	 * A lock that somebody holds, and who waits for it.
	 *
	 * @param lock the lock
	 * @param queue the head of the queue, in the order in which they will get the lock
	 */
	public record QueuedLockDescriptor(LockDescriptor lock, List<QueuedWaiter> queue) implements OperationResponseBody {
	}

	/**
	 * What came of a forced release.
	 *
	 * @param released whether the lock was released
	 * @param message what happened
	 * @param lock the lock as it was when it was released, or as it is held now;
	 * {@code null} if nobody holds it
	 */
	public record ReleaseDescriptor(boolean released, String message,
			@Nullable LockDescriptor lock) implements OperationResponseBody {
	}

	/**
	 * That Redis did not do what was asked. An application that fails at something else
	 * answers with status 500, and without this.
	 *
	 * @param reason what kind of failure it was
	 * @param message what is therefore unknown
	 */
	public record FailureDescriptor(LockServerException.Reason reason,
			String message) implements OperationResponseBody {
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
	}

}
