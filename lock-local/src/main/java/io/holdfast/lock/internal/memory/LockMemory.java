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

package io.holdfast.lock.internal.memory;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.holdfast.lock.internal.memory.MemoryCall.Message;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.ServerSettings;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one process, which all of its clients share. Thread-safe; clients are told
 * of messages on the thread of whoever caused them, outside the monitor.
 */
public final class LockMemory {

	private static final int FIRST_SWEEP = 1000;

	private final LongSupplier micros;

	private final Map<String, LockMessages> clients = new ConcurrentHashMap<>();

	/**
	 * By key. Guarded by this.
	 */
	final TreeMap<String, MemoryLock> locks = new TreeMap<>();

	/**
	 * At how many locks those that do not matter any more are dropped.
	 */
	private int nextSweep = FIRST_SWEEP;

	/**
	 * Create an empty memory.
	 * @param micros the time in microseconds, which is never set back
	 */
	public LockMemory(LongSupplier micros) {
		this.micros = micros;
	}

	/**
	 * Sets who is told of what concerns a client; returns at once and throws nothing.
	 */
	void register(String client, LockMessages messages) {
		this.clients.put(client, messages);
	}

	void unregister(String client) {
		this.clients.remove(client);
	}

	/**
	 * Makes a call for one lock, and tells of it.
	 */
	<T> T call(String key, ServerSettings settings, long nanos, BiFunction<MemoryLock, MemoryCall, T> task) {
		MemoryCall call;
		T result;
		synchronized (this) {
			call = new MemoryCall(settings.clientId(), settings.waiterTimeout().toMillis(),
					settings.tokenRetention().toMillis(), this.micros.getAsLong(), nanos, new ArrayList<>(1),
					new HashSet<>(2));
			MemoryLock known = this.locks.get(key);
			MemoryLock lock = (known != null && !known.isOver(call.millis())) ? known : new MemoryLock(key);
			result = task.apply(lock, call);
			if (lock.isOver(call.millis())) {
				this.locks.remove(key);
			}
			else if (this.locks.put(key, lock) == null) {
				sweep(call.millis());
			}
		}
		for (Message message : call.messages()) {
			LockMessages client = this.clients.get(message.client());
			if (client != null) {
				message.content().accept(client);
			}
		}
		return result;
	}

	/**
	 * Whenever there are twice as many as were left, so that this costs each new lock the
	 * same.
	 */
	private void sweep(long nowMillis) {
		if (this.locks.size() >= this.nextSweep) {
			this.locks.values().removeIf((each) -> each.isOver(nowMillis));
			this.nextSweep = Math.max(2 * this.locks.size(), FIRST_SWEEP);
		}
	}

	/**
	 * The next keys with a prefix, in order.
	 * @param after the key after which to begin, or {@code null}
	 */
	synchronized List<String> keys(String prefix, @Nullable String after, int count) {
		long now = TimeUnit.MICROSECONDS.toMillis(this.micros.getAsLong());
		Map<String, MemoryLock> rest = (after != null) ? this.locks.tailMap(after, false)
				: this.locks.tailMap(prefix, true);
		return rest.entrySet()
			.stream()
			.takeWhile((each) -> each.getKey().startsWith(prefix))
			.filter((each) -> !each.getValue().isOver(now))
			.map(Map.Entry::getKey)
			.limit(count)
			.toList();
	}

}
