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
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.memory.MemoryView.Row;

/**
 * One seed: some clients, their callers, one server, and what goes wrong.
 */
final class Simulation {

	private static final long SETTLED_NANOS = World.millis(12_000);

	private static final long LONGEST_LEASE = World.millis(31_000);

	final World world;

	final Plan plan;

	final Network network;

	final Referee referee;

	final Server server;

	final Sessions sessions;

	private final List<Client> clients = new ArrayList<>();

	private final List<Caller> callers = new ArrayList<>();

	/** The leases of owners whose lock is not renewed. */
	final Map<Object, Long> leases = new HashMap<>();

	/** For how long owners may have their lock; 0 for any time. */
	final Map<Object, Long> maxHolds = new HashMap<>();

	private long lastFault;

	Simulation(long seed, boolean traces) {
		this.world = new World(seed, traces);
		this.plan = new Plan(this.world);
		this.network = new Network(this);
		this.referee = new Referee(this);
		this.server = new Server(this);
		this.sessions = new Sessions(this);
		this.world.note("seed " + seed, this.plan);
		for (int i = 1; i <= this.plan.clients; i++) {
			Client client = new Client(this, i);
			this.clients.add(client);
			this.sessions.open(client);
			for (int j = 1; j <= this.plan.callers; j++) {
				this.callers.add(new Caller(this, client, j));
			}
		}
		this.world.afterEach(this.referee::check);
		often(Fault.DEAF, 3, () -> client((client) -> {
			this.world.note(client.name, "is deaf");
			long most = Math.min(Math.max(this.plan.endNanos / 2, World.millis(20)), World.millis(4000));
			client.deafen(this.world.random(0, most), this.world.random(World.millis(10), most));
		}));
		often(Fault.PAUSE, 4, () -> client((client) -> {
			long nanos = this.world.random(World.millis(10),
					Math.min(2 * World.millis(this.plan.watchdogMillis), World.millis(20_000)));
			this.world.note(client.name, "stands still for " + nanos / 1_000_000 + " ms");
			client.pause(nanos);
		}));
		often(Fault.SESSION, 12, () -> client((client) -> {
			this.world.note(client.name, "has lost its session");
			this.sessions.close(client);
			if (this.plan.has(Fault.PAUSE) && this.world.chance(800)) {
				client.pause(World.millis(this.world.random(this.plan.graceMillis, 3 * this.plan.graceMillis + 1)));
			}
		}));
		often(Fault.CRASH, 1, () -> client((client) -> {
			this.world.note(client.name, "dies");
			client.crash();
		}));
		often(Fault.RESTART, 2, () -> {
			long nanos = this.world.random(World.millis(10), World.millis(this.plan.waiterMillis) * 5 / 2);
			this.world.note("server", "is away for " + nanos / 1_000_000 + " ms");
			boolean silent = this.world.chance(500);
			this.network.away(nanos, silent);
			if (!silent) {
				this.sessions.serverBeginsAnew();
			}
		});
		often(Fault.DATA_LOST, 2, () -> {
			this.world.note("server", "loses its data");
			this.server.keys().forEach((lock) -> this.referee.replaced(lock, this.server.micros() + 20));
			this.server.losesData();
			this.clients.forEach(Client::reconnect);
		});
		often(Fault.FORCED, 5, () -> {
			String name = "lock" + this.world.random(this.plan.names);
			this.world.note("operator", "takes " + name);
			this.referee.replaced(name, this.server.last(name));
			this.server.evict(name, this.server.holds(name).stream().map(Row::id).toList());
		});
		often(Fault.CLOSE, 1, () -> client(Client::close));
		often(Fault.CANCEL, 8, () -> this.callers.get(this.world.random(this.callers.size())).cancel());
	}

	private void often(Fault fault, int most, Runnable action) {
		if (this.plan.has(fault)) {
			for (int left = 1 + this.world.random(most); left > 0; left--) {
				this.world.after(this.world.random(0, this.plan.endNanos), action);
			}
		}
	}

	private void client(Consumer<Client> fault) {
		Client client = this.clients.get(this.world.random(this.clients.size()));
		if (!client.isDead() && !client.isClosed()) {
			fault.accept(client);
			this.lastFault = Math.max(this.lastFault, client.pausedUntil());
		}
	}

	boolean isWatched(Grant grant) {
		return !this.leases.containsKey(grant.owner());
	}

	long leaseOf(Grant grant) {
		return this.leases.getOrDefault(grant.owner(), this.plan.watchdogMillis);
	}

	/**
	 * Whether a client hears nothing, or did a moment ago.
	 */
	boolean isAnyDeaf() {
		return this.clients.stream().anyMatch((each) -> !each.isDead() && each.hasBeenDeaf());
	}

	Client client(String name) {
		return this.clients.stream().filter((each) -> each.name.equals(name)).findFirst().orElseThrow();
	}

	Client client(int index) {
		return this.clients.get(index);
	}

	void run() {
		this.world.runUntil(this.plan.endNanos);
		long patience = 2 * LONGEST_LEASE + World.millis(60_000 + this.plan.waiterMillis * 4)
				+ World.millis(this.plan.useMillis * 20 * this.callers.size());
		long latest = this.world.nanos() + patience;
		while (!this.callers.stream().allMatch(Caller::isIdle)) {
			List<Caller> busy = this.callers.stream().filter((each) -> !each.isIdle()).toList();
			this.referee.require(this.world.nanos() < latest, "It does not end: " + busy);
			this.world.runUntil(this.world.nanos() + World.millis(1000));
		}
		long calm = Math.max(Math.max(this.world.nanos(), this.network.awayUntilNanos()), this.lastFault);
		this.world.runUntil(calm + SETTLED_NANOS);
		if (this.plan.has(Fault.CRASH) || this.plan.has(Fault.REFUSED)) {
			this.world.runUntil(this.world.nanos() + LONGEST_LEASE);
		}
		this.server.keys()
			.forEach((name) -> this.referee.require(this.server.isFree(name),
					name + " is " + this.server.describe(name)));
		this.world.runUntil(this.world.nanos() + SETTLED_NANOS);
		for (Client client : this.clients) {
			if (!client.isDead()) {
				this.referee.require(client.table.all().isEmpty(), client.name + " knows " + client.table.all());
				this.referee.require(client.context.owed().size() == 0, client.name + " owes something");
				this.referee.require(client.context.timers().isEmpty(), client.name + " has a timer");
			}
		}
	}

}
