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

import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.memory.MemoryView.Row;
import io.holdfast.lock.internal.protocol.Command;

/**
 * How the holds of dead clients end early, beside the locks in memory, which know nothing
 * of that: what the server knows of sessions, ties and doubts, as in
 * {@code lock-holds.lua} and {@code lock-look.lua}, and what clients do for it, as in
 * {@code Sessions} and {@code RedisSessions}.
 */
final class Sessions {

	private final Simulation simulation;

	private final World world;

	private final Network network;

	private final long graceNanos;

	/** What the server has subscriptions to. */
	private final Set<String> listening = new HashSet<>();

	/** Sessions on a run of the server that has ended: nobody can tell of them. */
	private final Set<String> untold = new HashSet<>();

	/** By request. */
	private final Map<String, Tie> ties = new HashMap<>();

	/** Since when holds are doubted, by request. */
	private final Map<String, Long> doubts = new HashMap<>();

	private final Map<Client, Ear> ears = new HashMap<>();

	private boolean takesOver;

	Sessions(Simulation simulation) {
		this.simulation = simulation;
		this.world = simulation.world;
		this.network = simulation.network;
		this.graceNanos = World.millis(simulation.plan.graceMillis);
	}

	// The server

	/**
	 * Whether what happens now is told to nobody.
	 */
	boolean takesOver() {
		return this.takesOver;
	}

	/**
	 * The server is about to carry out a command.
	 */
	void executes(Command command) {
		purge();
		if (has(this.simulation.server.holds(command.key()), command.id())) {
			this.doubts.remove(command.id());
		}
		else if (!has(this.simulation.server.queue(command.key()), command.id())) {
			this.ties.remove(command.id());
		}
		Tie tie = this.ties.get(command.id());
		if (command instanceof Command.Renew renewal && !renewal.session().isEmpty() && tie != null
				&& number(renewal.session()) > number(tie.session)) {
			this.ties.put(renewal.id(), new Tie(renewal.key(), renewal.session()));
		}
	}

	/**
	 * The server has done so.
	 */
	void executed(Command command) {
		if (this.graceNanos == 0) {
			return;
		}
		Command.Ask ask = (command instanceof Command.Release release) ? release.next()
				: (command instanceof Command.Ask asked) ? asked : null;
		if (ask != null) {
			this.ties.putIfAbsent(ask.id(), new Tie(ask.key(), ask.session()));
		}
		List<Row> known = new ArrayList<>(this.simulation.server.holds(command.key()));
		known.addAll(this.simulation.server.queue(command.key()));
		this.ties.entrySet()
			.removeIf((each) -> each.getValue().key.equals(command.key()) && !has(known, each.getKey()));
		this.doubts.keySet().retainAll(this.ties.keySet());
	}

	private static boolean has(List<Row> rows, String id) {
		return rows.stream().anyMatch((each) -> each.id().equals(id));
	}

	private static int number(String session) {
		return session.isEmpty() ? 0 : Integer.parseInt(session.substring(session.indexOf('#') + 1));
	}

	/** Ends what was doubted for long enough. */
	private void purge() {
		for (Map.Entry<String, Long> doubt : new ArrayList<>(this.doubts.entrySet())) {
			Tie tie = this.ties.get(doubt.getKey());
			if (tie != null && this.world.nanos() - doubt.getValue() >= this.graceNanos) {
				this.simulation.referee.require(!this.listening.contains(tie.session), doubt.getKey(),
						" is taken from a client that is connected");
				this.simulation.referee.takenOver(doubt.getKey());
				this.world.note("server", doubt.getKey(), " is dead");
				this.takesOver = true;
				this.simulation.server.evict(tie.key, List.of(doubt.getKey()));
				this.takesOver = false;
				this.doubts.remove(doubt.getKey());
				this.ties.remove(doubt.getKey());
			}
		}
	}

	private boolean isGone(String session) {
		return !this.listening.contains(session) && !this.untold.contains(session);
	}

