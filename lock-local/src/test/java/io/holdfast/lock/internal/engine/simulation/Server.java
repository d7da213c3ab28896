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

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.memory.MemoryView;
import io.holdfast.lock.internal.memory.MemoryView.Row;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.ServerSettings;

/**
 * The server of locks: those in memory, with the time of the simulation.
 */
final class Server {

	private static final long BEGIN_MICROS = 1_700_000_000_000_000L;

	private static final LockKeys KEYS = new LockKeys("simulation:");

	private final Simulation simulation;

	private LockMemory memory;

	private MemoryView view;

	Server(Simulation simulation) {
		this.simulation = simulation;
		this.memory = new LockMemory(this::micros);
		this.view = new MemoryView(this.memory);
	}

	long micros() {
		return BEGIN_MICROS + this.simulation.world.nanos() / 1000;
	}

	private long millis() {
		return micros() / 1000;
	}

	/**
	 * The end of the server's connection to a client.
	 */
	MemoryLockServer connect(Client client) {
		ServerSettings settings = new ServerSettings(KEYS, client.name,
				Duration.ofMillis(this.simulation.plan.waiterMillis), Duration.ofMinutes(5));
		return new MemoryLockServer(this.memory, settings, this.simulation.world::nanos, client.messages());
	}

	/**
	 * Carries a command out.
	 */
	Reply execute(Client client, Command command, long sentNanos) {
		this.simulation.sessions.executes(command);
		this.simulation.referee.executes();
		Reply reply = client.connection().send(command).join();
		this.simulation.sessions.executed(command);
		this.simulation.referee.executed();
		return sent(reply, sentNanos);
	}

	private static Reply sent(Reply reply, long sentNanos) {
		Reply next = reply.next();
		return new Reply(reply.word(), reply.leftMillis(), reply.token(), reply.last(), reply.othersWait(), sentNanos,
				(next != null) ? sent(next, sentNanos) : null);
	}

	/**
	 * Ends holds by force, or as if their leases were over.
	 */
	void evict(String key, List<String> ids) {
		this.simulation.referee.executes();
		this.simulation.client(0).connection().evict(key, ids);
		this.simulation.referee.executed();
	}

	void losesData() {
		this.memory = new LockMemory(this::micros);
		this.view = new MemoryView(this.memory);
		this.simulation.referee.executed();
	}

	// What the referee sees

	Set<String> keys() {
		return this.view.keys();
	}

	List<Row> holds(String key) {
		return this.view.holds(key, millis());
	}

	List<Row> queue(String key) {
		return this.view.queue(key);
	}

	long last(String key) {
		return this.view.last(key);
	}

	boolean isAlive(Row place) {
		return place.aliveMillis() > millis();
	}

	boolean isFree(String key) {
		return holds(key).isEmpty() && queue(key).stream().noneMatch(this::isAlive);
	}

	/** What holds it and who waits, as text of the moment in which that is asked for. */
	Object describe(String key) {
		return new Object() {

			@Override
			public String toString() {
				return "held by " + holds(key) + ", waiting " + queue(key).stream().map(Row::id).toList();
			}

		};
	}

}
