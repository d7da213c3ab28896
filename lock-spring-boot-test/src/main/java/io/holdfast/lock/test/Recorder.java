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

package io.holdfast.lock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import org.jspecify.annotations.Nullable;

/**
 * Notes what the code under test acquires, and lets its waits time out. Thread-safe.
 */
final class Recorder implements LockObserver {

	private final List<TestLocks.Acquisition> acquired = new ArrayList<>();

	private volatile boolean timesOut;

	Duration waitTime(Duration waitTime) {
		return this.timesOut ? Duration.ZERO : waitTime;
	}

	void timeOut(boolean timesOut) {
		this.timesOut = timesOut;
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
		return new Attempt() {

			@Override
			public void acquired(LockObserver.Acquisition how, long waitedNanos) {
				add(new TestLocks.Acquisition(name, fair, mode));
			}

		};
	}

	private synchronized void add(TestLocks.Acquisition one) {
		this.acquired.add(one);
	}

	synchronized List<TestLocks.Acquisition> acquired() {
		return List.copyOf(this.acquired);
	}

	synchronized void forget() {
		this.acquired.clear();
	}

}