	/** The sessions of those who hold a lock, but for one client. */
	private Set<String> holders(String key, Client but) {
		Set<String> found = new HashSet<>();
		for (Row hold : this.simulation.server.holds(key)) {
			Tie tie = this.ties.get(hold.id());
			if (tie != null && !tie.session.isEmpty() && !tie.session.startsWith(but.name + '#')
					&& !this.doubts.containsKey(hold.id())) {
				found.add(tie.session);
			}
		}
		return found;
	}

	private void doubt(String key, Set<String> gone) {
		purge();
		for (Row hold : this.simulation.server.holds(key)) {
			Tie tie = this.ties.get(hold.id());
			if (tie != null && gone.contains(tie.session)) {
				this.world.note("server", "doubts ", hold.id());
				this.doubts.putIfAbsent(hold.id(), this.world.nanos());
			}
		}
	}

	/**
	 * The server begins a new run: no subscription is left, and nobody can tell of those
	 * that there were.
	 */
	void serverBeginsAnew() {
		this.untold.addAll(this.listening);
		this.listening.clear();
	}

	/**
	 * The server has closed the subscription of a client, who may not know.
	 */
	void close(Client client) {
		Ear ear = this.ears.get(client);
		if (ear != null) {
			this.listening.remove(ear.session());
		}
	}

	// The clients

	void open(Client client) {
		if (this.graceNanos > 0) {
			this.ears.put(client, new Ear(client));
			subscribe(client);
			look(client);
		}
	}

	private Ear ear(Client client) {
		Ear ear = this.ears.get(client);
		if (ear == null) {
			throw new AssertionError(client.name + " has no session");
		}
		return ear;
	}

	private void subscribe(Client client) {
		Ear ear = ear(client);
		this.listening.remove(ear.session());
		ear.number++;
		this.listening.add(ear.session());
	}

	/** What the watchdog of a client does four times in a grace. */
	private void look(Client client) {
		ask(client);
		Ear ear = ear(client);
		if (client.context.session() != null && this.world.nanos() - ear.sinceNanos >= 2 * this.graceNanos) {
			client.table.all()
				.stream()
				.filter(LockState::isWaitedFor)
				.map(LockState::name)
				.sorted()
				.forEach((lock) -> lookAfterOwners(client, lock));
		}
		client.after(this.graceNanos / 4, () -> look(client));
	}

	private void ask(Client client) {
		Ear ear = ear(client);
		String asked = ear.session();
		long sent = this.world.nanos();
		this.network.ask(client, () -> this.listening.contains(asked), (seen) -> {
			boolean present = seen && asked.equals(ear.session());
			if (client.context.session(present ? asked : null, sent)) {
				ear.sinceNanos = this.world.nanos();
				this.world.note(client.name, "has session ", present ? asked : "none");
				client.missed();
			}
			if (!seen && asked.equals(ear.session())) {
				subscribe(client);
				client.after(this.world.random(0, this.graceNanos / 8), () -> ask(client));
			}
		});
	}

	private void lookAfterOwners(Client client, String lock) {
		this.network.ask(client, () -> holders(lock, client), (sessions) -> {
			Set<String> gone = new HashSet<>();
			sessions.forEach((session) -> this.network.ask(client, () -> isGone(session), (isGone) -> {
				if (isGone) {
					gone.add(session);
					this.network.ask(client, () -> {
						doubt(lock, gone);
						return true;
					}, (unused) -> {
					});
				}
			}));
		});
	}

	/**
	 * To which session a request is tied; an empty string for none.
	 */
	private record Tie(String key, String session) {
	}

	/**
	 * The subscription of a client.
	 */
	private static final class Ear {

		private final Client client;

		private int number;

		private long sinceNanos;

		Ear(Client client) {
			this.client = client;
		}

		String session() {
			return this.client.name + '#' + this.number;
		}

	}

}
