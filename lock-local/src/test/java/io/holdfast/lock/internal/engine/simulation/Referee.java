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
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.server.HoldInfo;

/**
 * Sees what every owner believes and what the server has, and knows what
 * {@code docs/guarantees.md} promises.
 */
final class Referee {

	/**
	 * How long after its wait is over a caller may come back: what it waits for then are
	 * commands, each of which ends.
	 */
	private static final long GRACE_NANOS = World.millis(6000);

	private static final long ENDLESS = World.millis(1_000_000);

	private final Simulation simulation;

	private final World world;

	private final Plan plan;

	private final List<Belief> beliefs = new ArrayList<>();

	/**
	 * By lock, the tokens below which holds may have been replaced without their owners
	 * knowing: those that were forced, or were there when data were lost.
	 */
	private final Map<String, Long> replacedBelow = new HashMap<>();

	private final Map<String, Long> largestTokens = new HashMap<>();

	/**
	 * What was told to listeners, by client, lock and token.
	 */
	private final Set<String> told = new HashSet<>();

	private final HandOvers handOvers;

	private final Presence presence;

	private int grants;

	Referee(Simulation simulation) {
		this.simulation = simulation;
		this.world = simulation.world();
		this.plan = simulation.plan();
		this.handOvers = new HandOvers(simulation);
		this.presence = new Presence(simulation);
	}

	int grants() {
		return this.grants;
	}

	static void require(boolean holds, String message) {
		if (!holds) {
			throw new AssertionError(message);
		}
	}

	// What is believed

	/**
	 * Checks, after whatever happened, that nobody believes what another believes, nor
	 * for longer than it has asked for.
	 */
	void check() {
		for (int i = 0; i < this.beliefs.size(); i++) {
			Belief one = this.beliefs.get(i);
			if (one.limited) {
				require(one.grant.deadlineNanos() - one.limitNanos <= 0, one + " believes for longer than its lease");
			}
			if (!one.isValid()) {
				continue;
			}
			checkServerHasIt(one);
			for (int j = 0; j < i; j++) {
				Belief other = this.beliefs.get(j);
				require(!other.grant.name().equals(one.grant.name()) || !other.isValid() || isReplaced(one.grant)
						|| isReplaced(other.grant), one + " and " + other + " both believe");
			}
		}
	}

	/**
	 * A belief is right only while the server has the hold, whatever the clocks say.
	 */
	private void checkServerHasIt(Belief belief) {
		if (!isReplaced(belief.grant)) {
			HoldInfo hold = this.simulation.describe(belief.grant.name());
			String client = belief.caller.client().name();
			require(hold != null && hold.client().equals(client) && hold.token() <= belief.grant.token(),
					belief + " believes in what the server does not have: " + hold);
			long left = belief.caller.client().trueNanos(belief.grant.deadlineNanos());
			require(left <= World.millis(hold.leftMillis() + 1),
					belief + " believes for " + left + " ns, which is longer than " + hold);
		}
	}

	private boolean isReplaced(Grant grant) {
		return grant.token() < this.replacedBelow.getOrDefault(grant.name(), 0L);
	}

	/**
	 * A caller begins to believe in a grant.
	 */
	void granted(Caller caller, Grant grant, LeaseSpec lease) {
		Belief belief = new Belief(caller, grant, lease);
		this.grants++;
		if (this.world.traces()) {
			this.world.note(caller.toString(), "gets " + grant.name() + " with token " + grant.token()
					+ (grant.wasPassedOn() ? ", passed on" : "") + (belief.isValid() ? "" : ", over already"));
		}
		if (belief.isValid() && !isReplaced(grant)) {
			long largest = this.largestTokens.getOrDefault(grant.name(), 0L);
			require(grant.token() > largest, belief + " has a token that is not larger than " + largest);
			this.largestTokens.put(grant.name(), grant.token());
		}
		if (!grant.wasPassedOn()) {
			this.handOvers.begins(caller, grant);
		}
		if (this.plan.isCalm() && !lease.watched() && lease.millis() >= 200) {
			long left = grant.deadlineNanos() - grant.sinceNanos();
			require(left >= World.millis(lease.millis() - lease.millis() / 10 - 5),
					belief + " has only " + left + " ns of its lease");
		}
		this.beliefs.add(belief);
	}

	/**
	 * A caller has acquired once more what it has.
	 */
	void grantedAgain(Caller caller, Grant grant, LeaseSpec lease) {
		Belief belief = of(caller, grant);
		belief.count++;
		belief.extend(lease);
		if (belief.grant.loss() == null) {
			int count = caller.client().engine().view().countOf(belief.grant);
			require(count == belief.count, belief + " counts " + count);
			boolean enough = lease.watched() || !belief.isValid() || !this.plan.isCalm() || belief.grant.deadlineNanos()
					- caller.client().nanoTime() >= World.millis(lease.millis() - lease.millis() / 500 - 3);
			require(enough, belief + " did not get the longer lease of the second call");
		}
	}

	private Belief of(Caller caller, Grant grant) {
		return this.beliefs.stream()
			.filter((each) -> each.caller == caller && each.grant == grant)
			.findFirst()
			.orElseThrow();
	}

