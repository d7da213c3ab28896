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

package io.holdfast.lock.internal.engine;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.LostGrants.Lost;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * Who waits, who holds, who is next, what is believed: the locks that a client holds or
 * waits for. Its methods are the inputs of callers: one wants, leaves, releases; an
 * answer comes. Messages come in through {@link #messages()}, time through
 * {@link #time()}. What they return is what the caller of the method has to send. Never
 * blocks and never asks a server; thread-safe.
 * <p>
 * What a name needs is here while it is used and gone afterwards.
 */
public final class LockEngine {

	private final LockKeys keys;

	private final EngineContext context;

	private final EngineMessages messages;

	private final EngineTime time;

	private final EngineView view;

	private final EngineReentry reentry;

	/**
	 * Create the engine of a client.
	 */
	public LockEngine(EngineSettings settings, LockKeys keys, PendingReleases pendingReleases, EngineHost host) {
		this.keys = keys;
		this.context = new EngineContext(settings, keys, pendingReleases, host);
		this.messages = new EngineMessages(this.context);
		this.time = new EngineTime(this.context);
		this.view = new EngineView(this.context);
		this.reentry = new EngineReentry(this.context);
	}

	/**
	 * The inputs that come by message.
	 */
	public LockMessages messages() {
		return this.messages;
	}

	/**
	 * The inputs that come with time.
	 */
	public EngineTime time() {
		return this.time;
	}

	/**
	 * The inputs of owners that acquire and give back what they hold.
	 */
	public EngineReentry reentry() {
		return this.reentry;
	}

	/**
	 * What others may see of it.
	 */
	public EngineView view() {
		return this.view;
	}

	/**
	 * The monotonic clock.
	 */
	public long now() {
		return this.context.now();
	}

	// Callers that want a lock

	/**
	 * A caller wants a lock.
	 * @param name the lock's name
	 * @param waiter the caller
	 * @return where it stands
	 * @throws LockLostException if it held the lock, lost it, and has not unlocked yet
	 */
	public Entrance enter(String name, LockType type, Waiter waiter) {
		String key = this.keys.lock(name);
		while (true) {
			LocalLock lock = this.context.locks.computeIfAbsent(name,
					(unused) -> new LocalLock(this.context, name, key));
			Entrance entrance = lock.<@Nullable Entrance>call(() -> enter(lock, type, waiter));
			if (entrance != null) {
				return entrance;
			}
		}
	}

	private @Nullable Entrance enter(LocalLock lock, LockType type, Waiter waiter) {
		try {
			long now = now();
			lock.expire(now);
			return lock.isRetired() ? null : enter(lock, type, waiter, now);
		}
		finally {
			lock.retireIfUnused();
		}
	}

	private Entrance enter(LocalLock lock, LockType type, Waiter waiter, long nowNanos) {
		Grant held = lock.grantOf(waiter.owner);
		if (held != null) {
			return this.reentry.prolong(held, waiter.lease);
		}
		LockLoss loss = this.context.lostGrants.enter(waiter.owner, lock.name());
		if (loss != null) {
			throw new LockLostException(loss);
		}
		boolean joined = lock.join(type, waiter, nowNanos);
		return joined ? new Entrance.Joined() : new Entrance.Refused(waiter.entry().noAnswer(nowNanos));
	}

	/**
	 * A caller that joined wants to know what to do.
	 * @param cancelled whether it does not want to wait any more
	 * @return what to do next
	 */
	public Step next(Waiter waiter, boolean cancelled) {
		return waiter.entry().lock.call(() -> waiter.next(cancelled || this.context.closed, now()));
	}

	/**
	 * An answer came to a question.
	 */
	public void replied(Waiter waiter, AcquireCommand command, LockReply reply) {
		waiter.entry().lock.run(() -> waiter.entry().asking.replied(command, reply, waiter, now()));
	}

	/**
	 * No answer came to a question.
	 */
	public void failed(Waiter waiter, AcquireCommand command, LockServerException failure) {
		waiter.entry().lock.run(() -> waiter.entry().asking.failed(command, failure, now()));
	}

	/**
	 * The confirmation of a hold is over.
	 */
	public void confirmed(Waiter waiter, Renewal renewal, Outcome<LockReply> confirmation) {
		waiter.entry().lock.run(() -> waiter.entry().holding.confirmed(renewal, confirmation, now()));
	}

	/**
	 * A caller that joined goes, because it was told to, or because it must.
	 * @return with what
	 */
	public Departure leave(Waiter waiter) {
		return waiter.entry().lock.call(() -> {
			if (waiter.grant != null) {
				return new Departure(waiter.grant, null, null);
			}
			long now = now();
			ReleaseCommand command = waiter.entry().leave(waiter, now);
			return new Departure(null, waiter.reason(),
					(command != null) ? new Release(waiter.entry(), command, now) : null);
		});
	}

	/**
	 * A caller that joined goes without leaving, because of something unexpected: all
	 * that is known of its lock is discarded. It does not know of a grant that it may
	 * have.
	 */
	public void discard(Waiter waiter, Throwable cause) {
		LocalLock lock = waiter.entry().lock;
		synchronized (lock) {
			lock.tear(cause);
			if (waiter.grant != null) {
				discard(waiter.grant, cause);
			}
		}
	}

	/**
	 * Something unexpected kept an owner from giving back one acquisition, which counts
	 * as given back all the same: all that is known of its lock is discarded.
	 */
	public void discard(Grant grant, Throwable cause) {
		synchronized (grant.entry.lock) {
			grant.entry.lock.tear(cause);
			// The watchdog may have discarded it by now: an outer call is told of that.
			if (grant.loss() != null) {
				endLost(grant);
			}
			else if (!grant.giveBackOne()) {
				grant.release();
			}
		}
	}

	/**
	 * An unexpected failure has hidden the outcome of a release: discards what is known
	 * of its lock.
	 */
	public void discard(Release release, Throwable cause) {
		release.entry().lock.tear(cause);
	}

	// Owners

	/**
	 * The grant of an owner, valid or just over, or {@code null}.
	 */
	public @Nullable Grant grant(String name, Object owner) {
		LocalLock lock = this.context.locks.get(name);
		if (lock == null) {
			return null;
		}
		synchronized (lock) {
			return lock.grantOf(owner);
		}
	}

	/**
	 * What a thread has lost and not given back yet, or {@code null}.
	 */
	public @Nullable LockLoss loss(String name, Thread owner) {
		return this.context.lostGrants.find(owner, name);
	}

	/**
	 * A thread gives back one acquisition of what it has lost.
	 * @return the loss, or {@code null} if there is none
	 */
	public @Nullable LockLoss giveBackLost(String name, Thread owner) {
		Lost lost = this.context.lostGrants.giveBack(owner, name);
		if (lost == null) {
			return null;
		}
		if (lost.count() == 1) {
			this.context.releaseOver(this.keys.lock(name), lost.overId());
		}
		return lost.loss();
	}

	/**
	 * An owner gives back one acquisition. The last one passes the lock on: to a caller
	 * of this client if it may, else to the server.
	 * @return what came of it
	 * @throws LockLostException if the grant was lost; it counts as given back
	 */
	public Release.Result release(Grant grant) {
		return grant.entry.lock.call(() -> {
			long now = now();
			grant.entry.holding.expire(now);
			LockLoss loss = grant.loss();
			if (loss != null && !grant.isReleased()) {
				endLost(grant);
				throw new LockLostException(loss);
			}
			if (grant.isReleased() || grant.giveBackOne() || grant != grant.entry.holding.grant()) {
				return Release.Result.NOTHING;
			}
			ReleaseCommand command = grant.entry.holding.release(grant, now);
			return (command != null)
					? new Release.Result(new Release(grant.entry, command, grant.deadlineNanos()), false)
					: Release.Result.PASSED_ON;
		});
	}

	private void endLost(Grant grant) {
		if (grant.owner() instanceof Thread thread) {
			giveBackLost(grant.name(), thread);
		}
		else {
			this.context.releaseOver(grant.entry.lock.key(), grant.overId());
		}
		grant.release();
	}

	/**
	 * An operator is about to end the hold of a request by force. Until {@link #unpin},
	 * it is not passed on inside this client, so no later owner than now loses it.
	 */
	public void pin(String id) {
		this.context.pin(id);
	}

	/**
	 * An operator has ended the hold of a request, or could not.
	 */
	public void unpin(String id) {
		this.context.unpin(id);
	}

	/**
	 * An answer came to a release.
	 * @return what to send next, or {@code null}
	 */
	public @Nullable Release released(Release release, ReleaseReply reply) {
		return release.entry().lock.<@Nullable Release>call(() -> {
			long now = now();
			ReleaseCommand next = release.entry().leaving.released(release.command(), reply, now);
			return (next != null) ? new Release(release.entry(), next, now) : null;
		});
	}

	/**
	 * No answer came to a release, which goes on in the background.
	 */
	public void releaseFailed(Release release, LockServerException failure) {
		release.entry().lock
			.run(() -> release.entry().leaving.failed(release.command(), failure, release.heldUntilNanos(), now()));
	}

	/**
	 * The server did not know the hold that was released, and nothing here had noticed.
	 */
	public LockLoss gone(Grant grant) {
		return grant.entry.lock.call(() -> this.context.lose(grant, Cause.GONE, now()));
	}

	/**
	 * Ends a grant whose deadline has passed.
	 */
	public void expire(Grant grant) {
		grant.entry.lock.run(() -> grant.entry.holding.expire(now()));
	}

	// The end

	/**
	 * Whether the client is closed.
	 */
	public boolean isClosed() {
		return this.context.closed;
	}

	/**
	 * What has made an end of the client, which has to be closed then; or {@code null}.
	 */
	public @Nullable Throwable broken() {
		return this.context.broken;
	}

	/**
	 * Ends everything: nothing is held any more, all who wait leave, and what there is to
	 * release is pending, except what an owner at work has to give back itself.
	 */
	public void close() {
		this.context.closed = true;
		this.context.pendingReleases.close();
		for (LocalLock lock : this.context.locks.values()) {
			try {
				lock.run(() -> lock.entries().forEach((entry) -> entry.close(now())));
			}
			catch (Error ex) {
				// The others are to end all the same.
				this.context.breakDown(ex);
			}
		}
	}

}
