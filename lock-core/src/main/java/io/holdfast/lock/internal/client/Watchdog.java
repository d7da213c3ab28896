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

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

import io.holdfast.lock.internal.engine.Context;
import io.holdfast.lock.internal.engine.Effects;
import io.holdfast.lock.internal.engine.Effects.Send;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.Timers.Timer;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.LockServer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the engine that time passes, and has sent what that demands. One platform thread
 * for all locks of the client. It never waits for the server, nor for the log, and
 * nothing ends it but the end of the client: what goes wrong in one round is tried again
 * in the next. A lock that cannot be told of something keeps none of the others from it.
 */
final class Watchdog {

	/*
	 * Who sets a timer wakes it only if that is due before it wakes by itself. No such
	 * timer is missed: before it looks when the next one is due, it says that it sleeps
	 * for as long as ever, so whoever sets one after that look compares with that time or
	 * with what the look has found, and a wake-up that comes before the sleep ends it at
	 * once.
	 */

	private static final long MIN_SLEEP_NANOS = 1_000_000;

	private static final long RETRY_NANOS = 100_000_000;

	private static final int MOST_OWED = 1000;

	private final LockRuntime runtime;

	private final Context context;

	private final Thread thread;

	private volatile long sleepsUntil;

	private final AtomicBoolean missedMessages = new AtomicBoolean();

	/** A lock that somebody waits for, of which the server has said so last. */
	private volatile @Nullable LockState awaited;

	/**
	 * What is due and was taken out, until its lock has been told; only the watchdog uses
	 * it.
	 */
	private @Nullable Timer untold;

	private volatile boolean stopped;

	Watchdog(LockRuntime runtime) {
		this.runtime = runtime;
		this.context = runtime.context;
		this.sleepsUntil = runtime.now();
		this.thread = new Thread(this::run, "holdfast-watchdog");
		this.thread.setDaemon(true);
		this.context.timers().onEarliest(this::dueAt);
	}

	void start() {
		this.thread.start();
	}

	void stop() {
		this.stopped = true;
		wake();
	}

	void wake() {
		LockSupport.unpark(this.thread);
	}

	/**
	 * There may be losses to tell of. One that comes after the watchdog has looked ends
	 * its next sleep at once.
	 */
	void wakeIfLost() {
		if (this.context.firstLost() != null) {
			wake();
		}
	}

	/**
	 * The server has said that a request waits.
	 */
	void waitsFor(LockState state) {
		this.awaited = state;
	}

	/**
	 * Something is due at a certain time.
	 */
	void dueAt(long nanos) {
		if (nanos - this.sleepsUntil < 0) {
			wake();
		}
	}

	/**
	 * Messages may have been missed. Looks after that itself, as this may be told by who
	 * brings them.
	 */
	void missedMessages() {
		this.missedMessages.set(true);
		wake();
	}

	private void run() {
		while (!this.stopped) {
			try {
				look();
				sleep();
			}
			catch (Throwable ex) {
				this.runtime.failed(ex);
				LockSupport.parkNanos(this, MIN_SLEEP_NANOS);
			}
		}
	}

	private void sleep() {
		long now = this.runtime.now();
		long latest = now + this.runtime.settings.lookNanos();
		this.sleepsUntil = latest;
		long next = this.runtime.sessions
			.nextNanos(this.context.owed().nextNanos(this.context.timers().nextNanos(latest)));
		this.sleepsUntil = next;
		if (!this.missedMessages.get() && !this.stopped) {
			LockSupport.parkNanos(this, Math.max(MIN_SLEEP_NANOS, next - now));
		}
		this.sleepsUntil = now;
	}

	/**
	 * Does all that is due.
	 */
	private void look() {
		discardTorn();
		lookAtMessages();
		sendDue();
		this.runtime.losses.tell();
		sendOwed();
		this.runtime.sessions.look();
		this.runtime.lookLog.look();
		// Last, as it may not get a thread.
		checkSubscription();
	}

	private void sendDue() {
		List<Send> sends = new ArrayList<>();
		long now = this.runtime.now();
		try {
			for (Timer timer = nextDue(now); timer != null; timer = nextDue(now)) {
				this.untold = timer;
				sendDue(timer, now, sends);
				this.untold = null;
			}
		}
		finally {
			this.runtime.workers.send(sends);
		}
	}

	private @Nullable Timer nextDue(long now) {
		Timer timer = this.untold;
		return (timer != null) ? timer : this.context.timers().poll(now);
	}

	/**
	 * A timer whose lock cannot be told, for want of memory, is due again soon: no lock
	 * is forgotten for it, and none waits behind it.
	 */
	private void sendDue(Timer timer, long now, List<Send> sends) {
		try {
			this.runtime.performer
				.perform(this.runtime.performer.on(timer.state(), (at) -> timer.state().due(timer, at)), sends::add);
		}
		catch (Throwable ex) {
			this.runtime.failed(ex);
			this.context.timers().set(timer, now + RETRY_NANOS);
		}
	}

	/**
	 * Here there is stack left, if there was not where the error was thrown. What cannot
	 * be discarded for want of memory is tried again at the next look.
	 */
	private void discardTorn() {
		if (!this.context.takeTorn()) {
			return;
		}
		try {
			this.runtime.table.all().forEach((state) -> tell(state, LockState::discardIfTorn));
		}
		catch (Throwable ex) {
			this.context.torn();
			throw ex;
		}
	}

	private void sendOwed() {
		List<Command.Release> due = this.context.owed().due(this.runtime.now(), MOST_OWED);
		this.runtime.workers
			.sendOwed(due.stream().map((each) -> new Send(this.runtime.stateOf(each.key()), each)).toList());
	}

	private void lookAtMessages() {
		boolean hears = this.runtime.hearsMessages();
		boolean deafens = !hears && this.context.hears();
		boolean missed = this.missedMessages.getAndSet(false);
		try {
			if (hears && !this.context.hears()) {
				this.runtime.health.reachedNode(LockServer.ONLY_NODE);
			}
			Collection<LockState> all = (missed || deafens) ? this.runtime.table.all() : List.of();
			this.context.hears(hears, this.runtime.now());
			for (LockState state : all) {
				if (missed) {
					tell(state, LockState::missedMessages);
				}
				else if (state.isWaitedFor()) {
					tell(state, LockState::deaf);
				}
			}
		}
		catch (Throwable ex) {
			this.missedMessages.set(true);
			throw ex;
		}
	}

	/**
	 * What does not hear of missed messages asks by itself, only later; what is torn is
	 * discarded at the next look.
	 */
	private void tell(LockState state, BiFunction<LockState, Long, Effects> input) {
		try {
			this.runtime.performer.tell(state, input);
		}
		catch (Throwable ex) {
			this.context.torn();
			this.runtime.failed(ex);
		}
	}

	/**
	 * At each look while somebody waits: a message that does not come is missed long
	 * before the next question.
	 */
	private void checkSubscription() {
		LockState state = this.awaited;
		if (state != null && state.isWaitedFor()) {
			String key = this.runtime.settings.keys().lock(state.name());
			String node = this.runtime.server.nodeOf(key);
			this.runtime.channels
				.forEach((channel) -> channel.check(key, (task) -> this.runtime.workers.renewals.execute(node, task)));
		}
	}

}
