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

package io.holdfast.lock.internal.client;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockObserver.Failure;
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
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock, from the first attempt to the grant, on the thread of its
 * caller. Not reusable.
 */
final class BlockingAcquire implements Waiter.Caller {

	/*
	 * Repeatedly, until the engine says that it is over: does what the engine says, which
	 * is to send a command, or to sleep until the wait ends or somebody wakes it with a
	 * grant. Failures of the server that pass with time do not end a wait, but when it
	 * ends they are what is thrown: "false" would claim that another holds the lock.
	 *
	 * An interrupt ends a sleep, not a command: after its answer it is known what to give
	 * back. So nothing of an interrupted wait is left in the queue.
	 */

	private final LockRuntime runtime;

	private final LockEngine engine;

	private final String name;

	private final LockType type;

	private final Object owner;

	private final Waiter waiter;

	private final ObservedCall observed;

	private final boolean interruptible;

	private final Thread thread = Thread.currentThread();

	private boolean interrupted;

	/**
	 * Prepare the call.
	 * @param owner who will own the grant
	 * @param waitNanos longest wait, or zero for a single attempt
	 * @param interruptible whether an interrupt ends the wait
	 * @param beginAttempt tells observers that the lock is wanted, and returns who is
	 * told what comes of it
	 */
	BlockingAcquire(LockRuntime runtime, String name, LockType type, Object owner, LeaseSpec lease, long waitNanos,
			boolean interruptible, Supplier<LockObserver.Attempt> beginAttempt) {
		this.runtime = runtime;
		this.engine = runtime.engine();
		this.name = name;
		this.type = type;
		this.owner = owner;
		this.waiter = new Waiter(owner, lease, waitNanos, this.engine.now(), this);
		this.observed = new ObservedCall(runtime, this.waiter, beginAttempt);
		this.interruptible = interruptible;
	}

	@Override
	public void wake() {
		LockSupport.unpark(this.thread);
	}

	@Override
	public String threadName() {
		return HandleOwner.nameOf(this.thread);
	}

	/**
	 * Acquires the lock.
	 * @return the grant, or {@code null} if another kept the lock
	 */
	@Nullable Grant acquire() throws InterruptedException {
		this.runtime.checkOpen(this.name);
		if (this.interruptible && Thread.interrupted()) {
			throw new InterruptedException();
		}
		try {
			return compete();
		}
		finally {
			// If no outcome was told yet, something unexpected was thrown.
			this.observed.failed(Failure.ERROR, null);
		}
	}

	private @Nullable Grant compete() throws InterruptedException {
		boolean held = this.owner instanceof Thread && this.engine.grant(this.name, this.owner) != null;
		if (!held) {
			this.observed.begin();
		}
		Entrance entrance = this.engine.enter(this.name, this.type, this.waiter);
		if (entrance instanceof Entrance.Reentered reentered) {
			return enterAgain(reentered.grant(), reentered.renewal());
		}
		if (held) {
			this.observed.begin();
		}
		if (entrance instanceof Entrance.Refused refused) {
			this.observed.failed(failure(refused.failure()), refused.failure());
			return refuse(refused.failure());
		}
		return finish();
	}

