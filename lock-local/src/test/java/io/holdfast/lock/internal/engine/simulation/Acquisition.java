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
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Departure;
import io.holdfast.lock.internal.engine.Entrance;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.Step;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock, from the first attempt to the grant, as events. It mirrors
 * {@code DefaultLockClient} and {@code BlockingAcquire}.
 */
final class Acquisition implements Waiter.Caller {

	private static final long MOST_STEPS = 200_000;

	private final Caller caller;

	private final SimulatedClient client;

	private final World world;

	private final Simulation simulation;

	private final LockEngine engine;

	private final Referee referee;

	private final String lock;

	private final LockType type;

	private final LeaseSpec lease;

	private final long waitNanos;

	private final Object owner;

	private final Waiter waiter;

	/**
	 * What its thread has already.
	 */
	private final @Nullable Grant outer;

	private final long sinceNanos;

	private boolean interrupted;

	private final Sleep nap;

	private long steps;

	private @Nullable Grant grant;

	Acquisition(Simulation simulation, Caller caller, String lock, LockType type, LeaseSpec lease, long waitNanos,
			Object owner, @Nullable Grant outer) {
		this.simulation = simulation;
		this.world = simulation.world();
		this.referee = simulation.referee();
		this.caller = caller;
		this.client = caller.client();
		this.engine = this.client.engine();
		this.lock = lock;
		this.type = type;
		this.lease = lease;
		this.waitNanos = waitNanos;
		this.owner = owner;
		this.outer = outer;
		this.sinceNanos = this.world.nanos();
		this.nap = new Sleep(this.world, caller, this::next);
		this.waiter = new Waiter(owner, lease, waitNanos, this.client.nanoTime(), this);
	}

	String lock() {
		return this.lock;
	}

	LockType type() {
		return this.type;
	}

	Object owner() {
		return this.owner;
	}

	Grant grant() {
		return Objects.requireNonNull(this.grant);
	}

	void interrupt() {
		this.interrupted = true;
		wake();
	}

	/**
	 * Its caller has forgotten the handle that it got.
	 */
	void forget() {
		if (this.owner instanceof HandleOwner handle) {
			handle.bind(null);
		}
	}

	@Override
	public String toString() {
		return "wants " + this.lock + " since " + this.sinceNanos / 1_000_000 + " ms";
	}

	void enter() {
		if (this.world.traces()) {
			this.caller.note("wants " + this.lock + " " + this.type + " " + this.lease + " for "
					+ this.waitNanos / 1_000_000 + " ms");
		}
		this.referee.begins(this.caller, this.lock);
		Grant held = (this.owner instanceof Thread thread) ? this.engine.reentry().enter(this.lock, thread, this.lease)
				: null;
		if (held != null) {
			requireOuter(held);
			entered(held);
			return;
		}
		Entrance entrance;
		try {
			entrance = this.engine.enter(this.lock, this.type, this.waiter);
		}
		catch (LockLostException ex) {
			this.caller.note("may not enter: it has lost the lock");
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
			soon(this::next);
		}
	}

	private void requireOuter(Grant held) {
		if (this.outer != held) {
			throw new AssertionError(this.caller + " holds what it has not acquired");
		}
	}

	private void enterAgain(Grant held, Renewal renewal) {
		requireOuter(held);
		this.simulation.network()
			.send(this.client, "asks again " + renewal, Network.LONGEST_REQUEST,
					() -> this.client.server().renew(List.of(renewal)), (replies, failure) -> {
						try {
							if (replies == null) {
								throw Objects.requireNonNull(failure);
							}
							this.engine.reentry().reentered(this.waiter, held, replies.get(0));
						}
						catch (LockLostException | LockServerException | IllegalMonitorStateException ex) {
							this.caller.note("does not enter again: " + ex.getClass().getSimpleName());
							failed();
							return;
						}
						entered(held);
					});
	}

	private void next() {
		if (++this.steps > MOST_STEPS) {
			throw new AssertionError(this.caller + " goes round in circles");
		}
		Step step = this.engine.next(this.waiter, this.interrupted);
		if (step instanceof Step.Ask ask) {
			ask(ask.command());
		}
		else if (step instanceof Step.Confirm confirm) {
			confirm(confirm.renewal());
		}
		else if (step instanceof Step.Sleep sleep) {
			this.nap.begin(sleep.nanos());
		}
		else {
			soon(this::leave);
		}
	}

	/**
	 * Goes on, now or a little later: a thread may stand still between any two steps.
	 */
	private void soon(Runnable step) {
		if (this.world.chance(50)) {
			this.caller.after(this.world.random(0, World.millis(20)), step);
		}
		else {
			step.run();
		}
	}

	private void ask(AcquireCommand command) {
		boolean waits = this.waiter.waits();
		long left = Math.max(this.waiter.deadlineNanos() - this.client.nanoTime(), 0);
		long half = Network.LONGEST_REQUEST / 2;
		long limit = (waits && left < half) ? half + left : Network.LONGEST_REQUEST;
		long notAfter = this.client.notAfterMillis(waits, this.waiter.deadlineNanos());
		this.referee.asks(this.caller, command.id());
		this.simulation.network()
			.send(this.client, "asks " + command, limit,
					() -> this.client.server()
						.acquireBefore(SimulatedClient.KEYS.lock(this.lock), command, waits, notAfter),
					(reply, failure) -> {
						if (reply != null) {
							this.engine.replied(this.waiter, command, reply);
						}
						else {
							this.engine.failed(this.waiter, command, Objects.requireNonNull(failure));
						}
						soon(this::next);
					});
	}

	private void confirm(Renewal renewal) {
		this.simulation.network()
			.send(this.client, "confirms " + renewal, Network.LONGEST_REQUEST,
					() -> this.client.server().renew(renewal), (reply, failure) -> {
						this.engine.confirmed(this.waiter, renewal, new Outcome<>(reply, failure));
						soon(this::next);
					});
	}

	@Override
	public void wake() {
		this.nap.wake();
	}

	private void leave() {
		Departure departure = this.engine.leave(this.waiter);
		Grant granted = departure.grant();
		if (granted != null && !this.engine.isClosed()) {
			entered(granted);
			return;
		}
		if (granted != null) {
			this.caller.giveBack(granted, this::failed);
			return;
		}
		Runnable then = () -> {
			if (this.interrupted || this.engine.isClosed()) {
				this.caller.note("leaves");
				failed();
			}
			else {
				refused(departure.reason());
			}
		};
		if (departure.release() != null) {
			this.caller.send(departure.release(), null, then);
		}
		else {
			then.run();
		}
	}

	private void refused(@Nullable LockServerException reason) {
		this.caller.note((reason != null) ? "gets no answer: " + reason.getMessage() : "does not get it");
		if (reason == null) {
			this.referee.saysNo(this.caller, this.lock, this.client.nanoTime() - this.waiter.deadlineNanos());
		}
		failed();
	}

	private void failed() {
		this.referee.ends(this.caller, this.waitNanos, this.sinceNanos);
		this.caller.failed();
	}

	private void entered(Grant granted) {
		this.grant = granted;
		this.referee.ends(this.caller, this.waitNanos, this.sinceNanos);
		if (this.outer != granted) {
			// Or the lease of the outer one is over, and this is another hold.
			this.referee.granted(this.caller, granted, this.lease);
		}
		else {
			this.referee.grantedAgain(this.caller, granted, this.lease);
		}
		this.caller.entered(this);
	}

}