	/**
	 * A caller gives back one acquisition.
	 * @param wasValid whether the grant was valid just before
	 * @param lost whether it was told that it had lost it
	 */
	void released(Caller caller, Grant grant, boolean wasValid, boolean lost) {
		Belief belief = of(caller, grant);
		belief.count--;
		if (lost) {
			belief.lost = true;
			require(grant.loss() == null || this.told.contains(nameOf(caller.client(), grant.name(), grant.token())),
					belief + " was lost, and listeners were not told");
		}
		else {
			require(wasValid || belief.mayBeForgotten(), belief + " was over, and its owner was not told");
		}
		if (belief.count == 0) {
			this.beliefs.remove(belief);
			require(!grant.isValid(caller.client().nanoTime()), belief + " is valid after its release");
		}
		else if (!lost && wasValid && grant.loss() == null) {
			require(grant.isValid(caller.client().nanoTime()), belief + " ended with the first of its releases");
		}
	}

	/**
	 * A caller has passed its hold on to another of its client.
	 */
	void passedOn(Caller caller, Grant grant) {
		this.handOvers.passedOn(caller, grant);
	}

	/**
	 * A caller, or its client, is no more. Its client may still have what it had.
	 */
	void forget(Caller caller) {
		this.beliefs.removeIf((each) -> each.caller == caller);
	}

	void forget(SimulatedClient client) {
		this.beliefs.stream()
			.map((each) -> each.caller)
			.filter((each) -> each.client() == client)
			.toList()
			.forEach(this::forget);
	}

	// What is lost

	void replaced(String lock, long belowToken) {
		this.replacedBelow.merge(lock, belowToken, Math::max);
	}

	/**
	 * A client has taken in that a hold was ended by force.
	 * @param tokens the first and the last one of that hold
	 */
	void heardForced(SimulatedClient client, String lock, long[] tokens) {
		this.beliefs.stream()
			.filter((each) -> each.caller.client() == client && each.grant.name().equals(lock)
					&& each.grant.token() >= tokens[0] && each.grant.token() <= tokens[1])
			.forEach((each) -> require(!each.isValid(), each + " was ended by force and goes on"));
	}

	/**
	 * Listeners of a client are told of a loss.
	 */
	void lost(SimulatedClient client, LossNotice notice) {
		LockLoss loss = notice.loss();
		String what = nameOf(client, loss.name(), loss.token());
		this.world.note(client.name(), "tells that " + what + " is " + loss.cause());
		require(this.told.add(what), what + " was told twice to be lost");
		require(loss.cause() != Cause.FORCED || this.plan.has(Fault.FORCED), what + " was not forced");
		require(loss.cause() != Cause.CLOSED || client.isStopped(), what + " was not closed");
		if (loss.cause() == Cause.GONE) {
			HoldInfo hold = this.simulation.describe(loss.name());
			require(hold == null || !hold.client().equals(client.name()) || hold.token() > loss.token(),
					what + " is not gone: " + hold);
		}
		Belief belief = this.beliefs.stream()
			.filter((each) -> each.caller.client() == client && each.grant.token() == loss.token()
					&& each.grant.name().equals(loss.name()))
			.findFirst()
			.orElse(null);
		boolean quick = this.plan.lacks(Fault.SLOW, Fault.LATE, Fault.TWICE, Fault.PAUSE, Fault.RESTART,
				Fault.DATA_LOST, Fault.FORCED, Fault.CALLER_DIES);
		if (belief != null && quick && loss.cause() == Cause.EXPIRED && !belief.limited) {
			long lasted = client.nanoTime() - belief.grant.sinceNanos();
			boolean soon = lasted < this.plan.watchdogTimeout.toNanos() / 2;
			require(soon || client.unansweredRenewals(loss.name()) > 1, belief + " was not renewed often enough");
		}
		if (belief != null && this.plan.isCalm()) {
			require(loss.cause() == Cause.EXPIRED && belief.limited, belief + " was lost without a fault");
			// It may have begun up to a tenth of its lease later than is believed here.
			long later = World.millis(10) + (belief.limitNanos - belief.grant.sinceNanos()) / 8;
			this.world.after(later, () -> {
				HoldInfo hold = this.simulation.describe(loss.name());
				require(hold == null || hold.token() > loss.token(), what + " is over, but not at the server: " + hold);
			});
		}
	}

	private static String nameOf(SimulatedClient client, String lock, long token) {
		return client.name() + " " + lock + " " + token;
	}

	// What is asked and answered

	void begins(Caller caller, String lock) {
		this.beliefs.stream().filter((each) -> each.caller == caller).forEach((each) -> each.nested = true);
		this.presence.begins(caller, lock);
	}

	void asks(Caller caller, String id) {
		this.presence.asks(caller, id);
	}

	/**
	 * The server has done something.
	 */
	void executed() {
		this.presence.executed();
	}

	/**
	 * A caller is told that another has the lock.
	 * @param overNanos for how long its wait has been over
	 */
	void saysNo(Caller caller, String lock, long overNanos) {
		require(overNanos >= 0, caller + " did not get " + lock + ", although it had " + -overNanos + " ns left");
		require(this.presence.hadRival(caller, lock), caller + " did not get " + lock + ", but nobody had it");
	}

	/**
	 * An attempt has ended.
	 */
	void ends(Caller caller, long waitNanos, long sinceNanos) {
		long took = this.world.nanos() - sinceNanos;
		boolean inTime = waitNanos >= ENDLESS || took <= waitNanos + waitNanos / 1000 + GRACE_NANOS
				|| caller.client().lastPauseNanos() >= sinceNanos;
		require(inTime, caller + " wanted to wait for " + waitNanos + " ns and came back after " + took);
	}

	/**
	 * A caller does nothing with a lock any more.
	 */
	void leaves(Caller caller) {
		this.presence.leaves(caller);
	}

}
