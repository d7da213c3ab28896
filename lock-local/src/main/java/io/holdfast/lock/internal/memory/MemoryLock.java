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

package io.holdfast.lock.internal.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.memory.MemoryQueue.Place;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.WaiterInfo;
import org.jspecify.annotations.Nullable;

/**
 * One lock by the rules of the scripts; {@code mutex.lua} says what its fields mean and
 * why. Not thread-safe.
 */
public final class MemoryLock {

	/**
	 * How many released requests are remembered while others wait.
	 */
	private static final int MAX_RELEASED = 4;

	/**
	 * By how much the token may tell another time than that of the grant.
	 */
	private static final long NEAR_MILLIS = 1000;

	static final long NONE = -1;

	private final String key;

	final MemoryQueue queue = new MemoryQueue();

	@Nullable String hold;

	/**
	 * Zero once the hold was released.
	 */
	long untilMillis;

	String client = "";

	LockType type = LockType.REENTRANT;

	long token;

	long last;

	/**
	 * When the present owner got it, by the latest word of its client, if that is not the
	 * moment of the token.
	 */
	long sinceMillis = NONE;

	List<String> released = List.of();

	long lost = NONE;

	/**
	 * When nothing in it matters any more.
	 */
	private long endMillis;

	public MemoryLock(String key) {
		this.key = key;
	}

	/**
	 * Grants the lock if it is free, or lets the request wait for it.
	 * @param waits whether to join the queue
	 * @param notAfterMillis server time after which nothing new may be done
	 */
	public LockReply acquire(MemoryCall call, AcquireCommand command, boolean waits, long notAfterMillis) {
		String id = command.id();
		if (holds(id, call)) {
			return standing(id, call);
		}
		Place own = this.queue.find(id);
		if (own == null && (call.millis() > notAfterMillis || id.equals(this.hold) || wasReleased(id, 0))) {
			return new LockReply(State.LATE, 0, 0, 0, false, 0, call.millis(), call.sentNanos());
		}
		boolean held = isHeld(call);
		boolean first = this.queue.isEmpty() || this.queue.first() == own;
		if (own != null) {
			own.leaseMillis = command.request().leaseMillis();
			own.block = command.request().block();
			own.stay(call);
		}
		else if (held && !waits) {
			return standing(id, call);
		}
		else if (waits && (held || !this.queue.isEmpty())) {
			join(id, command.request(), call);
		}
		if (held && first) {
			String holder = String.valueOf(this.hold);
			call.tell(this.client, (messages) -> messages.awaited(this.key, holder));
		}
		handOver(id, call);
		if (!isHeld(call)) {
			LockRequest wanted = command.request();
			grant(id, call.client(), wanted.type(), wanted.leaseMillis(), wanted.block(), call);
		}
		return standing(id, used(call));
	}

	/**
	 * Gives up what a request has, and puts the next one in its place.
	 */
	public ReleaseReply release(MemoryCall call, ReleaseCommand command) {
		LockRequest next = command.next();
		boolean had = release(command.id(), command.token(), next, command.nextId(), call);
		return new ReleaseReply(had, (next != null) ? standing(command.nextId(), used(call)) : null);
	}

	private boolean release(String id, long releasedToken, @Nullable LockRequest next, String nextId, MemoryCall call) {
		Place own = this.queue.find(id);
		if (id.equals(this.hold) && this.untilMillis > 0) {
			endHold();
			if (next != null) {
				join(nextId, next, call);
			}
			handOver((next != null) ? nextId : "", call);
			return true;
		}
		if (own != null) {
			this.queue.leave(own);
			return true;
		}
		return wasReleased(id, releasedToken);
	}

	/**
	 * Says for a request that its client lives.
	 */
	public LockReply renew(MemoryCall call, Renewal renewal) {
		String id = renewal.id();
		Place own = this.queue.find(id);
		if (holds(id, call)) {
			this.untilMillis = Math.max(this.untilMillis, call.millis() + renewal.leaseMillis());
			if (renewal.ownedMillis() > 0) {
				this.sinceMillis = call.millis() - renewal.ownedMillis();
			}
			if (renewal.block() > 0) {
				this.last = Math.max(this.last + 1, Math.min(call.micros(), this.last + renewal.block()));
			}
		}
		else if (own != null) {
			own.stay(call);
			handOver(id, call);
		}
		return standing(id, used(call));
	}

	/**
	 * Takes the lock from a request.
	 * @return whether it had it
	 */
	public boolean evict(MemoryCall call, String id) {
		if (!holds(id, call)) {
			return false;
		}
		call.tell(this.client, (messages) -> messages.forced(this.key, id));
		endHold();
		this.hold = null;
		this.lost = this.token;
		handOver("", call);
		used(call);
		return true;
	}

