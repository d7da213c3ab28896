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
import java.util.List;

import io.holdfast.lock.internal.memory.MemoryQueue.Place;
import org.jspecify.annotations.Nullable;

/**
 * What tests may know of the inside of a lock.
 */
public final class MemoryLockState {

	private final MemoryLock lock;

	public MemoryLockState(MemoryLock lock) {
		this.lock = lock;
	}

	public @Nullable String hold() {
		return this.lock.hold;
	}

	public @Nullable Long until() {
		return (this.lock.untilMillis > 0) ? this.lock.untilMillis : null;
	}

	public @Nullable Long since() {
		return (this.lock.sinceMillis != MemoryLock.NONE) ? this.lock.sinceMillis : null;
	}

	public @Nullable Long lost() {
		return (this.lock.lost != MemoryLock.NONE) ? this.lock.lost : null;
	}

	public @Nullable String client() {
		return this.lock.client.isEmpty() ? null : this.lock.client;
	}

	public String type() {
		return this.lock.type.name();
	}

	public long token() {
		return this.lock.token;
	}

	public long last() {
		return this.lock.last;
	}

	public List<String> released() {
		return this.lock.released;
	}

	/**
	 * Who waits, in order.
	 */
	public List<Waiting> queue() {
		List<Waiting> waiting = new ArrayList<>();
		for (Place each = this.lock.queue.first(); each != null; each = each.next) {
			waiting.add(new Waiting(each.id, each.aliveMillis, each.leaseMillis, each.block, each.timeoutMillis,
					each.type.name(), each.client));
		}
		return waiting;
	}

	/**
	 * A place in the queue.
	 *
	 * @param id the request
	 * @param alive when it is lost without a sign of life, in milliseconds
	 * @param lease how long the hold shall last
	 * @param block how many tokens are wanted
	 * @param timeout how long it lasts without a sign of life, in milliseconds
	 * @param type the order for which it asked
	 * @param client whose it is
	 */
	public record Waiting(String id, long alive, long lease, int block, long timeout, String type, String client) {
	}

}
