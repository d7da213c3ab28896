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
import java.util.List;
import java.util.stream.IntStream;

import io.holdfast.lock.internal.engine.EngineResidue;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.WaiterInfo;
import org.jspecify.annotations.Nullable;

/**
 * One schedule: several clients on one server in memory, with callers that come and go
 * while things break. It fails with an {@link AssertionError}.
 */
final class Simulation {

	private static final long BEGIN_MICROS = 1_700_000_000_000_000L;

	/**
	 * How long after the last fault something may still be on its way or be released once
	 * more.
	 */
	private static final long SETTLED_NANOS = World.millis(8000);

	private static final long LONGEST_LEASE = World.millis(31_000);

	private final World world;

	private final Plan plan;

	private final Network network;

	private final Referee referee;

	private final List<SimulatedClient> clients = new ArrayList<>();

	private final List<Caller> callers = new ArrayList<>();

	private final List<String> names;

	private LockMemory memory;

	private Operator operator;

	Simulation(long seed, boolean traces) {
		this.world = new World(seed, traces);
		this.plan = new Plan(this.world);
		this.network = new Network(this.world, this.plan);
		this.names = IntStream.range(0, this.plan.names).mapToObj((i) -> "lock" + i).toList();
		this.memory = new LockMemory(this::micros);
		this.operator = new Operator(this.memory);
		this.referee = new Referee(this);
		this.world.note("seed " + seed, this.plan.toString());
		for (int i = 1; i <= this.plan.clients; i++) {
			SimulatedClient client = new SimulatedClient(this, i, this.memory);
			this.clients.add(client);
			for (int j = 1; j <= this.plan.callers; j++) {
				boolean thread = this.world.chance(600);
				this.callers.add(new Caller(this, client, j, thread ? Owners.thread(this.callers.size()) : null));
			}
		}
		this.world.afterEach(this.referee::check);
		new Faults(this).plan();
	}

	World world() {
		return this.world;
	}

	Plan plan() {
		return this.plan;
	}

	Network network() {
		return this.network;
	}

	Referee referee() {
		return this.referee;
	}

	List<SimulatedClient> clients() {
		return this.clients;
	}

	List<Caller> callers() {
		return this.callers;
	}

	List<String> names() {
		return this.names;
	}

	/**
	 * The server's time.
	 */
	long micros() {
		return BEGIN_MICROS + this.world.nanos() / 1000;
	}

	@Nullable HoldInfo describe(String name) {
		return this.operator.describe(name);
	}

	List<WaiterInfo> waiters(String name, int limit) {
		return this.operator.waiters(name, limit);
	}

	Operator operator() {
		return this.operator;
	}

	/**
	 * The server loses everything.
	 */
	void loseData() {
		this.world.note("server", "loses its data");
		this.names.forEach((name) -> this.referee.replaced(name, micros() + 1));
		this.memory = new LockMemory(this::micros);
		this.operator = new Operator(this.memory);
		// Those of the dead, too: their requests may be on their way.
		this.clients.forEach((each) -> each.reconnect(this.memory));
		this.referee.executed();
	}

	// The course

	void run() {
		this.world.runUntil(this.plan.endNanos);
		long patience = LONGEST_LEASE + this.plan.waiterTimeout.toNanos() + World.millis(60_000)
				+ World.millis(this.plan.useMillis * 20 * this.callers.size());
		long latest = this.world.nanos() + patience;
		while (!this.callers.stream().allMatch(Caller::isIdle)) {
			List<String> busy = this.callers.stream().filter((each) -> !each.isIdle()).map(Caller::describe).toList();
			require(this.world.nanos() < latest, "It does not end: " + busy);
			this.world.runUntil(this.world.nanos() + World.millis(1000));
		}
		long calm = Math.max(this.world.nanos(), this.network.awayUntilNanos());
		for (SimulatedClient client : this.clients) {
			calm = Math.max(calm, client.lastPauseNanos());
		}
		this.world.runUntil(calm + SETTLED_NANOS);
		boolean closesWell = this.plan.lacks(Fault.CLOSE) || this.plan.lacks(Fault.SLOW, Fault.LOST, Fault.LATE,
				Fault.TWICE, Fault.RESTART, Fault.PAUSE, Fault.DATA_LOST, Fault.FORCED);
		if (!closesWell || !this.plan.lacks(Fault.CRASH, Fault.CALLER_DIES, Fault.REFUSED)) {
			// What nobody could release ends with its lease.
			this.world.runUntil(this.world.nanos() + LONGEST_LEASE);
		}
		this.names.forEach(this::assertIsFree);
		// What was released because of a late message is released once more.
		this.world.runUntil(this.world.nanos() + SETTLED_NANOS);
		this.clients.stream().filter((each) -> !each.isDead()).forEach(this::assertNothingIsLeft);
	}

	private void assertNothingIsLeft(SimulatedClient client) {
		require(EngineResidue.locks(client.engine()).isEmpty(),
				client.name() + " still knows " + EngineResidue.locks(client.engine()));
		if (!client.isStopped()) {
			require(EngineResidue.pending(client.engine()) == 0, client.name() + " has releases to send");
		}
		require(!EngineResidue.isScheduled(client.engine()), client.name() + " has something to look at");
	}

	private void assertIsFree(String name) {
		HoldInfo hold = describe(name);
		require(hold == null, "The server still has " + hold);
		List<WaiterInfo> waiters = waiters(name, Integer.MAX_VALUE);
		require(waiters.stream().noneMatch(WaiterInfo::alive), "At the server wait for " + name + ": " + waiters);
		require(this.operator.canAcquire(name), "Nobody can acquire " + name);
	}

	private static void require(boolean holds, String message) {
		if (!holds) {
			throw new AssertionError(message);
		}
	}

}