	/**
	 * Asks and sleeps until it has the lock or the wait is over.
	 * @return the grant, or {@code null} if another kept the lock
	 */
	private @Nullable Grant finish() throws InterruptedException {
		try {
			Departure departure = leave();
			return (departure.grant() != null && !this.engine.isClosed()) ? departure.grant() : refuse(departure);
		}
		finally {
			if (this.interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private Departure leave() {
		try {
			askUntilOver();
			Departure departure = this.engine.leave(this.waiter);
			Grant grant = departure.grant();
			if (grant != null && !this.engine.isClosed()) {
				LookLog.note(grant, this.runtime.settings().engine().warnsOfLongHolds());
				this.observed.acquired(grant);
			}
			return departure;
		}
		catch (RuntimeException | Error ex) {
			this.engine.discard(this.waiter, ex);
			throw ex;
		}
	}

	/**
	 * Acquires again what its owner holds already, because the inner acquisition wants a
	 * longer lease than is left, or the watchdog where the outer one did not.
	 * @throws LockLostException if it is lost; then it does not count
	 */
	private Grant enterAgain(Grant held, Renewal renewal) {
		LockReply reply;
		try {
			reply = this.runtime.server().renew(renewal);
		}
		catch (Throwable ex) {
			throw forCaller(RedisErrors.classify(this.name, ex));
		}
		try {
			this.engine.reentry().reentered(this.waiter, held, reply);
		}
		catch (LockServerException ex) {
			throw forCaller(ex);
		}
		held.attempt().reentered();
		return held;
	}

	private void askUntilOver() {
		while (true) {
			Step step = this.engine.next(this.waiter, this.interrupted && this.interruptible);
			if (step instanceof Step.Ask ask) {
				ask(ask.command());
			}
			else if (step instanceof Step.Confirm confirm) {
				confirm(confirm.renewal());
			}
			else if (step instanceof Step.Sleep sleep) {
				this.observed.slept();
				LockSupport.parkNanos(this, sleep.nanos());
			}
			else {
				return;
			}
			this.interrupted |= Thread.interrupted();
		}
	}

	private void ask(AcquireCommand command) {
		try {
			replied(command,
					this.runtime.server()
						.acquire(this.runtime.keys().lock(this.name), command, this.waiter.waits(),
								this.waiter.deadlineNanos()));
		}
		catch (Throwable ex) {
			failed(command, ex);
		}
	}

	/** Takes in the answer to a question. */
	private void replied(AcquireCommand command, LockReply reply) {
		try {
			if (reply.state() != LockReply.State.UNKNOWN) {
				this.runtime.health().acquisitionAnswered();
			}
			this.engine.replied(this.waiter, command, reply);
		}
		catch (Throwable ex) {
			failed(command, ex);
		}
	}

	/**
	 * Takes in that a question has no answer. Whatever the reason is, the queue must not
	 * wait for one any more.
	 */
	private void failed(AcquireCommand command, Throwable thrown) {
		LockServerException failure = RedisErrors.classify(this.name, thrown);
		this.engine.failed(this.waiter, command, failure);
		this.runtime.health().acquisitionFailed(failure);
	}

	private void confirm(Renewal renewal) {
		try {
			this.engine.confirmed(this.waiter, renewal, new Outcome<>(this.runtime.server().renew(renewal), null));
		}
		catch (Throwable ex) {
			LockServerException failure = RedisErrors.classify(this.name, ex);
			this.engine.confirmed(this.waiter, renewal, new Outcome<>(null, failure));
			this.runtime.health().failed(failure);
		}
	}

	private @Nullable Grant refuse(Departure departure) throws InterruptedException {
		giveBack(departure);
		this.observed.failed(failure(departure.reason()), departure.reason());
		this.runtime.checkOpen(this.name);
		if (this.interrupted && this.interruptible) {
			this.interrupted = false;
			throw new InterruptedException();
		}
		return refuse(departure.reason());
	}

	private @Nullable Grant refuse(@Nullable LockServerException reason) {
		if (reason != null) {
			throw forCaller(reason);
		}
		return null;
	}

	private LockServerException forCaller(LockServerException failure) {
		return this.runtime.errors().notAcquired(this.name, this.type, failure, this.waiter.sinceNanos());
	}

	private Failure failure(@Nullable LockServerException reason) {
		if (this.engine.isClosed()) {
			return Failure.CLOSED;
		}
		if (this.interrupted && this.interruptible) {
			return Failure.INTERRUPTED;
		}
		if (reason != null) {
			return Failure.SERVER;
		}
		return this.waiter.waits() ? Failure.TIMED_OUT : Failure.REFUSED;
	}

	private void giveBack(Departure departure) {
		if (departure.grant() != null) {
			this.runtime.releaser().releaseQuietly(departure.grant());
		}
		if (departure.release() != null) {
			this.runtime.releaser().sendQuietly(departure.release());
		}
	}

}