	/**
	 * Who holds it, or {@code null}.
	 */
	public @Nullable HoldInfo describe(MemoryCall call) {
		String holder = this.hold;
		if (holder == null || !isHeld(call)) {
			return null;
		}
		long since = (this.sinceMillis != NONE) ? this.sinceMillis : TimeUnit.MICROSECONDS.toMillis(this.token);
		return new HoldInfo(this.key, holder, this.client, this.type, this.token, this.last, since,
				Math.max(0, call.millis() - since), left(call), this.queue.size());
	}

	/**
	 * Who waits, in order.
	 */
	public List<WaiterInfo> waiters(MemoryCall call, int limit) {
		List<WaiterInfo> waiters = new ArrayList<>();
		for (Place each = this.queue.first(); each != null && waiters.size() < limit; each = each.next) {
			waiters.add(new WaiterInfo(each.aliveMillis > call.millis(), each.type, each.client, each.id));
		}
		return waiters;
	}

	/**
	 * Whether nothing in it matters any more.
	 */
	boolean isOver(long nowMillis) {
		return nowMillis > this.endMillis;
	}

	private MemoryCall used(MemoryCall call) {
		long used = Math.max(this.untilMillis, call.millis() + (this.queue.isEmpty() ? 0 : call.timeoutMillis()));
		this.endMillis = used + call.retentionMillis();
		return call;
	}

	private boolean isHeld(MemoryCall call) {
		return this.untilMillis > call.millis();
	}

	private boolean holds(String id, MemoryCall call) {
		return isHeld(call) && id.equals(this.hold);
	}

	private void join(String id, LockRequest request, MemoryCall call) {
		this.queue.join(id, call, request);
	}

	/**
	 * Hands a lock that nobody holds to the first waiter that kept its place, with a
	 * lease no longer than a place lasts unless it is the one that asks.
	 */
	private void handOver(String asking, MemoryCall call) {
		boolean changes = false;
		for (Place first = this.queue.first(); first != null && !isHeld(call); first = this.queue.first()) {
			this.queue.leave(first);
			changes = true;
			if (first.aliveMillis > call.millis()) {
				long lease = first.id.equals(asking) ? first.leaseMillis
						: Math.min(first.leaseMillis, first.timeoutMillis);
				grant(first.id, first.client, first.type, lease, first.block, call);
			}
		}
		String holder = this.hold;
		if (changes && holder != null && isHeld(call) && !asking.equals(holder)) {
			long left = left(call);
			long from = this.token;
			long to = this.last;
			boolean awaited = !this.queue.isEmpty();
			call.tell(this.client, (messages) -> messages.granted(this.key, holder, left, from, to, awaited));
		}
	}

	private void grant(String id, String to, LockType order, long leaseMillis, int block, MemoryCall call) {
		if (this.hold != null && this.untilMillis > 0) {
			this.lost = this.last;
		}
		else if (this.hold != null) {
			this.released = this.queue.isEmpty() ? List.of(this.hold)
					: Stream.concat(Stream.of(this.hold), this.released.stream()).limit(MAX_RELEASED).toList();
		}
		long before = this.token;
		long micros = call.micros();
		this.token = (this.last > 0) ? Math.max(this.last + 1, micros - block + 1) : micros;
		this.last = Math.max(this.token, Math.min(micros, this.token + block - 1));
		if (this.lost == NONE) {
			this.lost = ((before > 0) ? before : this.token) - 1;
		}
		this.hold = id;
		this.client = to;
		this.type = order;
		boolean tells = Math.abs(TimeUnit.MICROSECONDS.toMillis(this.token) - call.millis()) <= NEAR_MILLIS;
		this.sinceMillis = tells ? NONE : call.millis();
		this.untilMillis = call.millis() + leaseMillis;
	}

	private void endHold() {
		this.untilMillis = 0;
		this.sinceMillis = NONE;
		this.token = this.last;
	}

	/**
	 * Whether a hold that is not there any more was released.
	 */
	private boolean wasReleased(String id, long releasedToken) {
		return (id.equals(this.hold) && this.untilMillis == 0) || this.released.contains(id)
				|| (this.lost != NONE && releasedToken > this.lost && releasedToken < this.token);
	}

	private long left(MemoryCall call) {
		return Math.max(this.untilMillis - call.millis(), 0);
	}

	/**
	 * How a request stands.
	 */
	private LockReply standing(String id, MemoryCall call) {
		boolean holds = holds(id, call);
		Place own = holds ? null : this.queue.find(id);
		State state = holds ? State.HOLDS : (own != null) ? State.WAITS : State.NONE;
		return new LockReply(state, left(call), holds ? this.token : 0, this.last, !this.queue.isEmpty(),
				(own != null) ? this.queue.before(own) : 0, call.millis(), call.sentNanos());
	}

}
