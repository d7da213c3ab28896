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

package io.holdfast.lock.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.holdfast.lock.chaos.Attempt.Anomaly;
import io.holdfast.lock.chaos.Session.Hold;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a client: acquires locks as its {@link Workload} says, writes to the
 * resource while it holds them, releases them, and records what it is told of each.
 */
final class Worker implements Runnable {

	private final int process;

	private final Workload workload;

	private final Session session;

	private final Recorder recorder;

	private final Resource.Client resource;

	private final BooleanSupplier stopped;

	Worker(int process, Workload workload, Session session, Recorder recorder, Resource.Client resource,
			BooleanSupplier stopped) {
		this.process = process;
		this.workload = workload;
		this.session = session;
		this.recorder = recorder;
		this.resource = resource;
		this.stopped = stopped;
	}

	@Override
	public void run() {
		while (!this.stopped.getAsBoolean()) {
			attempt();
			// Left by an interrupt that came too late to matter.
			Thread.interrupted();
		}
	}

	private void attempt() {
		long lock = this.workload.lock();
		LockRequest request = this.workload.request(lock);
		Recorder.Trace trace = this.recorder.attempt(lock, request.mode(), this.session.isFair(request),
				request.isRenewed(), request.waitNanos(), System.nanoTime());
		Hold hold = acquire(request, trace);
		if (hold == null) {
			// As an application would, which has something else to do first.
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
			return;
		}
		use(lock, request, hold, trace);
		release(hold, trace);
	}

	private @Nullable Hold acquire(LockRequest request, Recorder.Trace trace) {
		Hold hold = null;
		Outcome outcome = Outcome.REFUSED;
		try {
			hold = this.session.acquire(request);
		}
		catch (InterruptedException ex) {
			outcome = Outcome.INTERRUPTED;
		}
		catch (RuntimeException ex) {
			outcome = this.session.outcomeOf(ex);
			if (outcome == Outcome.UNDOCUMENTED) {
				ex.printStackTrace();
			}
		}
		if (hold == null) {
			trace.ended(outcome, 0, System.nanoTime());
			return null;
		}
		trace.ended(Outcome.DONE, hold.token(), System.nanoTime());
		return hold;
	}

	private void use(long lock, LockRequest request, Hold hold, Recorder.Trace trace) {
		checkHeld(hold, trace);
		int reentered = reenter(hold, trace);
		pause(this.workload.holdTime(request.leaseTime()));
		if (checkHeld(hold, trace) || this.workload.writesAfterLoss()) {
			if (!write(lock, request.mode().isPermits() ? 0 : hold.token(), trace) && checkHeld(hold, trace)) {
				trace.anomaly(Anomaly.HELD_AFTER_REFUSAL);
			}
		}
		leave(hold, trace, reentered);
		checkHeld(hold, trace);
	}

	/**
	 * Asks whether the lock is held, and records the answer.
	 */
	private boolean checkHeld(Hold hold, Recorder.Trace trace) {
		long now = System.nanoTime();
		try {
			boolean held = hold.isHeld();
			if (held) {
				trace.claimed(now, Math.max(hold.validNanos(), 0));
			}
			else if (!hold.isUnsure()) {
				trace.denied(now);
			}
			return held;
		}
		catch (RuntimeException ex) {
			// There are libraries that have to ask.
			outcomeOf(ex, trace);
			return false;
		}
	}

	private boolean write(long lock, long token, Recorder.Trace trace) {
		try {
			return this.resource.write(lock, token, this.process, trace.record());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void pause(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
			Thread.interrupted();
		}
	}

	private int reenter(Hold hold, Recorder.Trace trace) {
		int wanted = this.workload.reentries();
		int reentered = 0;
		try {
			while (reentered < wanted && hold.reenter()) {
				reentered++;
				checkHoldCount(hold, trace, 1 + reentered);
			}
		}
		catch (RuntimeException ex) {
			outcomeOf(ex, trace);
		}
		return reentered;
	}

	/**
	 * A hold that was lost has no count.
	 */
	private void checkHoldCount(Hold hold, Recorder.Trace trace, int expected) {
		int count = hold.holdCount();
		if (count != expected && count >= 0 && checkHeld(hold, trace)) {
			trace.anomaly(Anomaly.WRONG_HOLD_COUNT);
		}
	}

	private void leave(Hold hold, Recorder.Trace trace, int reentered) {
		for (int left = reentered; left > 0; left--) {
			try {
				hold.release();
				checkHoldCount(hold, trace, left);
			}
			catch (RuntimeException ex) {
				outcomeOf(ex, trace);
			}
		}
	}

	private Outcome outcomeOf(RuntimeException thrown, Recorder.Trace trace) {
		Outcome outcome = this.session.outcomeOf(thrown);
		switch (outcome) {
			case NOT_OWNER -> trace.anomaly(Anomaly.WRONG_HOLD_COUNT);
			case UNDOCUMENTED -> thrown.printStackTrace();
			default -> {
				// Lost, or no answer.
			}
		}
		return outcome;
	}

	private void release(Hold hold, Recorder.Trace trace) {
		Outcome outcome = Outcome.DONE;
		trace.releasing(System.nanoTime());
		try {
			hold.release();
		}
		catch (RuntimeException ex) {
			outcome = outcomeOf(ex, trace);
		}
		trace.released(outcome, System.nanoTime());
		if (outcome == Outcome.DONE && isHeld(hold)) {
			trace.anomaly(Anomaly.HELD_AFTER_RELEASE);
		}
	}

	private static boolean isHeld(Hold hold) {
		try {
			return hold.isHeld();
		}
		catch (RuntimeException ex) {
			return false;
		}
	}

}
