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

package io.holdfast.lock.internal.engine.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.Verdict;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.memory.MemoryView.Row;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Wish;

/**
 * Knows who believes to hold what, and what no lock may do.
 */
final class Referee {

	private final Simulation simulation;

	private final Map<Caller, Belief> beliefs = new LinkedHashMap<>();

	/** The largest token of anybody who began, by lock. */
	private final Map<String, Long> tokens = new HashMap<>();

	/** The largest token of anybody who began alone, by lock. */
	private final Map<String, Long> exclusiveTokens = new HashMap<>();

	/** Up to which token the server has forgotten grants, by lock. */
	private final Map<String, Long> forgotten = new HashMap<>();

	/** When somebody kept others from a lock last, by lock and kind. */
	private final Map<String, Long> busy = new HashMap<>();

	/** Blocks of tokens that the server has given out, by lock. */
	private final Map<String, TreeMap<Long, Long>> blocks = new HashMap<>();

	/** Since when a writer is at the head of the queue, by lock. */
	private final Map<String, Long> writerAtHead = new HashMap<>();

	/** How often each hold was passed on while another client waited. */
	private final Map<String, Integer> passes = new HashMap<>();

	/** Since when each hold was passed on while another client waited. */
	private final Map<String, Long> passedSince = new HashMap<>();

	private final Map<String, String> heads = new HashMap<>();

	private final Map<String, Long> headSince = new HashMap<>();

	private final Map<String, String> writers = new HashMap<>();

	/** Who waits, and since when nobody has the lock for which it waits. */
	private final Map<Caller, Waiting> waiting = new LinkedHashMap<>();

	/** Who waited, in order, when the server did something last, by lock. */
	private final Map<String, List<Row>> queues = new HashMap<>();

	/** Since when each hold of readers is known to its client, by request. */
	private final Map<String, Long> holdsSince = new HashMap<>();

	/**
	 * Since when the server does not have the holds of those who believe to have them.
	 */
	private final Map<Caller, Long> goneSince = new HashMap<>();

	/** Until when callers waited that do not any more, by lock. */
	private final Map<String, List<Long>> waited = new HashMap<>();

	/** Requests that have held. */
	private final Set<String> known = new HashSet<>();

	/** Requests that a readers' turn has overtaken. */
	private final Set<String> overtaken = new HashSet<>();

	private long grants;

	Referee(Simulation simulation) {
		this.simulation = simulation;
	}

	long grants() {
		return this.grants;
	}

	/**
	 * Requires what is to hold.
	 * @param message the parts of what is said if it does not: nearly always it does
	 */
	void require(boolean holds, Object... message) {
		if (!holds) {
			throw new AssertionError(Stream.of(message).map(String::valueOf).collect(Collectors.joining()));
		}
	}

	/**
	 * The server has forgotten who holds a lock: they may believe it for a while.
	 */
	void replaced(String lock, long token) {
		this.forgotten.merge(lock, token, Math::max);
	}

	/**
	 * The server has granted tokens, or more of them.
	 */
	private void reserves(String lock, long first, long last) {
		this.blocks.computeIfAbsent(lock, (each) -> new TreeMap<>()).merge(first, last, Math::max);
	}

	/**
	 * A caller wants a lock.
	 * @param waitNanos for how long it waits; negative for ever
	 */
	void wants(Caller caller, String lock, Waiter waiter, long waitNanos) {
		this.waiting.put(caller, new Waiting(lock, waiter,
				(waitNanos < 0) ? Long.MAX_VALUE : this.simulation.world.nanos() + waitNanos));
	}

	/**
	 * A client asks: nobody joins a queue whose time is up.
	 */
	void asks(Client client, Command.Ask ask) {
		require(ask.callers() == 0
				|| this.waiting.entrySet()
					.stream()
					.anyMatch((each) -> each.getKey().client == client && each.getValue().lock.equals(ask.key())
							&& each.getValue().endNanos > this.simulation.world.nanos()),
				ask.id() + " waits for nobody");
	}

