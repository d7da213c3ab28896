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

import java.util.Collection;
import java.util.List;

import io.holdfast.lock.LockMode.Kind;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.WaiterInfo;
import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * One lock by the rules of the scripts. Not thread-safe.
 */
final class MemoryLock {

	/**
	 * How many holds are described at most.
	 */
	private static final int MAX_HOLDS = 100;

	final MemorySteps steps;

	private final String key;

	/**
	 * When nothing in it matters any more.
	 */
	private long endMillis;

	MemoryLock(String key) {
		this.key = key;
		this.steps = new MemorySteps(key);
	}

	/**
	 * Carries out what a client sends.
	 */
	Reply execute(MemoryCall call, Command command) {
		if (command instanceof Ask ask) {
			return ask(call, ask);
		}
		if (command instanceof Renew renew) {
			return renew(call, renew);
		}
		return (command instanceof Release release) ? release(call, release) : downgrade(call, command.id());
	}

	private Reply ask(MemoryCall call, Ask ask) {
		this.steps.purge(call);
		MemoryRequest place = this.steps.queue.get(ask.id());
		boolean late = false;
		if (place != null) {
			place.stay(call, ask.callers());
		}
		else if (!this.steps.members.containsKey(ask.id())) {
			late = !this.steps.join(call, ask);
		}
		this.steps.advance(call, ask.id());
		int crowd = (place == null && this.steps.queue.containsKey(ask.id())) ? this.steps.crowdBefore(call, ask) : 0;
		if ((ask.callers() == 0 || crowd > 0) && this.steps.queue.remove(ask.id()) != null) {
			this.steps.advance(call, ask.id());
		}
		this.steps.tellHolders(call, ask.id());
		if (crowd > 0) {
			reply(call, Word.FULL, null);
			return new Reply(Word.FULL, 0, 0, crowd, false, call.nanos(), null);
		}
		return late ? reply(call, Word.LATE, null) : standing(call, ask.id(), Word.NONE);
	}

	private Reply renew(MemoryCall call, Renew renew) {
		this.steps.purge(call);
		MemoryRequest member = this.steps.members.get(renew.id());
		MemoryRequest place = this.steps.queue.get(renew.id());
		if (member != null) {
			member.untilMillis = Math.max(member.untilMillis, call.millis() + renew.leaseMillis());
			member.sinceMillis = (renew.ownedMillis() > 0) ? call.millis() - renew.ownedMillis() : member.sinceMillis;
			if (renew.block() > 0 && member.wish.kind() == Kind.EXCLUSIVE) {
				this.steps.last = Math.max(this.steps.last + 1,
						Math.min(call.micros(), this.steps.last + renew.block()));
				member.last = this.steps.last;
			}
		}
		else if (place != null) {
			place.stay(call, renew.callers());
		}
		this.steps.advance(call, renew.id());
		this.steps.tellHolders(call, renew.id());
		return standing(call, renew.id(), Word.NONE);
	}

	/**
	 * A release that finds nothing ends nothing, not even what is over: or the same
	 * release, run again, would be told something else.
	 */
	private Reply release(MemoryCall call, Release release) {
		Word word = this.steps.wasReleased(release) ? Word.RELEASED : Word.GONE;
		Ask next = release.next();
		boolean held = this.steps.members.remove(release.id()) != null;
		boolean changes = held || this.steps.queue.remove(release.id()) != null;
		if (held) {
			this.steps.remember(release.id());
		}
		if (changes) {
			word = held ? Word.RELEASED : Word.LEFT;
			this.steps.purge(call);
		}
		if (next == null) {
			if (changes) {
				this.steps.advance(call, "");
			}
			return reply(call, word, null);
		}
		if (!this.steps.members.containsKey(next.id()) && !this.steps.queue.containsKey(next.id())) {
			this.steps.join(call, next);
		}
		this.steps.advance(call, next.id());
		this.steps.tellHolders(call, next.id());
		return reply(call, word, standing(call, next.id(), Word.LATE));
	}

	/**
	 * Makes a reader of an exclusive holder, which begins a phase.
	 */
	private Reply downgrade(MemoryCall call, String id) {
		this.steps.purge(call);
		MemoryRequest member = this.steps.members.get(id);
		if (member != null && member.wish.kind() == Kind.EXCLUSIVE) {
			member.wish = Wish.shared(member.wish.fair());
			this.steps.last = Math.max(this.steps.last + 1, call.micros());
			this.steps.phase = this.steps.last;
			member.token = this.steps.last;
			member.stamp = this.steps.last;
			member.last = this.steps.last;
		}
		this.steps.advance(call, "");
		return standing(call, id, Word.NONE);
	}

	/**
	 * Takes the lock from those who hold it.
	 * @param which ids of requests, or tokens; empty for all
	 * @return how many had it
	 */
	int evict(MemoryCall call, Collection<String> which) {
		this.steps.purge(call);
		List<MemoryRequest> ended = this.steps.members.values()
			.stream()
			.filter((each) -> which.isEmpty() || which.contains(each.id()) || which.contains(Long.toString(each.token)))
			.toList();
		for (MemoryRequest member : ended) {
			this.steps.lose(member);
			call.tell(member.client, (messages) -> messages.forced(this.key, member.id()));
		}
		this.steps.advance(call, "");
		reply(call, Word.GONE, null);
		return ended.size();
	}

	/**
	 * Who holds it.
	 */
	List<HoldInfo> describe(MemoryCall call) {
		List<MemoryRequest> holders = this.steps.members.values()
			.stream()
			.filter((each) -> !each.isOver(call))
			.toList();
		int units = holders.stream().mapToInt((each) -> each.wish.mode().units()).sum();
		return holders.stream()
			.limit(MAX_HOLDS)
			.map((each) -> new HoldInfo(this.key, each.id(), each.client, each.wish, each.token,
					each.wish.isShared() ? each.token : each.last, each.sinceMillis,
					Math.max(0, call.millis() - each.sinceMillis), each.untilMillis - call.millis(), 0,
					this.steps.queue.size(), holders.size(), units))
			.toList();
	}

	/**
	 * Who waits, in order.
	 */
	List<WaiterInfo> waiters(MemoryCall call, int limit) {
		return this.steps.queue.values()
			.stream()
			.limit(limit)
			.map((each) -> new WaiterInfo(!each.isDead(call), each.wish, each.client, each.id()))
			.toList();
	}

	/**
	 * Whether nothing in it matters any more.
	 */
	boolean isOver(long nowMillis) {
		return this.steps.last == 0 || nowMillis > this.endMillis;
	}

	/**
	 * How a request stands.
	 * @param otherwise the word for one that has nothing
	 */
	private Reply standing(MemoryCall call, String id, Word otherwise) {
		MemoryRequest member = this.steps.members.get(id);
		Reply reply = reply(call, this.steps.queue.containsKey(id) ? Word.WAITS : otherwise, null);
		return (member != null) ? new Reply(Word.HOLDS, Math.max(0, member.untilMillis - call.millis()), member.token,
				member.last, !this.steps.queue.isEmpty(), call.nanos(), null) : reply;
	}

	private Reply reply(MemoryCall call, Word word, @Nullable Reply next) {
		long used = call.millis() + (this.steps.queue.isEmpty() ? 0 : call.timeoutMillis());
		for (MemoryRequest member : this.steps.members.values()) {
			used = Math.max(used, member.untilMillis);
		}
		this.endMillis = used + call.retentionMillis();
		return new Reply(word, 0, 0, this.steps.last, false, call.nanos(), next);
	}

}
