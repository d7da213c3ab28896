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

import io.holdfast.lock.LockMode;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.Verdict;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who wants locks, one after another, and keeps each for a while: a thread, or,
 * if asynchronous, a chain of futures, each of which is an owner of its own and may be
 * cancelled at any moment until it has told its outcome.
 */
final class Caller {

	final Client client;

	private final Simulation simulation;

	private final World world;

	private final String name;

	private final boolean asynchronous;

	private Object owner;

	private int rounds;

	private @Nullable Waiter waiter;

	private String lock = "";

	private boolean idle;

	private boolean using;

	Caller(Simulation simulation, Client client, int number) {
		this.simulation = simulation;
		this.world = simulation.world;
		this.client = client;
		this.asynchronous = this.world.chance(300);
		this.name = client.name + "/" + number + (this.asynchronous ? "a" : "");
		this.owner = new Owner(this.name);
		this.rounds = 1 + this.world.random(simulation.plan.rounds);
		think();
	}

	boolean isIdle() {
		return this.idle || this.client.isDead();
	}

	private void think() {
		if (this.rounds-- == 0 || this.world.nanos() > this.simulation.plan.endNanos) {
			this.idle = true;
			return;
		}
		this.client.after(World.millis(this.world.random(0, this.simulation.plan.thinkMillis + 1)), this::want);
	}

	private void want() {
		Plan plan = this.simulation.plan;
		if (this.asynchronous) {
			this.owner = new Owner(this.name);
		}
		this.lock = "lock" + this.world.random(plan.names);
		boolean explicit = this.world.chance(plan.explicit * 10);
		long lease = explicit ? this.world.oneOf(200, 1000, 5000, 20_000) : plan.watchdogMillis;
		long wait = this.world.oneOf(-1, -1, 0, 0, 1, 50, 1000);
		long maxHold = this.world.chance(700) ? plan.maxHoldMillis : 0;
		this.simulation.maxHolds.put(this.owner, World.millis(maxHold));
		Wish any = wish(plan);
		Wish wish = new Wish(any.mode(), any.fair(), this.world.chance(700) ? plan.maxWaiters : 0);
		Waiter next = waiter(wish, lease, !explicit, wait, maxHold);
		this.waiter = this.asynchronous ? next.timed() : next;
		if (explicit) {
			this.simulation.leases.put(this.owner, lease);
		}
		else {
			this.simulation.leases.remove(this.owner);
		}
		this.world.note(this.name, "wants ", this.lock, " ", next.wish(), " lease ", lease, " wait ", wait);
		this.simulation.referee.wants(this, this.lock, next, World.millis(wait));
		this.client.want(this.lock, next);
		if (wait > 0 && !this.asynchronous) {
			this.client.after(World.millis(wait), () -> timeUp(next, false));
		}
	}

	private Waiter waiter(Wish wish, long lease, boolean watched, long wait, long maxHold) {
		return new Waiter(this.owner, wish, lease, watched, this.world.nanos(),
				(wait < 0) ? Long.MAX_VALUE / 2 : World.millis(wait), World.millis(maxHold)) {

			@Override
			public void wake() {
				woken(this);
			}

		};
	}

	private Wish wish(Plan plan) {
		boolean fair = this.world.chance(plan.fair * 10);
		Plan.Use use = plan.use;
		if (use == Plan.Use.MIXED) {
			use = List.of(Plan.Use.EXCLUSIVE, Plan.Use.READ_WRITE, Plan.Use.PERMITS).get(this.world.random(3));
		}
		return switch (use) {
			case EXCLUSIVE, MIXED -> Wish.exclusive(fair);
			case READ_WRITE -> this.world.chance(700) ? Wish.shared(fair) : Wish.exclusive(fair);
			case PERMITS -> this.world.chance(50) ? Wish.exclusive(fair)
					: Wish.of(LockMode.permits(1 + this.world.random(plan.limit), plan.limit), fair);
		};
	}

	private void timeUp(Waiter of, boolean cancelled) {
		LockState state = this.client.table.find(this.lock);
		if (this.waiter == of && of.outcome() == null && state != null) {
			this.client.perform(state.timeUp(of, cancelled, this.world.nanos()));
		}
	}

	/**
	 * A future that is cancelled has ended at once, and gives back what it is granted
	 * later. A thread that is interrupted waits for its outcome.
	 */
	void cancel() {
		Waiter present = this.waiter;
		if (present == null) {
			return;
		}
		this.world.note(this.name, "is cancelled");
		timeUp(present, true);
		if (this.asynchronous) {
			this.waiter = null;
			this.simulation.referee.cancelled(this, this.lock);
			think();
		}
	}

