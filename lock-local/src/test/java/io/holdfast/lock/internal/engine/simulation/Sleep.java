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

/**
 * The sleep of a caller, with the rules of {@code LockSupport}.
 */
final class Sleep {

	private final World world;

	private final Caller caller;

	private final Runnable then;

	/**
	 * Number of the latest sleep: only that one ends by itself.
	 */
	private long timer;

	private boolean asleep;

	private boolean permit;

	/**
	 * Create a sleep that has not begun.
	 * @param then what to do when it ends
	 */
	Sleep(World world, Caller caller, Runnable then) {
		this.world = world;
		this.caller = caller;
		this.then = then;
	}

	void begin(long nanos) {
		this.asleep = true;
		if (this.permit) {
			wake();
			return;
		}
		long current = ++this.timer;
		this.caller.after(nanos + this.world.random(0, 100_000), () -> {
			if (this.timer == current) {
				awake();
			}
		});
	}

	/**
	 * Like that of a thread, a wake-up before the sleep ends the sleep, and several count
	 * as one.
	 */
	void wake() {
		this.permit = true;
		if (this.asleep) {
			long current = ++this.timer;
			this.caller.after(this.world.random(5000, 150_000), () -> {
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
		this.then.run();
	}

}