	/**
	 * A question was refused for good: whoever waits behind it is told, unless another
	 * owner in the client is known to have the lock.
	 */
	void refused(Client client, Command.Ask ask) {
		LockState state = client.table.find(ask.key());
		boolean known = state != null && state.holder(this.simulation.world.nanos()) != null;
		if (!known && this.simulation.plan.isOnly(Plan.Fault.REFUSED)
				&& ask.leaseMillis() == this.simulation.plan.watchdogMillis) {
			this.waiting.forEach((caller, each) -> require(
					caller.client != client || !each.lock.equals(ask.key()) || !each.waiter.wish().equals(ask.wish())
							|| ask.wish().fair() || ask.wish().maxWaiters() > 0
							|| this.simulation.leases.containsKey(each.waiter.owner()) || each.waiter.outcome() != null,
					caller + " is not told that it was refused"));
		}
	}

	/**
	 * A message says that a request holds the lock, or does not any more: until it has
	 * arrived its client cannot know.
	 */
	void tells(String lock) {
		for (LockMode.Kind kind : LockMode.Kind.values()) {
			this.busy.put(lock + kind, this.simulation.world.nanos() + World.millis(1));
		}
	}

	/**
	 * The server is about to do something.
	 */
	void executes() {
		long now = this.simulation.world.nanos();
		for (String name : this.simulation.server.keys()) {
			List<Row> holds = this.simulation.server.holds(name);
			boolean waits = !this.simulation.server.queue(name).isEmpty();
			for (LockMode.Kind kind : LockMode.Kind.values()) {
				if (waits || holds.stream()
					.anyMatch((each) -> each.wish().kind() != kind || kind != LockMode.Kind.SHARED)) {
					this.busy.merge(name + kind, now, Math::max);
				}
			}
		}
	}

	/**
	 * The server has done something.
	 */
	void executed() {
		executes();
		this.simulation.server.keys().forEach(this::executed);
	}

	private void executed(String name) {
		long now = this.simulation.world.nanos();
		int used = 0;
		int limit = 0;
		long phase = 0;
		Wish first = null;
		for (Row hold : this.simulation.server.holds(name)) {
			reserves(name, hold.stamp(), hold.last());
			require(!hold.wish().isShared() || phase == 0 || hold.token() == phase, "readers with tokens of their own");
			phase = hold.token();
			require(first == null || !hold.wish().excludes(first), "the server grants ",
					this.simulation.server.describe(name));
			first = hold.wish();
			used += hold.wish().units();
			limit = Math.max(limit, hold.wish().limit());
		}
		require(first == null || first.isShared() || used <= limit, "the server exceeds a limit: ",
				this.simulation.server.describe(name));
		List<Row> queue = this.simulation.server.queue(name);
		checkOrder(name, this.queues.getOrDefault(name, List.of()), queue);
		checkBound(this.queues.getOrDefault(name, List.of()), queue);
		this.queues.put(name, queue);
		String head = queue.isEmpty() ? "" : queue.get(0).id();
		if (!head.equals(this.heads.put(name, head))) {
			this.headSince.put(name, now);
		}
		String writer = (!queue.isEmpty() && queue.get(0).wish().kind() == LockMode.Kind.EXCLUSIVE) ? head : "";
		if (!writer.equals(this.writers.put(name, writer))) {
			this.writerAtHead.put(name, writer.isEmpty() ? Long.MAX_VALUE : now);
		}
	}

	/**
	 * Nobody overtakes whoever has come before, but readers in default order once, and
	 * those no fair request.
	 */
	private void checkOrder(String name, List<Row> before, List<Row> queue) {
		List<String> holds = this.simulation.server.holds(name).stream().map(Row::id).toList();
		Set<String> waiting = queue.stream()
			.filter(this.simulation.server::isAlive)
			.map(Row::id)
			.collect(Collectors.toSet());
		// An attempt that was sent twice may come anew after all is over
		queue.stream()
			.map(Row::id)
			.filter((id) -> before.stream().noneMatch((each) -> each.id().equals(id)))
			.forEach(this.overtaken::remove);
		Set<String> overtakenNow = new HashSet<>();
		List<Row> earlier = new ArrayList<>();
		for (Row place : before) {
			if (waiting.contains(place.id())) {
				earlier.add(place);
			}
			else if (holds.contains(place.id())) {
				for (Row other : earlier) {
					require(place.wish().isShared() && !place.wish().fair() && !other.wish().fair(), place.id(),
							" overtakes ", other.id());
					overtakenNow.add(other.id());
				}
			}
		}
		for (Row hold : this.simulation.server.holds(name)) {
			boolean isNew = before.stream().noneMatch((each) -> each.id().equals(hold.id()))
					&& this.known.add(hold.id());
			require(!isNew || earlier.isEmpty() || (hold.wish().isShared() && !hold.wish().fair()
					&& earlier.stream().noneMatch((each) -> each.wish().fair())), hold.id() + " barges in");
			if (isNew) {
				earlier.forEach((each) -> overtakenNow.add(each.id()));
			}
			this.known.add(hold.id());
		}
		overtakenNow.forEach((each) -> require(this.overtaken.add(each), each + " is overtaken twice"));
	}

