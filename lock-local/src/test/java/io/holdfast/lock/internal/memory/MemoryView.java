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

import java.util.List;
import java.util.Set;

import io.holdfast.lock.internal.protocol.Wish;

/**
 * What tests may know of the inside of a {@link LockMemory}.
 */
public final class MemoryView {

	private final LockMemory memory;

	public MemoryView(LockMemory memory) {
		this.memory = memory;
	}

	public Set<String> keys() {
		return Set.copyOf(this.memory.locks.keySet());
	}

	/**
	 * Who holds a lock, if its hold is not over.
	 */
	public List<Row> holds(String key, long nowMillis) {
		MemoryLock lock = this.memory.locks.get(key);
		return (lock != null) ? lock.steps.members.values()
			.stream()
			.filter((each) -> each.untilMillis > nowMillis)
			.map(Row::of)
			.toList() : List.of();
	}

	/**
	 * Who waits for a lock, in order, dead or not.
	 */
	public List<Row> queue(String key) {
		MemoryLock lock = this.memory.locks.get(key);
		return (lock != null) ? lock.steps.queue.values().stream().map(Row::of).toList() : List.of();
	}

	/**
	 * The latest stamp that a lock has given out.
	 */
	public long last(String key) {
		MemoryLock lock = this.memory.locks.get(key);
		return (lock != null) ? lock.steps.last : 0;
	}

	/**
	 * A request that holds or waits.
	 *
	 * @param id the request
	 * @param client who made it
	 * @param wish what it asked for
	 * @param aliveMillis when its place is lost
	 * @param untilMillis when its hold ends
	 * @param token its first token
	 * @param last its last one
	 * @param stamp its own number
	 * @param callers how many callers wait behind its place
	 */
	public record Row(String id, String client, Wish wish, long aliveMillis, long untilMillis, long token, long last,
			long stamp, int callers) {

		private static Row of(MemoryRequest request) {
			return new Row(request.id(), request.client, request.wish, request.aliveMillis, request.untilMillis,
					request.token, request.last, request.stamp, request.callers);
		}

	}

}
