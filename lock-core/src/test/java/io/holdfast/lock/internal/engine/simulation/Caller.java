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
import java.util.Objects;

import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Departure;
import io.holdfast.lock.internal.engine.Entrance;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.Release;
import io.holdfast.lock.internal.engine.Step;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.engine.simulation.Plan.Fault;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Confirmation;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * One caller that acquires locks and gives them back, round after round, as events. It
 * mirrors {@code BlockingAcquire} and {@code Releaser}.
 */
final class Caller {

	private static final long MOST_PERMITS = 200_000;

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

	private Wish wish;

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
		this.wish = wish();
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
		return this.idle || isGone();
	}

	boolean isGone() {
		return this.dead || this.client.isDead();
	}

	String describe() {
		return this.name + " wants " + this.wish.lock + " since " + this.wish.sinceNanos / 1_000_000 + " ms";
	}

	private void after(long nanos, Runnable action) {
		this.client.after(nanos, () -> {
			if (!this.dead) {
				action.run();
			}
		});
	}

	private void note(String what) {
		this.world.note(this.name, what);
	}

	private void rest() {
		this.idle = true;
		this.referee.leaves(this);
		after(this.world.random(0, World.millis(this.plan.thinkMillis)), () -> {
			if (this.rounds++ < this.plan.rounds && this.world.nanos() < this.plan.endNanos
					&& !this.client.isStopped()) {
				this.wish = wish();
				this.idle = false;
				this.wish.enter();
			}
		});
	}

	private Wish wish() {
		String lock = "lock" + this.world.random(this.plan.names);
		LockType type = (this.world.random(100) < this.plan.fair) ? LockType.FAIR : LockType.REENTRANT;
		long wait = this.world.oneOf(0, 0, 3, 50, 500, 5000, 100_000_000L);
		return new Wish(lock, type, lease(), World.millis(wait), null);
	}

	private LeaseSpec lease() {
		return (this.world.random(100) < this.plan.explicit)
				? new LeaseSpec(this.world.oneOf(3, 20, 200, 2000, 15_000), false)
				: new LeaseSpec(this.plan.watchdogTimeout.toMillis(), true);
	}

	/**
	 * Wants no more, and says nothing.
	 */
	void die() {
		// A thread that owns something lives: it is not ours.
		if (!this.idle && !this.dead && this.thread == null) {
			note("dies");
			this.dead = true;
			if (this.wish.owner instanceof HandleOwner handle) {
				handle.bind(null);
			}
			this.referee.forget(this);
		}
	}

	void interrupt() {
		this.wish.interrupted = true;
		this.wish.wake();
	}

	/**
	 * How often this call has the lock: it is a thread's, so it may acquire it again.
	 */
	private final class Wish implements Waiter.Caller {

		private final String lock;

		private final LockType type;

		private final LeaseSpec lease;

		private final long waitNanos;

		private final Object owner;

		private final Waiter waiter;

		private final @Nullable Wish outer;

		private final long sinceNanos;

		private boolean interrupted;

		private long timer;

		private boolean asleep;

		private boolean permit;

		private long steps;

		private @Nullable Grant grant;

		Wish(String lock, LockType type, LeaseSpec lease, long waitNanos, @Nullable Wish outer) {
			this.lock = lock;
			this.type = type;
			this.lease = lease;
			this.waitNanos = waitNanos;
			this.outer = outer;
			this.owner = (Caller.this.thread != null) ? Caller.this.thread : new HandleOwner();
			this.sinceNanos = Caller.this.world.nanos();
			this.waiter = new Waiter(this.owner, lease, waitNanos, Caller.this.client.nanoTime(), this);
		}

		// Acquiring

		void enter() {
			if (Caller.this.world.traces()) {
				note("wants " + this.lock + " " + this.type + " " + this.lease + " for " + this.waitNanos / 1_000_000
						+ " ms");
			}
			Caller.this.referee.begins(Caller.this, this.lock);
			Entrance entrance;
			try {
				entrance = Caller.this.engine.enter(this.lock, this.type, this.waiter);
			}
			catch (LockLostException ex) {
				note("may not enter: it has lost the lock");
				failed();
				return;
			}
			if (entrance instanceof Entrance.Reentered reentered) {
				enterAgain(reentered.grant(), reentered.renewal());
			}
			else if (entrance instanceof Entrance.Refused refused) {
				refused(refused.failure());
			}
			else {
				next();
			}
		}

		private void enterAgain(Grant held, @Nullable Renewal renewal) {
			if (this.outer == null || this.outer.grant != held) {
				throw new AssertionError(Caller.this + " holds what it has not acquired");
			}
			if (renewal == null) {
				entered(held);
				return;
			}
			Caller.this.simulation.network()
				.send(Caller.this.client, "asks again " + renewal, Network.LONGEST_REQUEST,
						() -> Caller.this.client.server().renew(List.of(renewal)), (replies, failure) -> {
							try {
								if (replies == null) {
									throw Objects.requireNonNull(failure);
								}
								Caller.this.engine.reentered(this.waiter, held, replies.get(0));
							}
							catch (LockLostException | LockServerException | IllegalMonitorStateException ex) {
								note("does not enter again: " + ex.getMessage());
								failed();
								return;
							}
							entered(held);
						});
		}

		private void next() {
			if (Caller.this.isGone()) {
				return;
			}
			if (++this.steps > MOST_PERMITS) {
				throw new AssertionError(Caller.this + " goes round in circles");
			}
			Step step = Caller.this.engine.next(this.waiter, this.interrupted);
			if (step instanceof Step.Ask ask) {
				ask(ask.command());
			}
			else if (step instanceof Step.Confirm confirm) {
				confirm(confirm.renewal());
			}
			else if (step instanceof Step.Sleep sleep) {
				sleep(sleep.nanos());
			}
			else {
				leave();
			}
		}

		private void ask(AcquireCommand command) {
			boolean waits = this.waiter.waits();
			long left = Math.max(this.waiter.deadlineNanos() - Caller.this.client.nanoTime(), 0);
			long half = Network.LONGEST_REQUEST / 2;
			long limit = (waits && left < half) ? half + left : Network.LONGEST_REQUEST;
			long notAfter = Caller.this.client.notAfterMillis(waits, this.waiter.deadlineNanos());
			Caller.this.referee.asks(Caller.this, command.id());
			Caller.this.simulation.network()
				.send(Caller.this.client, "asks " + command, limit,
						() -> Caller.this.client.server()
							.acquire(SimulatedClient.KEYS.lock(this.lock), command, waits, notAfter),
						(reply, failure) -> {
							if (Caller.this.isGone()) {
								return;
							}
							if (reply != null) {
								Caller.this.engine.replied(this.waiter, command, reply);
							}
							else {
								Caller.this.engine.failed(this.waiter, command, Objects.requireNonNull(failure));
							}
							next();
						});
		}

		private void confirm(Renewal renewal) {
			Caller.this.simulation.network()
				.send(Caller.this.client, "confirms " + renewal, Network.LONGEST_REQUEST,
						() -> Caller.this.client.server().confirm(renewal, false), (answer, failure) -> {
							if (Caller.this.isGone()) {
								return;
							}
							Confirmation confirmation = (answer != null) ? answer : new Confirmation(null, failure);
							if (Caller.this.plan.engine.acknowledged() && !Caller.this.plan.isCalm()
									&& Caller.this.world.chance(100)) {
								confirmation = new Confirmation(confirmation.reply(),
										new LockServerException("", Reason.TIMED_OUT, "too few replicas", null));
							}
							Caller.this.engine.confirmed(this.waiter, renewal, confirmation);
							next();
						});
		}

		private void sleep(long nanos) {
			this.asleep = true;
			if (this.permit) {
				wake();
				return;
			}
			long current = ++this.timer;
			after(nanos + Caller.this.world.random(0, 100_000), () -> {
				if (this.timer == current) {
					awake();
				}
			});
		}

		/**
		 * Like that of a thread, a wake-up before the sleep ends the sleep, and several
		 * count as one.
		 */
		@Override
		public void wake() {
			this.permit = true;
			if (this.asleep) {
				long current = ++this.timer;
				after(Caller.this.world.random(5000, 150_000), () -> {
					if (this.timer == current) {
						awake();
					}
				});
			}
		}

		private void awake() {
			this.timer++;
			this.permit = false;
			this.asleep = false;
			next();
		}

		@Override
		public boolean isGone() {
			return Caller.this.isGone();
		}

		private void leave() {
			Departure departure = Caller.this.engine.leave(this.waiter);
			Grant granted = departure.grant();
			if (granted != null && !Caller.this.engine.isClosed()) {
				entered(granted);
				return;
			}
			if (granted != null) {
				release(granted, () -> failed());
				return;
			}
			Runnable then = () -> {
				if (this.interrupted || Caller.this.engine.isClosed()) {
					note("leaves");
					failed();
				}
				else {
					refused(departure.reason());
				}
			};
			if (departure.release() != null) {
				send(departure.release(), null, then);
			}
			else {
				then.run();
			}
		}

		private void refused(@Nullable LockServerException reason) {
			note((reason != null) ? "gets no answer: " + reason.getMessage() : "does not get it");
			if (reason == null) {
				Caller.this.referee.saysNo(Caller.this, this.lock);
			}
			failed();
		}

		private void failed() {
			Caller.this.referee.ends(Caller.this, this.waitNanos, this.sinceNanos);
			unlocked();
		}

		// Having it

		private void entered(Grant granted) {
			this.grant = granted;
			Caller.this.referee.ends(Caller.this, this.waitNanos, this.sinceNanos);
			if (this.outer == null || this.outer.grant != granted) {
				// The lease of the outer one may be over, so this is another hold.
				Caller.this.referee.granted(Caller.this, granted, this.lease);
			}
			else {
				Caller.this.referee.grantedAgain(Caller.this, granted, this.lease);
			}
			if (Caller.this.plan.has(Fault.CALLER_DIES) && Caller.this.world.chance(30)) {
				die();
			}
			if (!Caller.this.dead) {
				use();
			}
		}

		private void use() {
			long most = World.millis(Caller.this.plan.useMillis * (Caller.this.world.chance(50) ? 8 : 1));
			after(Caller.this.world.random(0, most), () -> {
				boolean nests = Caller.this.thread != null && this.outer == null && Caller.this.world.chance(300)
						&& !Caller.this.engine.isClosed();
				if (nests) {
					Caller.this.wish = new Wish(this.lock, this.type, lease(), 0, this);
					Caller.this.wish.enter();
				}
				else {
					unlock();
				}
			});
		}

		private void unlock() {
			Grant held = Objects.requireNonNull(this.grant);
			if (Caller.this.thread != null) {
				Grant present = Caller.this.engine.grant(this.lock, this.owner);
				if (present == null) {
					boolean told = Caller.this.engine.giveBackLost(this.lock, Caller.this.thread) != null;
					Caller.this.referee.released(Caller.this, held, false, told);
					unlocked();
					return;
				}
				held = present;
			}
			release(held, this::unlocked);
		}

		private void unlocked() {
			if (this.outer != null) {
				Caller.this.wish = this.outer;
				this.outer.use();
			}
			else {
				rest();
			}
		}

		private void release(Grant held, Runnable then) {
			Release.Result result;
			boolean believed = this.grant != null;
			boolean wasValid = held.isValid(Caller.this.client.nanoTime());
			try {
				result = Caller.this.engine.release(held);
			}
			catch (LockLostException ex) {
				note("has lost " + held.token());
				if (believed) {
					Caller.this.referee.released(Caller.this, held, wasValid, true);
				}
				then.run();
				return;
			}
			if (believed) {
				Caller.this.referee.released(Caller.this, held, wasValid, false);
			}
			if (result.passedOn()) {
				note("passes on " + held.token());
				Caller.this.referee.passedOn(Caller.this, held);
			}
			Release release = result.release();
			if (release == null) {
				then.run();
				return;
			}
			send(release, held, then);
		}

		private void send(Release release, @Nullable Grant held, Runnable then) {
			Caller.this.simulation.network()
				.send(Caller.this.client, "releases " + release.command(), Network.LONGEST_REQUEST,
						() -> Caller.this.client.server().release(release.key(), release.command()),
						(reply, failure) -> {
							Release next = sent(release, reply, failure);
							if (reply != null && !reply.had() && held != null) {
								Caller.this.engine.gone(held);
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
				Caller.this.engine.releaseFailed(release, Objects.requireNonNull(failure));
				return null;
			}
			return Caller.this.engine.released(release, reply);
		}

	}

}