	/**
	 * Nobody joins behind more callers than it wants to, but in one step with a release.
	 */
	private void checkBound(List<Row> before, List<Row> queue) {
		int callers = 0;
		for (Row place : queue) {
			int most = place.wish().maxWaiters();
			boolean joins = before.stream().noneMatch((each) -> each.id().equals(place.id()));
			require(!joins || most == 0 || callers < most, place.id(), " waits behind ", callers);
			callers += this.simulation.server.isAlive(place) ? place.callers() : 0;
		}
	}

	/**
	 * As many wait as may, or did when their clients last said how many.
	 */
	private void checkFull(Caller caller, String lock, Waiter waiter, int waiting) {
		int most = waiter.wish().maxWaiters();
		require(most > 0 && waiting >= most, caller + " is told that " + waiting + " wait");
		long others = this.waiting.values().stream().filter((each) -> each.lock.equals(lock)).count();
		others += this.waited.getOrDefault(lock, List.of())
			.stream()
			.filter((end) -> end >= waiter.sinceNanos() - World.millis(this.simulation.plan.waiterMillis / 3 + 5))
			.count();
		require(others >= most || !this.simulation.plan.isCalm(), caller + " is refused behind " + others);
	}

	private void waitsNoMore(Caller caller, String lock) {
		this.waiting.remove(caller);
		this.waited.computeIfAbsent(lock, (each) -> new ArrayList<>()).add(this.simulation.world.nanos());
	}

	/**
	 * A wait ends, and its caller is about to be woken: it does not fail before its time
	 * is up, unless the server has been silent for long.
	 */
	void decided(Client client, Waiter waiter) {
		long now = this.simulation.world.nanos();
		if (waiter.outcome() instanceof Verdict.Failed && !waiter.isTimeUp(now) && !this.simulation.plan.isPaused()) {
			String lock = waiter.state().name();
			require(this.simulation.plan.has(Plan.Fault.REFUSED)
					|| now - waiter.sinceNanos() >= World.millis(this.simulation.plan.waiterMillis)
					|| now - client.answeredNanos(lock) >= World.millis(this.simulation.plan.waiterMillis / 2),
					waiter.owner() + " fails too early to get " + lock);
		}
	}

	void told(Caller caller, String lock, Waiter waiter, Verdict outcome) {
		require(outcome != Verdict.Simple.UNKNOWN && outcome != Verdict.Simple.UPGRADE, caller + " is told " + outcome);
		long now = this.simulation.world.nanos();
		executes();
		this.waiting.remove(caller);
		if (outcome instanceof Verdict.Full full) {
			checkFull(caller, lock, waiter, full.waiting());
		}
		waitsNoMore(caller, lock);
		changed(lock);
		if (outcome == Verdict.Simple.OTHER) {
			require(waiter.isTimeUp(now), caller + " is refused before its time is up");
			long last = this.busy.getOrDefault(lock + waiter.wish().kind(), -1L);
			boolean kept = last >= waiter.sinceNanos() || this.beliefs.values()
				.stream()
				.anyMatch((each) -> each.lock().equals(lock) && each.wish().excludes(waiter.wish()));
			require(kept || this.simulation.plan.knowsLate() || endedSince(lock, waiter),
					caller + " is told that another has " + lock + ", which nobody has had");
		}
		if (outcome == Verdict.Simple.CLOSED) {
			require(caller.client.isClosed(), caller + " is told that its client is closed");
		}
		if (outcome instanceof Verdict.Failed) {
			require(this.simulation.plan.canFail(), caller + " is told of a failure, and nothing went wrong");
		}
	}

	/**
	 * A caller does not wait any more.
	 */
	void cancelled(Caller caller, String lock) {
		waitsNoMore(caller, lock);
		changed(lock);
	}

	private boolean endedSince(String lock, Waiter waiter) {
		return this.busy.getOrDefault(lock + "ended", -1L) >= waiter.sinceNanos();
	}

