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
import java.util.Map;
import java.util.function.BiFunction;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.Context;
import io.holdfast.lock.internal.engine.Effects;
import io.holdfast.lock.internal.engine.Effects.Effect;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.LockTable;
import io.holdfast.lock.internal.engine.Timers.Timer;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A client: the engine, and whoever does what it wants done.
 */
final class Client {

	final String name;

	final Context context;

	final LockTable table;

	private final Simulation simulation;

	private final World world;

	/** When the server has answered last, by lock. */
	private final Map<String, Long> answered = new HashMap<>();

	private MemoryLockServer connection;

	private int ids;

	private long pausedUntil;

	private long deafUntil = Long.MIN_VALUE / 2;

	private long knownDeafSince = Long.MAX_VALUE;

	private boolean dead;

	private boolean closed;

	private long armed = Long.MAX_VALUE;

	Client(Simulation simulation, int number) {
		this.simulation = simulation;
		this.world = simulation.world;
		this.name = "client" + number;
		Plan plan = simulation.plan;
		Context.Settings settings = new Context.Settings(plan.watchdogMillis, World.millis(plan.waiterMillis),
				Network.LIMIT, Network.VALIDITY, plan.handOvers, true, World.millis(plan.graceMillis));
		this.context = new Context(settings, (lock) -> lock, () -> number + "-" + ++this.ids,
				() -> this.world.random(0, 50_000_000));
		this.table = new LockTable(this.context);
		this.connection = simulation.server.connect(this);
	}

	MemoryLockServer connection() {
		return this.connection;
	}

	/**
	 * Connects to a server that has begun anew.
	 */
	void reconnect() {
		this.connection = this.simulation.server.connect(this);
	}

	/**
	 * What its ids begin with.
	 */
	String number() {
		return this.name.substring("client".length()) + "-";
	}

	// Time

	/**
	 * Does something in this client, as soon as it does not stand still.
	 */
	void after(long delayNanos, Runnable action) {
		this.world.after(delayNanos, () -> run(action));
	}

	private void run(Runnable action) {
		if (this.dead) {
			return;
		}
		if (this.world.nanos() < this.pausedUntil) {
			this.world.after(this.pausedUntil - this.world.nanos(), () -> run(action));
			return;
		}
		action.run();
		arm();
	}

	/**
	 * Has the watchdog look when something is due.
	 */
	private void arm() {
		long latest = this.world.nanos() + World.millis(1000);
		long next = this.context.timers().nextNanos(latest);
		next = this.context.owed().nextNanos(next);
		if ((!this.context.timers().isEmpty() || this.context.owed().size() > 0) && next < this.armed) {
			this.armed = next;
			after(next - this.world.nanos(), this::look);
		}
	}

	private void look() {
		this.armed = Long.MAX_VALUE;
		long now = this.world.nanos();
		for (Timer timer = this.context.timers().poll(now); timer != null; timer = this.context.timers().poll(now)) {
			Timer due = timer;
			// The watchdog may stand still when it has taken a timer out.
			long delay = this.world.chance(50) ? this.world.random(1000, 3_000_000) : 0;
			if (delay == 0) {
				perform(due.state().due(due, now));
			}
			else {
				after(delay, () -> perform(due.state().due(due, this.world.nanos())));
			}
		}
		for (Command.Release release : this.context.owed().due(now, 500)) {
			send(this.table.of(release.key()), release);
		}
	}

	// What it does

	void want(String lock, Waiter waiter) {
		perform(this.table.want(lock, waiter, this.world.nanos()));
	}

	void perform(Effects todo) {
		for (Effect effect = todo.poll(); effect != null; effect = todo.poll()) {
			if (effect instanceof Effects.Wake wake) {
				this.simulation.referee.decided(this, wake.waiter());
				after(this.world.random(1000, 50_000), wake.waiter()::wake);
			}
			else if (effect instanceof Effects.Discarded discarded) {
				throw new AssertionError("discarded " + discarded.state().name(), discarded.cause());
			}
			else if (effect instanceof Effects.Send send) {
				send(send.state(), send.command());
			}
		}
		for (Grant grant = this.context.firstLost(); grant != null; grant = this.context.firstLost()) {
			this.context.told();
			this.simulation.referee.lost(grant, grant.loss());
			this.world.note(this.name, "lost " + grant.token() + " " + grant.loss());
		}
	}

