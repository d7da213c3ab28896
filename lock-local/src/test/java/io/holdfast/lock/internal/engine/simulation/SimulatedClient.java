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
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.lock.internal.engine.EngineHost;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.internal.engine.PendingReleases;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.memory.LockMemory;
import io.holdfast.lock.internal.memory.MemoryLockServer;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.Topology;

/**
 * One client: an engine, its clock, and its connection. It mirrors {@code LockRuntime}.
 */
final class SimulatedClient implements EngineHost {

	static final LockKeys KEYS = new LockKeys("s:");

	private static final Duration RETENTION = Duration.ofHours(1);

	private static final long CLOSE_NANOS = World.millis(2000);

	private final Simulation simulation;

	private final World world;

	private final String name;

	private final ServerSettings settings;

	/**
	 * The monotonic clock begins anywhere and goes a little too fast or slow.
	 */
	private final long origin;

	private final long driftPpm;

	private final PendingReleases pending;

	private final LockEngine engine;

	private final SimulatedWatchdog watchdog;

	private MemoryLockServer server;

	private long sentNanos;

	private boolean hears = true;

	/**
	 * Whether messages are lost, which it may not have noticed yet.
	 */
	private boolean deaf;

	private long pausedUntilNanos;

	private long lastPauseNanos = Long.MIN_VALUE;

	private boolean dead;

	private boolean stopped;

	private int ids;

	SimulatedClient(Simulation simulation, int number, LockMemory memory) {
		this.simulation = simulation;
		this.world = simulation.world();
		this.name = "client" + number;
		Plan plan = simulation.plan();
		this.settings = new ServerSettings(KEYS, this.name, plan.waiterTimeout, RETENTION);
		long nearOverflow = Long.MAX_VALUE - this.world.random(0, World.millis(10_000));
		this.origin = this.world.oneOf(0, nearOverflow, -World.millis(1000));
		this.driftPpm = this.world.random(-900, 901);
		this.pending = new PendingReleases(this::nanoTime, (key) -> Topology.ONLY_NODE);
		this.engine = new LockEngine(plan.engine, KEYS, this.pending, this);
		this.watchdog = new SimulatedWatchdog(this, this.world, simulation.network(), this.engine, this.pending);
		this.pending.onAdd(this::wakeWatchdog);
		this.server = connect(memory);
		after(0, this.watchdog::look);
	}

	private MemoryLockServer connect(LockMemory memory) {
		return new MemoryLockServer(memory, this.settings, () -> this.sentNanos,
				new MessageSender(this.simulation, this));
	}

	/**
	 * Goes on with a server that has lost everything.
	 */
	void reconnect(LockMemory memory) {
		this.server = connect(memory);
	}

	String name() {
		return this.name;
	}

	LockEngine engine() {
		return this.engine;
	}

	MemoryLockServer server() {
		return this.server;
	}

	boolean isDead() {
		return this.dead;
	}

	boolean isStopped() {
		return this.stopped;
	}

	/**
	 * The time at which it last stood still.
	 */
	long lastPauseNanos() {
		return this.lastPauseNanos;
	}

	// The world around the engine

	@Override
	public long nanoTime() {
		long nanos = this.world.nanos();
		return this.origin + nanos + nanos / 1_000_000 * this.driftPpm;
	}

	/**
	 * How long it is until a moment of this clock, in true time.
	 */
	long trueNanos(long untilNanos) {
		long left = untilNanos - nanoTime();
		return left - left / 1_000_000 * this.driftPpm;
	}

	/**
	 * How many renewals of a lock were sent since the latest answer.
	 */
	int unansweredRenewals(String lock) {
		return this.watchdog.unansweredRenewals(KEYS.lock(lock));
	}

	@Override
	public long random(long low, long bound) {
		return this.world.random(low, bound);
	}

	@Override
	public String nextRequestId() {
		return "2:" + this.name + "-" + ++this.ids;
	}

	@Override
	public boolean hearsMessages() {
		return this.hears;
	}

	@Override
	public void lost(LossNotice notice) {
		this.simulation.referee().lost(this, notice);
	}

	@Override
	public void failed(Throwable thrown) {
		throw new AssertionError("It failed", thrown);
	}

	@Override
	public void wakeWatchdog() {
		if (this.stopped) {
			// An owner was at work when it was closed.
			after(0, this.watchdog::sendAll);
		}
		this.watchdog.wake();
	}

	/**
	 * Has something happen to this client, unless it is dead, and not while it stands
	 * still.
	 */
	void after(long delayNanos, Runnable action) {
		this.world.after(delayNanos, () -> run(action));
	}

	private void run(Runnable action) {
		if (this.dead) {
			return;
		}
		if (this.world.nanos() < this.pausedUntilNanos) {
			after(this.pausedUntilNanos - this.world.nanos(), action);
			return;
		}
		action.run();
	}

	<T> T atServer(long sent, Supplier<T> execution) {
		this.sentNanos = sent;
		T result = execution.get();
		this.simulation.referee().executed();
		return result;
	}

	/**
	 * Until when the server may act on a new request that is sent now.
	 */
	long notAfterMillis(boolean waits, long deadlineNanos) {
		long valid = LockServer.REQUEST_VALIDITY_MILLIS;
		if (waits) {
			valid = Math.max(1000, Math.min(valid, (deadlineNanos - nanoTime()) / 1_000_000));
		}
		long wrong = this.simulation.network().happens(Fault.CLOCK, 100) ? 10_000 : this.world.random(5);
		return this.simulation.micros() / 1000 - wrong + valid;
	}

	// Faults

	void pause(long nanos) {
		this.pausedUntilNanos = Math.max(this.pausedUntilNanos, this.world.nanos() + nanos);
		this.lastPauseNanos = this.pausedUntilNanos;
	}

	void crash() {
		this.dead = true;
		this.server.close();
	}

	/**
	 * Loses messages, notices that, and hears again.
	 */
	void deafen(long unnoticedNanos, long noticedNanos) {
		this.deaf = true;
		after(unnoticedNanos, () -> this.hears = false);
		after(unnoticedNanos + noticedNanos, () -> {
			this.deaf = false;
			this.hears = true;
			this.world.note(this.name, "hears again");
			this.engine.messages().missedMessages();
		});
	}

	void hear(String what, Consumer<LockMessages> message) {
		this.world.note(this.name, (this.deaf ? "does not hear " : "hears ") + what);
		if (!this.deaf && !this.stopped) {
			message.accept(this.engine.messages());
		}
	}

	// The end

	void close() {
		this.world.note(this.name, "is closed");
		this.stopped = true;
		this.watchdog.stop();
		this.engine.close();
		awaitQuiet(nanoTime());
	}

	private void awaitQuiet(long sinceNanos) {
		this.watchdog.sendAll();
		if (!this.engine.view().isQuiet() && nanoTime() - sinceNanos < CLOSE_NANOS) {
			after(World.millis(1), () -> awaitQuiet(sinceNanos));
		}
	}

}
