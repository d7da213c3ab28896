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

package io.holdfast.lock.internal.single;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.holdfast.lock.internal.single.MutexState.Place;
import org.jspecify.annotations.Nullable;

/**
 * What a lock should be: the same as the scripts in terms of a list, by a clock that
 * stands still during a call.
 */
final class MutexModel {

	private final String key;

	private final long timeout;

	/**
	 * What its clients are told, as "client: message".
	 */
	private final List<String> messages;

	private @Nullable String hold;

	private @Nullable Long until;

	private @Nullable Long since;

	private @Nullable String client;

	private @Nullable String mode;

	private long token;

	private long last;

	private List<String> released = List.of();

	private @Nullable Long lost;

	private final List<Numbered> queue = new ArrayList<>();

	private long micros;

	private long now;

	MutexModel(String key, long timeout, List<String> messages) {
		this.key = key;
		this.timeout = timeout;
		this.messages = messages;
	}

	MutexState state() {
		return new MutexState(this.hold, this.until, this.since, this.client, this.mode, this.token, this.last,
				this.released, this.lost, this.queue.stream().map(Numbered::place).toList());
	}

	void setClock(long nowMicros) {
		this.micros = nowMicros;
		this.now = nowMicros / 1000;
	}

	/**
	 * Loses all data.
	 */
	void forget() {
		this.hold = null;
		this.token = 0;
		this.last = 0;
		this.released = List.of();
		this.lost = null;
		this.queue.clear();
		this.client = null;
		this.mode = null;
		endHold();
	}

	String acquire(Place wish, boolean waits, long notAfter) {
		String id = wish.id();
		Numbered own = find(id);
		if (!holds(id)) {
			if (own == null && (this.now > notAfter || id.equals(this.hold) || wasReleased(id, 0))) {
				return id + " " + this.now + " LATE";
			}
			boolean held = isHeld();
			boolean alone = this.queue.isEmpty() || this.queue.get(0).equals(own);
			if (own != null) {
				put(own, wish);
			}
			else if (waits && (held || !this.queue.isEmpty())) {
				join(wish);
			}
			if (held && alone && find(id) != null) {
				tell(this.client, "awaited " + this.hold);
			}
			handOver(id);
			if (!isHeld()) {
				grant(wish, wish.lease());
			}
		}
		return id + " " + this.now + " " + standing(id);
	}

	String release(String id, List<String> passed, long releasedToken, @Nullable Place next) {
		passed.forEach((each) -> release(each, List.of(), 0, null));
		String status;
		Numbered own = find(id);
		if (id.equals(this.hold) && this.until != null) {
			endHold();
			if (next != null) {
				join(next);
			}
			handOver((next != null) ? next.id() : "");
			status = "RELEASED";
		}
		else if (own != null) {
			this.queue.remove(own);
			status = "LEFT";
		}
		else {
			status = wasReleased(id, releasedToken) ? "RELEASED" : "GONE";
		}
		return id + " " + status + ((next != null) ? " " + this.now + " " + standing(next.id()) : "");
	}

	String renew(String id, long lease, int block) {
		Numbered own = find(id);
		if (holds(id)) {
			this.until = Math.max(Objects.requireNonNull(this.until), this.now + lease);
			if (block > 0) {
				this.last = Math.max(this.last + 1, Math.min(this.micros, this.last + block));
			}
		}
		else if (own != null) {
			put(own, own.place());
			handOver(id);
		}
		return id + " " + standing(id);
	}

	boolean evict(String id) {
		if (!isHeld() || !id.equals(this.hold)) {
			return false;
		}
		String ousted = this.hold;
		tell(this.client, "forced " + ousted);
		endHold();
		this.hold = null;
		this.lost = this.last;
		handOver("");
		return true;
	}

	private boolean isHeld() {
		return this.until != null && this.until > this.now;
	}

	private boolean holds(String id) {
		return isHeld() && id.equals(this.hold);
	}

	private @Nullable Numbered find(String id) {
		return this.queue.stream().filter((each) -> each.place().id().equals(id)).findFirst().orElse(null);
	}

	private void join(Place wish) {
		long number = this.queue.isEmpty() ? 1 : this.queue.get(this.queue.size() - 1).number() + 1;
		this.queue.add(new Numbered(number, wish.stayingUntil(this.now + this.timeout)));
	}

	/**
	 * Lets a request stay where it is. Its client and type are those with which it came.
	 */
	private void put(Numbered own, Place wish) {
		Place before = own.place();
		this.queue.set(this.queue.indexOf(own), new Numbered(own.number(), new Place(before.id(),
				this.now + this.timeout, wish.lease(), wish.block(), before.mode(), before.client())));
	}

	private void handOver(String asking) {
		boolean changes = !isHeld() && !this.queue.isEmpty();
		while (!isHeld() && !this.queue.isEmpty()) {
			Place first = this.queue.remove(0).place();
			if (first.alive() > this.now) {
				grant(first, first.id().equals(asking) ? first.lease() : Math.min(first.lease(), this.timeout));
			}
		}
		if (changes && isHeld() && !asking.equals(this.hold)) {
			tell(this.client, "granted " + this.hold + " " + this.token + " " + this.last + " " + left() + " "
					+ (this.queue.isEmpty() ? 0 : 1));
		}
	}

	private void grant(Place to, long lease) {
		if (this.until != null) {
			this.lost = this.last;
		}
		if (this.hold != null && this.until == null) {
			this.released = this.queue.isEmpty() ? List.of(this.hold)
					: Stream.concat(Stream.of(this.hold), this.released.stream()).limit(4).toList();
		}
		long before = this.token;
		this.token = (this.last > 0) ? Math.max(this.last + 1, this.micros - to.block() + 1) : this.micros;
		this.last = Math.max(this.token, Math.min(this.micros, this.token + to.block() - 1));
		if (this.lost == null) {
			this.lost = ((before > 0) ? before : this.token) - 1;
		}
		this.hold = to.id();
		this.client = to.client();
		this.mode = to.mode();
		this.since = (Math.abs(this.token / 1000 - this.now) > 1000) ? this.now : null;
		this.until = this.now + lease;
	}

	private void endHold() {
		this.until = null;
		this.since = null;
		this.token = this.last;
	}

	private boolean wasReleased(String id, long releasedToken) {
		return (id.equals(this.hold) && this.until == null) || this.released.contains(id)
				|| (this.lost != null && releasedToken > this.lost && releasedToken < this.token);
	}

	private void tell(@Nullable String whom, String what) {
		this.messages.add(whom + ": 2 " + what + " " + this.key);
	}

	private long left() {
		return (this.until != null) ? Math.max(this.until - this.now, 0) : 0;
	}

	private String standing(String id) {
		Numbered own = find(id);
		String state = holds(id) ? "HOLDS" : (own != null) ? "WAITS" : "NONE";
		long before = (own != null) ? own.number() - this.queue.get(0).number() : 0;
		return state + " " + left() + " " + (holds(id) ? this.token : 0) + " " + this.last + " "
				+ (this.queue.isEmpty() ? 0 : 1) + " " + before + ((own != null) ? " " + before(own) : "");
	}

	private String before(Numbered own) {
		int at = this.queue.indexOf(own);
		return (at > 0) ? this.queue.get(at - 1).place().id() : isHeld() ? Objects.requireNonNull(this.hold) : "-";
	}

	/**
	 * A place and its number, which does not change when others leave.
	 */
	private record Numbered(long number, Place place) {
	}

}