	private void woken(Waiter woken) {
		Verdict outcome = woken.outcome();
		if (outcome == null) {
			throw new AssertionError("woken without an outcome");
		}
		if (woken != this.waiter) {
			if (outcome instanceof Verdict.Granted granted) {
				this.world.note(this.name, "does not want it any more: ", granted);
				unlock(granted.grant(), woken.wish().isShared());
			}
			return;
		}
		this.waiter = null;
		this.world.note(this.name, "is told ", outcome);
		this.simulation.referee.told(this, this.lock, woken, outcome);
		if (outcome instanceof Verdict.Granted granted) {
			use(granted.grant(), woken.wish());
		}
		else {
			think();
		}
	}

	private void use(Grant grant, Wish wish) {
		this.using = true;
		this.simulation.referee.begins(this, this.lock, grant, wish);
		long nanos = World.millis(this.world.random(0, this.simulation.plan.useMillis + 1))
				+ this.world.random(0, 100_000);
		Runnable end = () -> end(grant, wish.isShared());
		if (!this.asynchronous && this.world.chance(200)) {
			this.client.after(nanos / 2, () -> reenter(grant, wish, () -> this.client.after(nanos / 4, end)));
		}
		else if (wish.kind() == LockMode.Kind.EXCLUSIVE && this.simulation.plan.use == Plan.Use.READ_WRITE
				&& this.world.chance(300)) {
			this.client.after(nanos / 2, () -> {
				boolean reads = downgrade(grant);
				this.client.after(nanos / 2, () -> end(grant, reads));
			});
		}
		else {
			this.client.after(nanos, end);
		}
	}

	/**
	 * Wants at once what it has, or, if it reads or has permits, to write.
	 */
	private void reenter(Grant grant, Wish wish, Runnable then) {
		if (isEnded(grant)) {
			then.run();
			return;
		}
		boolean upgrades = wish.kind() != LockMode.Kind.EXCLUSIVE && this.world.chance(500);
		Verdict outcome = own(upgrades ? Wish.exclusive(false) : wish);
		if (outcome instanceof Verdict.Granted again) {
			this.simulation.referee.require(again.grant() == grant && grant.loss() == null && !upgrades,
					this + " enters again with another grant");
			this.client.after(this.world.random(0, 500_000), () -> {
				unlock(grant, wish.isShared());
				then.run();
			});
			return;
		}
		this.simulation.referee.require(
				grant.loss() != null || this.client.isClosed() || (outcome == Verdict.Simple.UPGRADE && upgrades),
				this + " does not enter again: " + outcome);
		then.run();
	}

	/**
	 * What an owner is told at once that wants the lock again.
	 */
	private Verdict own(Wish wish) {
		Waiter again = new Waiter(this.owner, wish, this.simulation.plan.watchdogMillis, true, this.world.nanos(), 0,
				0) {

			@Override
			public void wake() {
			}

		};
		this.client.want(this.lock, again);
		Verdict outcome = again.outcome();
		if (outcome == null) {
			throw new AssertionError(this + " waits for itself");
		}
		return outcome;
	}

	/**
	 * Whether its lease has ended as it wanted: then it may come again like anybody else.
	 */
	private boolean isEnded(Grant grant) {
		return !this.simulation.isWatched(grant) && (grant.loss() != null || grant.untilNanos() <= this.world.nanos());
	}

	/**
	 * Reads on with what it has to write.
	 * @return whether it does
	 */
	private boolean downgrade(Grant grant) {
		if (isEnded(grant) || !(own(Wish.shared(false)) instanceof Verdict.Granted)) {
			return false;
		}
		this.world.note(this.name, "downgrades");
		this.simulation.referee.downgrades(this);
		unlock(grant, false);
		return true;
	}

	private void end(Grant grant, boolean read) {
		this.using = false;
		this.world.note(this.name, "unlocks ", this.lock);
		this.simulation.referee.ends(this);
		unlock(grant, read);
		think();
	}

	private void unlock(Grant grant, boolean read) {
		this.client.perform(grant.state().unlock(grant, read, this.world.nanos()));
	}

	@Override
	public String toString() {
		return this.name + (this.using ? " uses " : " waits for ") + this.lock;
	}

	/**
	 * Whose a grant is: compared by identity.
	 */
	private static final class Owner {

		private final String name;

		Owner(String name) {
			this.name = name;
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

}
