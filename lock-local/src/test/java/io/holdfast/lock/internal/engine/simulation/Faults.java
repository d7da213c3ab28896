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

import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.internal.engine.simulation.Plan.Fault;

/**
 * Breaks what the plan says, at random moments until its end.
 */
final class Faults {

	private static final long LONGEST_PAUSE = World.millis(20_000);

	private final Simulation simulation;

	private final World world;

	private final Plan plan;

	Faults(Simulation simulation) {
		this.simulation = simulation;
		this.world = simulation.world();
		this.plan = simulation.plan();
	}

	void plan() {
		if (this.plan.has(Fault.DEAF)) {
			often(3, this::deafen);
		}
		if (this.plan.has(Fault.PAUSE)) {
			often(4, this::pause);
		}
		if (this.plan.has(Fault.CRASH)) {
			often(1, this::crash);
		}
		if (this.plan.has(Fault.CALLER_DIES)) {
			often(2, () -> caller(Caller::die));
		}
		if (this.plan.has(Fault.RESTART)) {
			often(2, this::restart);
		}
		if (this.plan.has(Fault.DATA_LOST)) {
			often(2, this.simulation::loseData);
		}
		if (this.plan.has(Fault.FORCED)) {
			often(5, this::force);
		}
		if (this.plan.has(Fault.CLOSE)) {
			often(1, () -> client(SimulatedClient::close));
		}
		if (this.plan.has(Fault.INTERRUPT)) {
			often(8, () -> caller(Caller::interrupt));
		}
	}

	private void often(int most, Runnable fault) {
		for (int left = 1 + this.world.random(most); left > 0; left--) {
			this.world.after(this.world.random(0, this.plan.endNanos), fault);
		}
	}

	private void client(Consumer<SimulatedClient> fault) {
		List<SimulatedClient> all = this.simulation.clients();
		SimulatedClient client = all.get(this.world.random(all.size()));
		if (!client.isDead() && !client.isStopped()) {
			fault.accept(client);
		}
	}

	private void caller(Consumer<Caller> fault) {
		List<Caller> all = this.simulation.callers();
		Caller caller = all.get(this.world.random(all.size()));
		if (!caller.isIdle()) {
			fault.accept(caller);
		}
	}

	private void deafen() {
		long unnoticed = this.world.random(0, World.millis(4000));
		long noticed = this.world.random(World.millis(10), World.millis(2000));
		client((client) -> {
			this.world.note(client.name(), "is deaf");
			client.deafen(unnoticed, noticed);
		});
	}

	private void pause() {
		long longest = Math.min(2 * this.plan.watchdogTimeout.toNanos(), LONGEST_PAUSE);
		long nanos = this.world.random(World.millis(10), longest);
		client((client) -> {
			this.world.note(client.name(), "stands still for " + nanos / 1_000_000 + " ms");
			client.pause(nanos);
		});
	}

	private void crash() {
		client((client) -> {
			this.world.note(client.name(), "dies");
			client.crash();
			this.simulation.referee().forget(client);
		});
	}

	private void restart() {
		long nanos = this.world.random(World.millis(10), this.plan.waiterTimeout.toNanos() * 3 / 2);
		boolean silent = this.world.chance(500);
		this.world.note("server", "is away for " + nanos / 1_000_000 + " ms");
		this.simulation.network().away(nanos, silent);
	}

	private void force() {
		String name = this.simulation.names().get(this.world.random(this.plan.names));
		this.world.note("operator", "takes " + name);
		long last = this.simulation.operator().evict(name);
		this.simulation.referee().replaced(name, last + 1);
		this.simulation.referee().executed();
	}

}
