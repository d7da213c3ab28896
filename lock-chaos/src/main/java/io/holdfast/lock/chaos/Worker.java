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
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.holdfast.lock.chaos.Attempt.Oddity;
import io.holdfast.lock.chaos.LockLibrary.Hold;
import io.holdfast.lock.chaos.LockLibrary.Wish;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a client: takes locks in all ways there are, for a moment or for longer
 * than their lease, and records what it is told.
 */
final class Worker implements Runnable {

	static final Duration LONGEST_LEASE = Duration.ofSeconds(2);

	/**
	 * So long that a lock which is not released can be seen.
	 */
	private static final Duration UNFORGOTTEN = Duration.ofSeconds(60);

	private static final int HOT_LOCKS = 2;

	private final int process;

	private final int locks;

	private final Duration use;

	private final int singlePercent;

	private final LockLibrary library;

	private final Recorder recorder;

	private final Resource.Client resource;

	private final Random random;

	private final AtomicInteger singles;

	private final BooleanSupplier stopped;

	Worker(int process, int locks, Duration use, int singlePercent, LockLibrary library, Recorder recorder,
			Resource.Client resource, Random random, AtomicInteger singles, BooleanSupplier stopped) {
		this.process = process;
		this.locks = locks;
		this.use = use;
		this.singlePercent = singlePercent;
		this.library = library;
		this.recorder = recorder;
		this.resource = resource;
		this.random = random;
		this.singles = singles;
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

	private boolean chance(int percent) {
		return this.random.nextInt(100) < percent;
	}

	private long number() {
		if (chance(this.singlePercent)) {
			return LockNumbers.single(this.process, this.singles.incrementAndGet());
		}
		return this.random.nextInt(chance(30) ? HOT_LOCKS : this.locks);
	}

	/**
	 * Negative for a wait without end.
	 */
	private long waitMillis() {
		return switch (this.random.nextInt(10)) {
			case 0 -> 0;
			case 1 -> 1 + this.random.nextInt(20);
			case 2, 3, 4 -> 200;
			case 5 -> -1;
			default -> 2000 + this.random.nextInt(6000);
		};
	}

	private Wish wish(long number) {
		Duration lease = chance(60) ? null : Duration.ofMillis(30 + this.random.nextInt(1970));
		if (LockNumbers.isSingle(number) && chance(50)) {
			lease = UNFORGOTTEN;
		}
		Duration wait = Duration.ofMillis(waitMillis());
		return new Wish(LockNumbers.name(number), chance(40), chance(25) && !wait.isNegative(), wait, lease);
	}

	private void attempt() {
		long number = number();
		Wish wish = wish(number);
		long waitNanos = wish.waitsForEver() ? Long.MAX_VALUE / 2 : wish.maxWait().toNanos();
		Recorder.Trace trace = this.recorder.attempt(number, this.library.isInOrder(wish), wish.lease() == null,
				waitNanos, System.nanoTime());
		Hold hold = null;
		Outcome outcome = Outcome.REFUSED;
		try {
			hold = this.library.acquire(wish);
		}
		catch (InterruptedException ex) {
			outcome = Outcome.INTERRUPTED;
		}
		catch (RuntimeException ex) {
			outcome = this.library.outcomeOf(ex);
			if (outcome == Outcome.UNDOCUMENTED) {
				ex.printStackTrace();
			}
		}
		if (hold == null) {
			trace.ended(outcome, 0, System.nanoTime());
			// As an application would, which has something else to do first.
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
			return;
		}
		trace.ended(Outcome.DONE, hold.token(), System.nanoTime());
		use(number, wish, hold, trace);
		release(hold, trace);
	}

	/**
	 * Looks whether the lock is held.
	 */
	private boolean look(Hold hold, Recorder.Trace trace) {
		long now = System.nanoTime();
		try {
			boolean held = hold.isHeld();
			if (held) {
				trace.claimed(now, Math.max(hold.validNanos(), 0));
			}
			else {
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

	private void use(long number, Wish wish, Hold hold, Recorder.Trace trace) {
		look(hold, trace);
		int entered = chance(20) ? enter(hold, trace) : 0;
		rest(wish.lease());
		if (look(hold, trace) || chance(50)) {
			// Also writes what it must not, sometimes: it may be told too late.
			if (!write(number, hold.token(), trace) && look(hold, trace)) {
				trace.odd(Oddity.HELD_AFTER_REFUSAL);
			}
		}
		leave(hold, trace, entered);
		look(hold, trace);
	}

	private boolean write(long number, long token, Recorder.Trace trace) {
		try {
			return this.resource.write(number, token, this.process, trace.record());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Mostly short, sometimes longer than an explicit lease or than several renewals.
	 */
	private void rest(@Nullable Duration lease) {
		int percent = this.random.nextInt(1000);
		long millis = 0;
		if (percent < 8 && lease != null && lease.toMillis() < 500) {
			millis = lease.toMillis() + this.random.nextInt(100);
		}
		else if (percent < 1) {
			millis = 500L + this.random.nextInt(2000);
		}
		else if (percent < 300) {
			millis = this.random.nextInt((int) this.use.toMillis());
		}
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
			Thread.interrupted();
		}
	}

	private int enter(Hold hold, Recorder.Trace trace) {
		int wanted = 1 + this.random.nextInt(2);
		int entered = 0;
		try {
			while (entered < wanted && hold.enter()) {
				entered++;
				checkDepth(hold, trace, 1 + entered);
			}
		}
		catch (RuntimeException ex) {
			outcomeOf(ex, trace);
		}
		return entered;
	}

	/**
	 * A hold that was lost has no depth.
	 */
	private void checkDepth(Hold hold, Recorder.Trace trace, int expected) {
		int depth = hold.depth();
		if (depth != expected && depth >= 0 && look(hold, trace)) {
			trace.odd(Oddity.WRONG_DEPTH);
		}
	}

	private void leave(Hold hold, Recorder.Trace trace, int entered) {
		for (int left = entered; left > 0; left--) {
			try {
				hold.release();
				checkDepth(hold, trace, left);
			}
			catch (RuntimeException ex) {
				outcomeOf(ex, trace);
			}
		}
	}

	private Outcome outcomeOf(RuntimeException thrown, Recorder.Trace trace) {
		Outcome outcome = this.library.outcomeOf(thrown);
		switch (outcome) {
			case NOT_OWNER -> trace.odd(Oddity.WRONG_DEPTH);
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
			trace.odd(Oddity.HELD_AFTER_RELEASE);
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
