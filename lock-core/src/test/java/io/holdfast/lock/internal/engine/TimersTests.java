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

package io.holdfast.lock.internal.engine;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimersTests {

	private static final long DUE = 5_000_000_000L;

	/** So many frames above the end of the stack a timer is set. */
	private static final int FRAMES = 400;

	private final Timers timers = new Timers();

	@Test
	void timersGoOffInTheOrderOfTheirTimes() {
		Event late = event(DUE);
		Event soon = event(DUE / 2);
		Event removed = event(DUE / 2);
		Event beside = event(DUE / 2);
		Event later = event(DUE / 4);
		this.timers.remove(removed);
		this.timers.set(later, 2 * DUE);

		assertThat(this.timers.poll(DUE / 2 - 1)).isNull();
		assertThat(poll(DUE / 2 + 2_000_000)).containsExactly(soon, beside);
		assertThat(this.timers.nextNanos(3 * DUE)).isBetween(DUE, DUE + 2_000_000);
		assertThat(poll(3 * DUE)).containsExactly(late, later);
		assertThat(this.timers.isEmpty()).isTrue();
	}

	@Test
	void timesMayOverflow() {
		Event before = event(Long.MAX_VALUE - 10);
		Event after = event(Long.MIN_VALUE + DUE);

		assertThat(this.timers.poll(Long.MAX_VALUE - DUE)).isNull();
		assertThat(poll(Long.MIN_VALUE + 2 * DUE)).containsExactly(before, after);
	}

	/**
	 * Where the stack is used up a timer may be half set. It is discarded with its lock
	 * then.
	 */
	@Test
	void errorThatHitsOneTimerCostsNoOther() throws InterruptedException {
		int hit = 0;
		for (int frames = 0; frames < FRAMES; frames++) {
			List<Event> others = List.of(event(DUE), event(DUE), event(DUE));
			Event set = new Event();
			Overflow overflow = new Overflow(() -> this.timers.set(set, DUE), frames);
			Thread thread = new Thread(null, overflow::run, "overflow", 300 * 1024);
			thread.start();
			thread.join();
			hit += overflow.hit ? 1 : 0;

			this.timers.remove(set);

			assertThat(poll(2 * DUE)).containsExactlyElementsOf(others);
		}
		assertThat(hit).isPositive();
	}

	private Event event(long nanos) {
		Event event = new Event();
		this.timers.set(event, nanos);
		return event;
	}

	private List<Timers.Timer> poll(long now) {
		List<Timers.Timer> due = new ArrayList<>();
		for (Timers.Timer timer = this.timers.poll(now); timer != null; timer = this.timers.poll(now)) {
			due.add(timer);
		}
		return due;
	}

	private static final class Event extends Timers.Timer {

		@Override
		public LockState state() {
			throw new UnsupportedOperationException();
		}

		@Override
		void fire(long now, Effects out) {
			throw new UnsupportedOperationException();
		}

	}

	/** Does something a few frames above the end of the stack. */
	private static final class Overflow {

		private final Runnable action;

		private int frames;

		private boolean hit;

		private Overflow(Runnable action, int frames) {
			this.action = action;
			this.frames = frames;
		}

		private void run() {
			try {
				descend();
			}
			catch (StackOverflowError ex) {
				this.hit = true;
			}
		}

		@SuppressWarnings("InfiniteRecursion")
		private void descend() {
			try {
				descend();
			}
			catch (StackOverflowError ex) {
				if (this.frames-- != 0) {
					throw ex;
				}
				this.action.run();
			}
		}

	}

}
