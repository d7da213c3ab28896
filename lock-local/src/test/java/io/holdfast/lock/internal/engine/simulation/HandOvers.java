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

import java.util.HashMap;
import java.util.Map;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.server.HoldInfo;

/**
 * Judges whether callers of one client may pass a hold to each other.
 */
final class HandOvers {

	private final Simulation simulation;

	private final World world;

	private final Plan plan;

	/**
	 * Since when others wait behind a hold that is passed on, and how often it was since,
	 * by client and lock.
	 */
	private final Map<String, Long> awaitedSince = new HashMap<>();

	private final Map<String, Integer> awaitedPasses = new HashMap<>();

	HandOvers(Simulation simulation) {
		this.simulation = simulation;
		this.world = simulation.world();
		this.plan = simulation.plan();
	}

	/**
	 * A hold has its first owner.
	 */
	void begins(Caller caller, Grant grant) {
		String hold = caller.client().name() + grant.name();
		this.awaitedSince.remove(hold);
		this.awaitedPasses.remove(hold);
	}

	/**
	 * A caller has passed its hold on to another of its client.
	 */
	void passedOn(Caller caller, Grant grant) {
		HoldInfo hold = this.simulation.describe(grant.name());
		String client = caller.client().name();
		if (hold == null || !hold.client().equals(client) || hold.token() > grant.token()) {
			return;
		}
		Referee.require(grant.type() != LockType.FAIR, caller + " passed on what it holds in fair order");
		boolean others = this.simulation.waiters(grant.name(), Integer.MAX_VALUE)
			.stream()
			.anyMatch((each) -> !each.client().equals(client));
		long since = this.awaitedSince.merge(client + grant.name(), this.world.nanos(), Math::min);
		if (!others) {
			this.awaitedSince.remove(client + grant.name());
			this.awaitedPasses.remove(client + grant.name());
		}
		else if (this.plan.isCalm() && this.world.nanos() - since > World.millis(2)) {
			int count = this.awaitedPasses.merge(client + grant.name(), 1, Integer::sum);
			Referee.require(count <= this.plan.engine.maxLocalHandoffs(),
					caller + " passed on for the " + count + ". time while another client waits");
		}
	}

}