	void begins(Caller caller, String lock, Grant grant, Wish wish) {
		this.grants++;
		Belief belief = new Belief(lock, grant, wish, this.simulation.world.nanos(), 0);
		this.beliefs.put(caller, belief);
		this.goneSince.remove(caller);
		Map.Entry<Long, Long> block = this.blocks.getOrDefault(lock, new TreeMap<>()).floorEntry(grant.token());
		require(block != null && (wish.isShared() || grant.token() <= block.getValue()),
				caller + " has a token that the server has not given out");
		require(!wish.fair() || wish.isShared() || grant.token() == block.getKey(),
				caller + " is fair, and got a hold that was another's");
		if (!wish.isShared() && this.simulation.plan.isCalm()) {
			List<Row> queue = this.simulation.server.queue(lock);
			String head = queue.isEmpty() ? "" : queue.get(0).id();
			String hold = block.getKey() + " while " + head + " waits";
			boolean counts = !head.isEmpty() && !head.startsWith(caller.client.number())
					&& this.simulation.world.nanos() - this.headSince.getOrDefault(lock, 0L) > World.millis(2)
					&& grant.token() > block.getKey();
			int passed = counts ? this.passes.merge(hold, 1, Integer::sum) : 0;
			require(passed <= this.simulation.plan.handOvers + 1, caller + " is one too many of its client");
			long now = this.simulation.world.nanos();
			Long since = counts ? this.passedSince.putIfAbsent(hold, now) : null;
			require(since == null || now - since <= World.millis(102), caller + " is too late in a row of its client");
		}
		if (wish.isShared()) {
			checkReader(caller, lock, grant);
		}
		checkEnough(caller, grant, wish);
		require(!wish.isShared() || !grant.wasPassedOn() || !caller.client.knewThatItIsDeaf(grant.sinceNanos()),
				caller + " reads although its client hears nothing");
		if (belief.isHeld(this.simulation.world.nanos()) && !isForgotten(belief)) {
			long before = this.tokens.getOrDefault(lock, 0L);
			long alone = this.exclusiveTokens.getOrDefault(lock, 0L);
			require(grant.token() > ((wish.kind() == LockMode.Kind.EXCLUSIVE) ? before : alone),
					caller + " has token " + grant.token() + " after " + before);
			this.tokens.put(lock, Math.max(before, grant.token()));
			if (wish.kind() == LockMode.Kind.EXCLUSIVE) {
				this.exclusiveTokens.put(lock, Math.max(alone, grant.token()));
			}
		}
	}

	/**
	 * No reader enters a hold that goes on when somebody waits to write, as far as its
	 * client knows.
	 */
	private void checkReader(Caller caller, String lock, Grant grant) {
		long since = this.writerAtHead.getOrDefault(lock, Long.MAX_VALUE);
		boolean waited = since != Long.MAX_VALUE && this.simulation.world.nanos() - since > World.millis(2);
		boolean hears = this.simulation.plan.isOnly(Plan.Fault.DEAF, Plan.Fault.CANCEL) && !caller.client.hasBeenDeaf();
		require(!waited || !hears || !grant.wasPassedOn(), caller + " reads although a writer waits");
		long first = this.holdsSince.computeIfAbsent(grant.requestId(), (each) -> grant.sinceNanos());
		boolean closed = this.waiting.entrySet()
			.stream()
			.anyMatch((each) -> each.getKey().client == caller.client && each.getValue().lock.equals(lock)
					&& !each.getValue().waiter.wish().isShared() && each.getValue().waiter.sinceNanos() > first
					&& each.getValue().waiter.sinceNanos() < grant.sinceNanos());
		require(!closed || !grant.wasPassedOn(), caller + " reads although a writer of its client waits");
	}

	/**
	 * An owner has some time to work, unless a renewal had no answer.
	 */
	private void checkEnough(Caller caller, Grant grant, Wish wish) {
		long lease = this.simulation.isWatched(grant)
				? Math.min(this.simulation.plan.watchdogMillis, this.simulation.plan.waiterMillis) / 3
				: this.simulation.leaseOf(grant) * 3 / 4;
		boolean answered = this.simulation.plan.isOnly(Plan.Fault.MESSAGE_LATE, Plan.Fault.MESSAGE_LOST,
				Plan.Fault.DEAF, Plan.Fault.CANCEL);
		boolean left = grant.untilNanos() - grant.sinceNanos() >= World.millis(lease);
		boolean asked = (answered && !(wish.isShared() && grant.wasPassedOn()))
				|| (!wish.isShared() && grant.wasPassedOn());
		require(left || !asked,
				caller + " begins with " + (grant.untilNanos() - grant.sinceNanos()) / 1_000_000 + " ms");
		require(this.simulation.isWatched(grant) || !grant.wasPassedOn(), caller + " has a lease that another began");
	}