	private void send(LockState state, Command command) {
		Command.Ask ask = askOf(command);
		if (ask != null) {
			this.simulation.referee.asks(this, ask);
		}
		this.simulation.network.send(this, command,
				(reply, failure, sentNanos) -> outcome(state, command, reply, failure, sentNanos));
	}

	private void outcome(LockState state, Command command, @Nullable Reply reply, @Nullable LockServerException failure,
			long sentNanos) {
		long now = this.world.nanos();
		if (reply != null) {
			LockState present = this.table.find(state.name());
			if (present == null || present == state) {
				this.answered.put(state.name(), now);
			}
			perform(state.answered(command, reply, now));
		}
		else if (failure != null) {
			perform(state.failed(command, failure, sentNanos, now));
			Command.Ask ask = askOf(command);
			if (ask != null && failure.reason() == LockServerException.Reason.REFUSED) {
				this.simulation.referee.refused(this, ask);
			}
		}
	}

	private static Command.@Nullable Ask askOf(Command command) {
		return (command instanceof Command.Release release) ? release.next()
				: (command instanceof Command.Ask ask) ? ask : null;
	}

	long answeredNanos(String lock) {
		return this.answered.getOrDefault(lock, 0L);
	}

	private void message(String key, String what, BiFunction<LockState, Long, Effects> message) {
		this.simulation.network.deliver(this, what,
				() -> perform(message.apply(this.table.of(key), this.world.nanos())));
	}

	/**
	 * What the server tells this client, on its way.
	 */
	LockMessages messages() {
		return new LockMessages() {

			@Override
			public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
				Reply message = new Reply(Reply.Word.HOLDS, leftMillis, token, last, awaited, 0, null);
				Client.this.simulation.referee.tells(key);
				message(key, "granted " + id, (state, now) -> state.granted(id, message, now));
			}

			@Override
			public void awaited(String key, String id) {
				message(key, "awaited " + id, (state, now) -> state.awaited(id, now));
			}

			@Override
			public void forced(String key, String id) {
				if (Client.this.simulation.sessions.takesOver()) {
					return;
				}
				Client.this.simulation.referee.tells(key);
				message(key, "forced " + id, (state, now) -> state.forced(id, now));
			}

			@Override
			public void missedMessages() {
				throw new AssertionError("No server says that");
			}

		};
	}

	// What happens to it

	void pause(long nanos) {
		this.pausedUntil = Math.max(this.pausedUntil, this.world.nanos() + nanos);
	}

	long pausedUntil() {
		return Math.max(this.pausedUntil, this.deafUntil);
	}

	boolean isDeaf() {
		return this.world.nanos() < this.deafUntil;
	}

	/**
	 * Whether it knew at some moment of late that it hears nothing.
	 */
	boolean knewThatItIsDeaf(long nanos) {
		return nanos > this.knownDeafSince;
	}

	/**
	 * Whether it is deaf, or what it missed may still be on its way: a timer and three
	 * messages.
	 */
	boolean hasBeenDeaf() {
		return this.world.nanos() - World.millis(4) < this.deafUntil;
	}

	void deafen(long unnoticedNanos, long noticedNanos) {
		this.deafUntil = this.world.nanos() + unnoticedNanos + noticedNanos;
		after(unnoticedNanos, () -> {
			this.context.hears(false, this.world.nanos());
			this.knownDeafSince = this.world.nanos();
			missed();
		});
		after(unnoticedNanos + noticedNanos, () -> {
			if (!isDeaf()) {
				this.context.hears(true, this.world.nanos());
				this.knownDeafSince = Long.MAX_VALUE;
				missed();
			}
		});
	}

	void missed() {
		new ArrayList<>(this.table.all()).forEach((state) -> perform(state.missedMessages(this.world.nanos())));
	}

	void crash() {
		this.dead = true;
		this.simulation.sessions.close(this);
	}

	boolean isDead() {
		return this.dead;
	}

	boolean isClosed() {
		return this.closed;
	}

	void close() {
		run(() -> {
			this.world.note(this.name, "is closed");
			this.closed = true;
			this.context.close();
			new ArrayList<>(this.table.all()).forEach((state) -> perform(state.close(this.world.nanos())));
		});
	}

}
