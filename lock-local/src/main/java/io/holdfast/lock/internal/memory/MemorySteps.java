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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * Who holds a lock and who waits for it, and the steps that commands share: there is one
 * queue, whoever is at its head is granted as soon as it fits beside those who hold, and
 * when that is a reader, all readers before the first fair request are granted with it.
 * Not thread-safe.
 */
final class MemorySteps {

	/**
	 * How many released requests are remembered.
	 */
	private static final int MAX_RELEASED = 4;

	final Map<String, MemoryRequest> members = new LinkedHashMap<>(2);

	final Map<String, MemoryRequest> queue = new LinkedHashMap<>(2);

	final ArrayDeque<String> released = new ArrayDeque<>(MAX_RELEASED);

	/**
	 * The latest stamp that was given out.
	 */
	long last;

	/**
	 * The token of the latest hold; readers who hold together share it.
	 */
	long phase;

	/**
	 * The largest token of a hold that ended without a release. Before the first grant
	 * nothing is known to have been released.
	 */
	long lost = Long.MAX_VALUE;

	private final String key;

	MemorySteps(String key) {
		this.key = key;
	}

	boolean wasReleased(Release release) {
		return this.released.contains(release.id()) || (release.stamp() > this.lost && release.stamp() <= this.last);
	}

	void remember(String id) {
		this.released.addFirst(id);
		if (this.released.size() > MAX_RELEASED) {
			this.released.removeLast();
		}
	}

	void purge(MemoryCall call) {
		for (MemoryRequest member : List.copyOf(this.members.values())) {
			if (member.isOver(call)) {
				lose(member);
			}
		}
	}

	void lose(MemoryRequest member) {
		this.members.remove(member.id());
		this.lost = Math.max(this.lost, member.last);
	}

	boolean join(MemoryCall call, Ask ask) {
		boolean joins = ask.notAfterNanos() - call.nanos() >= 0 && !this.released.contains(ask.id());
		if (joins) {
			this.queue.put(ask.id(), new MemoryRequest(call, ask));
		}
		return joins;
	}

	/**
	 * How many callers wait beside a request that does not want to wait because of them,
	 * as far as it counts; else 0.
	 */
	int crowdBefore(MemoryCall call, Ask ask) {
		int most = (ask.callers() > 0) ? ask.wish().maxWaiters() : 0;
		int count = 0;
		for (MemoryRequest each : this.queue.values()) {
			count += (each.isDead(call) || each.id().equals(ask.id()) || count >= most) ? 0 : each.callers;
		}
		return (most > 0 && count >= most) ? count : 0;
	}

	private @Nullable MemoryRequest head() {
		return this.queue.isEmpty() ? null : this.queue.values().iterator().next();
	}

	/**
	 * Grants the head of the queue as long as it fits, and drops it if it is dead. The
	 * request that asks gets its whole lease, and no message.
	 */
	void advance(MemoryCall call, String asking) {
		List<MemoryRequest> granted = new ArrayList<>(1);
		for (MemoryRequest head = head(); head != null && (head.isDead(call) || fits(head.wish)); head = head()) {
			take(call, head, asking, granted);
			if (head.wish.isShared() && !head.isDead(call)) {
				for (MemoryRequest each : List.copyOf(this.queue.values())) {
					if (each.wish.fair()) {
						break;
					}
					if (each.wish.isShared()) {
						take(call, each, asking, granted);
					}
				}
			}
		}
		boolean othersWait = !this.queue.isEmpty();
		for (MemoryRequest each : granted) {
			if (!each.id().equals(asking)) {
				call.told().add(each.id());
				long left = each.untilMillis - call.millis();
				call.tell(each.client,
						(messages) -> messages.granted(this.key, each.id(), left, each.token, each.last, othersWait));
			}
		}
	}

	private boolean fits(Wish wish) {
		long used = wish.units();
		for (MemoryRequest member : this.members.values()) {
			if (member.wish.excludes(wish)) {
				return false;
			}
			used += member.wish.units();
		}
		return this.members.isEmpty() || wish.isShared() || used <= wish.limit();
	}

	private void take(MemoryCall call, MemoryRequest place, String asking, List<MemoryRequest> granted) {
		this.queue.remove(place.id());
		if (place.isDead(call)) {
			return;
		}
		boolean shared = place.wish.isShared();
		int block = shared ? 1 : Math.max(place.ask.block(), 1);
		// Tokens do not run ahead of the clock, or those of a later process are smaller.
		place.stamp = Math.max(this.last + 1, call.micros() - ((this.last > 0) ? block - 1 : 0));
		this.lost = (this.last > 0) ? this.lost : place.stamp - 1;
		this.last = Math.max(place.stamp, Math.min(call.micros(), place.stamp + block - 1));
		this.phase = (shared && !this.members.isEmpty()) ? this.phase : place.stamp;
		place.token = this.phase;
		place.last = this.last;
		long lease = place.ask.leaseMillis();
		boolean asks = place.id().equals(asking);
		place.untilMillis = call.millis() + (asks ? lease : Math.min(lease, place.timeoutMillis));
		place.sinceMillis = call.millis();
		this.members.put(place.id(), place);
		granted.add(place);
	}

	/**
	 * Tells those who hold that a request waits, if that one is the first. Who was
	 * granted in the same call hears it by that message.
	 */
	void tellHolders(MemoryCall call, String id) {
		MemoryRequest head = head();
		if (head != null && head.id().equals(id)) {
			this.members.values()
				.stream()
				.filter((each) -> !call.told().contains(each.id()))
				.forEach((each) -> call.tell(each.client, (messages) -> messages.awaited(this.key, each.id())));
		}
	}

}
