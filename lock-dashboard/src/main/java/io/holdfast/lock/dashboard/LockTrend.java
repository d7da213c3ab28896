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

package io.holdfast.lock.dashboard;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

import io.holdfast.lock.LockObserver.ClientState;
import org.jspecify.annotations.Nullable;

/**
 * How many locks the clients of this process hold, and how many callers wait, over five
 * minutes. A thread looks every five seconds, as long as there is a client. Thread-safe.
 */
final class LockTrend {

	private final LongSupplier nanoTime;

	private final Set<ClientState> clients = ConcurrentHashMap.newKeySet();

	/** The oldest first. Guarded by the monitor. */
	private final Deque<Sample> samples = new ArrayDeque<>();

	/** Guarded by the monitor. */
	private @Nullable Thread thread;

	LockTrend(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	synchronized void add(ClientState client) {
		this.clients.add(client);
		if (this.thread == null) {
			this.thread = new Thread(this::lookAgainAndAgain, "holdfast-trend");
			this.thread.setDaemon(true);
			this.thread.start();
		}
	}

	synchronized void remove(ClientState client) {
		this.clients.remove(client);
		if (this.clients.isEmpty() && this.thread != null) {
			this.thread.interrupt();
			this.thread = null;
		}
	}

	boolean knows(String clientId) {
		return this.clients.stream().anyMatch((each) -> each.id().equals(clientId));
	}

	private void lookAgainAndAgain() {
		try {
			while (true) {
				Thread.sleep(LockWaits.SLOT.toMillis());
				lookIfPossible();
			}
		}
		catch (InterruptedException ex) {
			// The last client is closed.
		}
	}

	private void lookIfPossible() {
		try {
			look();
		}
		catch (RuntimeException | Error ex) {
			// The next look may do better.
		}
	}

	void look() {
		Sample sample = new Sample(this.nanoTime.getAsLong(), sum(ClientState::held), sum(ClientState::waiting));
		synchronized (this) {
			// A process that was paused does not know what was meanwhile.
			if (!this.samples.isEmpty() && sample.at - this.samples.getLast().at > 2 * LockWaits.SLOT.toNanos()) {
				this.samples.clear();
			}
			this.samples.addLast(sample);
			if (this.samples.size() > LockWaits.SLOTS) {
				this.samples.removeFirst();
			}
		}
	}

	private int sum(ToIntFunction<ClientState> count) {
		return this.clients.stream().mapToInt(count).sum();
	}

	synchronized Values values() {
		return new Values(this.samples.stream().map(Sample::held).toList(),
				this.samples.stream().map(Sample::waiting).toList());
	}

	private record Sample(long at, int held, int waiting) {
	}

	/**
	 * Numbers five seconds apart, the oldest first.
	 *
	 * @param held how many locks were held
	 * @param waiting how many callers waited
	 */
	record Values(List<Integer> held, List<Integer> waiting) {
	}

}