	private boolean isForgotten(Belief belief) {
		return belief.grant().token() <= this.forgotten.getOrDefault(belief.lock(), 0L);
	}

	void lost(Grant grant, Cause cause) {
		long maxHold = this.simulation.maxHolds.get(grant.owner());
		require(cause != Cause.MAX_HOLD
				|| (maxHold > 0 && this.simulation.world.nanos() - grant.sinceNanos() >= maxHold),
				grant + " is lost although its owner may have it");
		require(this.simulation.plan.canLose() || !this.simulation.isWatched(grant) || cause == Cause.MAX_HOLD,
				"a renewed lock is lost, and nothing went wrong");
		boolean held = this.simulation.server.holds(grant.name())
			.stream()
			.anyMatch((each) -> each.id().equals(grant.requestId()) && each.token() <= grant.token());
		boolean once = !this.simulation.plan.has(Plan.Fault.TWICE) && !this.simulation.plan.has(Plan.Fault.LATE)
				&& !this.simulation.plan.has(Plan.Fault.LOST) && !this.simulation.plan.has(Plan.Fault.VANISH)
				&& !this.simulation.plan.has(Plan.Fault.MESSAGE_LATE);
		require(!held || (cause != Cause.GONE && (cause != Cause.FORCED || !once)),
				grant + " is lost as " + cause + ", and held");
		require(cause != Cause.EXPIRED || this.simulation.world.nanos() >= grant.untilNanos(),
				grant + " is lost before its end");
	}

	/**
	 * The server takes a hold for that of a dead client.
	 */
	void takenOver(String id) {
		this.beliefs.entrySet()
			.forEach((each) -> require(
					!each.getValue().grant().requestId().equals(id) || !isHeld(each, this.simulation.world.nanos()),
					each.getKey(), " believes in a hold that others take"));
	}

	void downgrades(Caller caller) {
		this.beliefs.computeIfPresent(caller, (key, belief) -> new Belief(belief.lock(), belief.grant(),
				Wish.shared(false), this.simulation.world.nanos(), belief.grant().token()));
		Belief belief = this.beliefs.get(caller);
		if (belief != null) {
			changed(belief.lock());
		}
	}

	private void changed(String lock) {
		this.waiting.values()
			.stream()
			.filter((each) -> each.lock.equals(lock))
			.forEach((each) -> each.idleSince = this.simulation.world.nanos());
	}

	void ends(Caller caller) {
		Belief belief = this.beliefs.remove(caller);
		if (belief != null) {
			changed(belief.lock());
			Grant grant = belief.grant();
			long now = this.simulation.world.nanos();
			require(grant.loss() != null || now < grant.untilNanos() + World.millis(100)
					|| this.simulation.plan.isPaused(), caller + " was not told that it lost " + belief.lock());
			require(!this.simulation.plan.isCalm() || grant.loss() != null
					|| now - belief.sinceNanos() < World.millis(2) || grant.token() > belief.tokenBefore(),
					caller + " reads with the token it had to write");
			this.busy.put(belief.lock() + "ended", this.simulation.world.nanos());
		}
	}

	/**
	 * Checks those who believe to hold a lock.
	 */
	void check() {
		long now = this.simulation.world.nanos();
		checkWaiting(now);
		checkGone(now);
		for (Map.Entry<Caller, Belief> one : this.beliefs.entrySet()) {
			if (!isHeld(one, now)) {
				continue;
			}
			long maxHold = this.simulation.maxHolds.get(one.getValue().grant().owner());
			require(maxHold == 0 || now - one.getValue().grant().sinceNanos() < maxHold + World.millis(20)
					|| this.simulation.plan.isPaused(), one.getKey(), " has it for too long");
			int used = one.getValue().wish().units();
			int limit = one.getValue().wish().limit();
			for (Map.Entry<Caller, Belief> other : this.beliefs.entrySet()) {
				boolean believed = !isForgotten(one.getValue()) && !isForgotten(other.getValue());
				if (other == one || !isHeld(other, now) || !other.getValue().lock().equals(one.getValue().lock())) {
					continue;
				}
				// What the server has forgotten, a client knows if it has what came
				// after.
				require(!one.getValue().wish().excludes(other.getValue().wish())
						|| (!believed && one.getKey().client != other.getKey().client), one.getKey(), " and ",
						other.getKey(), " at the same time");
				used += believed ? other.getValue().wish().units() : 0;
				limit = Math.max(limit, other.getValue().wish().limit());
			}
			require(one.getValue().wish().isShared() || used <= limit, "more than the limit: ", this.beliefs.keySet());
		}
	}

