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

import java.util.HashMap;
import java.util.Map;

import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a lock, in order. Whatever is asked of it costs the same
 * however many wait. Not thread-safe.
 */
final class MemoryQueue {

	private final Map<String, Place> places = new HashMap<>();

	private @Nullable Place head;

	private @Nullable Place tail;

	boolean isEmpty() {
		return this.head == null;
	}

	int size() {
		return this.places.size();
	}

	@Nullable Place first() {
		return this.head;
	}

	@Nullable Place find(String id) {
		return this.places.get(id);
	}

	void join(String id, MemoryCall call, LockRequest request) {
		Place last = this.tail;
		Place place = new Place(id, call, request, (last != null) ? last.number + 1 : 1);
		place.previous = last;
		this.tail = place;
		if (last != null) {
			last.next = place;
		}
		else {
			this.head = place;
		}
		this.places.put(id, place);
	}

	void leave(Place place) {
		Place previous = place.previous;
		Place next = place.next;
		if (previous != null) {
			previous.next = next;
		}
		else {
			this.head = next;
		}
		if (next != null) {
			next.previous = previous;
		}
		else {
			this.tail = previous;
		}
		this.places.remove(place.id);
	}

	/**
	 * How many places were before one when it came, without those that are before the
	 * first one now.
	 */
	long before(Place place) {
		return (this.head != null) ? place.number - this.head.number : 0;
	}

	/**
	 * A place.
	 */
	static final class Place {

		final String id;

		final String client;

		/**
		 * The order for which it asked when it came.
		 */
		final LockType type;

		private final long number;

		/**
		 * When the place is lost without a sign of life.
		 */
		long aliveMillis;

		long leaseMillis;

		int block;

		/**
		 * For how long the place lasts without a sign of life.
		 */
		long timeoutMillis;

		@Nullable Place previous;

		@Nullable Place next;

		private Place(String id, MemoryCall call, LockRequest request, long number) {
			this.id = id;
			this.client = call.client();
			this.type = request.type();
			this.number = number;
			this.leaseMillis = request.leaseMillis();
			this.block = request.block();
			stay(call);
		}

		/**
		 * Takes in a sign of life.
		 */
		void stay(MemoryCall call) {
			this.timeoutMillis = call.timeoutMillis();
			this.aliveMillis = call.millis() + this.timeoutMillis;
		}

	}

}
