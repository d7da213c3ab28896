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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.Release;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.server.ReleaseReply;
import org.jspecify.annotations.Nullable;

/**
 * One caller that acquires locks and gives them back, round after round, as events. It
 * mirrors {@code ThreadLock}, {@code GrantLease} and {@code Releaser}.
 */
final class Caller {

	private final Simulation simulation;

	private final World world;

	private final Plan plan;

	private final SimulatedClient client;

	private final LockEngine engine;

	private final Referee referee;

	private final String name;

	/**
	 * Who owns what it acquires, if it is a thread; else each acquisition has a handle.
	 */
	private final @Nullable Thread thread;

	/**
	 * What it has, the innermost first.
	 */
	private final Deque<Acquisition> held = new ArrayDeque<>(2);

	private @Nullable Acquisition wish;

	private int rounds;

	private boolean idle = true;

	private boolean dead;

	Caller(Simulation simulation, SimulatedClient client, int number, @Nullable Thread thread) {
		this.simulation = simulation;
		this.world = simulation.world();
		this.plan = simulation.plan();
		this.client = client;
		this.engine = client.engine();
		this.referee = simulation.referee();
		this.name = client.name() + "/" + number;
		this.thread = thread;
		rest();
	}

	@Override
	public String toString() {
		return this.name;
	}

	SimulatedClient client() {
		return this.client;
	}

	/**
	 * Whether it does nothing, and will not before it wants a lock again.
	 */
	boolean isIdle() {
		return this.idle || this.dead || this.client.isDead();
	}

	String describe() {
		return this.name + " " + this.wish;
	}

	void after(long nanos, Runnable action) {
		this.client.after(nanos, () -> {
			if (!this.dead) {
				action.run();
			}
		});
	}

	void note(String what) {
		this.world.note(this.name, what);
	}

	private void rest() {
		this.idle = true;
		this.referee.leaves(this);
		after(this.world.random(0, World.millis(this.plan.thinkMillis)), () -> {
			if (this.rounds++ < this.plan.rounds && this.world.nanos() < this.plan.endNanos
					&& !this.client.isStopped()) {
				begin();
			}
		});
	}

	private void begin() {
		this.idle = false;
		String lock = "lock" + this.world.random(this.plan.names);
		LockType type = (this.world.random(100) < this.plan.fair) ? LockType.FAIR : LockType.REENTRANT;
		long wait = this.world.oneOf(0, 0, 3, 50, 500, 5000, 100_000_000L);
		Object owner = (this.thread != null) ? this.thread : new HandleOwner();
		acquire(new Acquisition(this.simulation, this, lock, type, lease(), World.millis(wait), owner, null));
	}

	private void acquire(Acquisition acquisition) {
		this.wish = acquisition;
		acquisition.enter();
	}

	private LeaseSpec lease() {
		return (this.world.random(100) < this.plan.explicit)
				? new LeaseSpec(this.world.oneOf(3, 20, 200, 2000, 15_000), false)
				: new LeaseSpec(this.plan.watchdogTimeout.toMillis(), true);
	}

	/**
	 * Forgets what it has, and wants no more.
	 */
	void die() {
		// A thread that owns something lives: it is not ours.
		if (!this.dead && this.thread == null && !this.held.isEmpty()) {
			note("dies");
			this.dead = true;
			Objects.requireNonNull(this.wish).forget();
			this.referee.forget(this);
		}
	}

	void interrupt() {
		Objects.requireNonNull(this.wish).interrupt();
	}

	// What came of a wish

	void failed() {
		goOn();
	}

	void entered(Acquisition acquisition) {
		this.held.push(acquisition);
		if (this.plan.has(Fault.CALLER_DIES) && this.world.chance(30)) {
			die();
		}
		if (!this.dead) {
			use();
		}
	}

	private void goOn() {
		if (this.held.isEmpty()) {
			rest();
		}
		else {
			use();
		}
	}

	private void use() {
		long most = World.millis(this.plan.useMillis * (this.world.chance(50) ? 8 : 1));
		after(this.world.random(0, most), () -> {
			boolean nests = this.thread != null && this.held.size() == 1 && this.world.chance(300)
					&& !this.engine.isClosed();
			if (nests) {
				Acquisition outer = this.held.getFirst();
				acquire(new Acquisition(this.simulation, this, outer.lock(), outer.type(), lease(), 0, outer.owner(),
						outer.grant()));
			}
			else {
				unlock();
			}
		});
	}

	// Giving back

	private void unlock() {
		Acquisition last = this.held.pop();
		Grant grant = last.grant();
		if (this.thread != null) {
			Grant present = this.engine.grant(last.lock(), this.thread);
			if (present == null) {
				boolean told = this.engine.giveBackLost(last.lock(), this.thread) != null;
				this.referee.released(this, grant, false, told);
				goOn();
				return;
			}
			grant = present;
		}
		release(grant, true, this::goOn);
	}

	/**
	 * Gives back a grant that it was too late to use.
	 */
	void giveBack(Grant grant, Runnable then) {
		release(grant, false, then);
	}

	private void release(Grant grant, boolean believed, Runnable then) {
		Release.Result result;
		boolean wasValid = grant.isValid(this.client.nanoTime());
		try {
			result = this.engine.release(grant);
		}
		catch (LockLostException ex) {
			note("has lost " + grant.token());
			if (believed) {
				this.referee.released(this, grant, wasValid, true);
			}
			then.run();
			return;
		}
		if (believed) {
			this.referee.released(this, grant, wasValid, false);
		}
		if (result.passedOn()) {
			note("passes on " + grant.token());
			this.referee.passedOn(this, grant);
		}
		Release release = result.release();
		if (release == null) {
			then.run();
			return;
		}
		send(release, grant, then);
	}

	/**
	 * Sends a release, and what has to be sent after it.
	 * @param grant what is given back, or {@code null} if it is a place
	 */
	void send(Release release, @Nullable Grant grant, Runnable then) {
		this.simulation.network()
			.send(this.client, "releases " + release.command(), Network.LONGEST_REQUEST,
					() -> this.client.server().release(release.key(), release.command()), (reply, failure) -> {
						Release next = sent(release, reply, failure);
						if (reply != null && !reply.had() && grant != null) {
							this.engine.gone(grant);
						}
						if (next != null) {
							send(next, null, then);
						}
						else {
							then.run();
						}
					});
	}

	private @Nullable Release sent(Release release, @Nullable ReleaseReply reply,
			@Nullable LockServerException failure) {
		if (reply == null) {
			this.engine.releaseFailed(release, Objects.requireNonNull(failure));
			return null;
		}
		return this.engine.released(release, reply);
	}

}