	/**
	 * Nobody waits for long for what nobody has.
	 */
	private void checkWaiting(long now) {
		if (this.waiting.isEmpty()) {
			return;
		}
		long longest = this.simulation.plan.longestIdleNanos();
		boolean deaf = this.simulation.isAnyDeaf();
		for (Map.Entry<Caller, Waiting> entry : this.waiting.entrySet()) {
			Waiting each = entry.getValue();
			if (deaf || entry.getKey().client.isDead() || !isFree(each)) {
				each.idleSince = now;
			}
			require(entry.getKey().client.isDead() || now - each.endNanos < World.millis(5)
					|| each.endNanos == Long.MAX_VALUE
					|| !this.simulation.plan.isOnly(Plan.Fault.CANCEL, Plan.Fault.FORCED, Plan.Fault.DEAF,
							Plan.Fault.MESSAGE_LOST, Plan.Fault.MESSAGE_LATE),
					entry.getKey(), " although its time is up");
			long patience = World.millis(this.simulation.plan.waiterMillis * 4 / 3 + 2500);
			require(now - each.waiter.sinceNanos() < patience || this.simulation.plan.isPaused()
					|| this.simulation.network.awayNanos() < patience || entry.getKey().client.isDead()
					|| !isFree(each), entry.getKey(), " although the server is silent");
			require(now - Math.max(each.idleSince, each.waiter.sinceNanos()) <= longest, entry.getKey(),
					" although nobody has it");
		}
	}

	/**
	 * Whether nobody keeps a waiter from its lock: it is the only one that waits, and
	 * fits beside those who have it.
	 */
	private boolean isFree(Waiting waiting) {
		int used = waiting.waiter.wish().units();
		boolean alone = this.waiting.values().stream().filter((each) -> each.lock.equals(waiting.lock)).count() == 1;
		for (Belief belief : this.beliefs.values()) {
			if (belief.lock().equals(waiting.lock)) {
				used += belief.wish().units();
				if (!alone || belief.wish().excludes(waiting.waiter.wish()) || (!belief.wish().isShared()
						&& used > Math.min(belief.wish().limit(), waiting.waiter.wish().limit()))) {
					return false;
				}
			}
		}
		return true;
	}

	/**
	 * Owners are told when they have lost what they have.
	 */
	private void checkGone(long now) {
		for (Map.Entry<Caller, Belief> each : this.beliefs.entrySet()) {
			Belief belief = each.getValue();
			boolean watched = this.simulation.isWatched(belief.grant());
			long longest = this.simulation.plan.longestBeliefNanos(watched);
			if (longest == Long.MAX_VALUE || !isHeld(each, now)
					|| this.simulation.server.holds(belief.lock())
						.stream()
						.anyMatch((hold) -> hold.id().equals(belief.grant().requestId()))) {
				this.goneSince.remove(each.getKey());
				continue;
			}
			long since = this.goneSince.computeIfAbsent(each.getKey(), (unused) -> now);
			require(now - since <= longest, each.getKey(), " is not told that its hold is gone");
		}
	}

	private static boolean isHeld(Map.Entry<Caller, Belief> entry, long now) {
		return !entry.getKey().client.isDead() && entry.getValue().isHeld(now);
	}

	/**
	 * A caller that waits.
	 */
	private static final class Waiting {

		private final String lock;

		private final Waiter waiter;

		private final long endNanos;

		private long idleSince;

		Waiting(String lock, Waiter waiter, long endNanos) {
			this.lock = lock;
			this.waiter = waiter;
			this.endNanos = endNanos;
		}

	}

	/**
	 * What a caller believes.
	 */
	private record Belief(String lock, Grant grant, Wish wish, long sinceNanos, long tokenBefore) {

		boolean isHeld(long now) {
			return this.grant.loss() == null && now < this.grant.sureNanos();
		}

	}

}
