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

import java.util.LinkedHashMap;
import java.util.Map;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import org.jspecify.annotations.Nullable;

/**
 * What threads have lost and not given back yet: so a thread that unlocks is told, and
 * one that believes that it holds the lock does not acquire it anew inside. A thread
 * whose explicit lease has ended may acquire the lock again; what it still has to give
 * back is told of the loss when it holds nothing any more. Keeps those losses only that
 * came or were asked for last, or that came as the client was closed: of any other a
 * thread is told that it does not hold the lock. Thread-safe.
 */
final class LostGrants {

	private static final int MAX_LOSSES = 1000;

	private final Map<Key, Lost> losses = new Latest();

	/**
	 * Those of explicit leases that ended before the thread wanted the lock again.
	 */
	private final Map<Key, Lost> earlier = new Latest();

	/**
	 * So that a client without losses, as nearly all of them are, pays nothing.
	 */
	private volatile boolean empty = true;

	/**
	 * Remembers a loss.
	 * @param count how often the thread has to give it back
	 * @param overId the request to release when it is given back, or {@code null}
	 */
	synchronized void add(Thread owner, LockLoss loss, int count, @Nullable String overId) {
		Key key = new Key(owner, loss.name());
		this.losses.put(key, new Lost(loss, count, overId));
		this.empty = false;
	}

	/**
	 * What keeps a thread from acquiring a lock, or {@code null}. From now on, what does
	 * not keep it is an earlier loss.
	 */
	@Nullable LockLoss enter(Object owner, String name) {
		if (this.empty) {
			return null;
		}
		synchronized (this) {
			Key key = new Key(owner, name);
			Lost lost = this.losses.get(key);
			if (lost == null) {
				return null;
			}
			if (lost.overId() == null || lost.loss().cause() != Cause.EXPIRED) {
				return lost.loss();
			}
			this.earlier.merge(key, lost, Lost::with);
			this.losses.remove(key);
			return null;
		}
	}

	@Nullable LockLoss find(Object owner, String name) {
		if (this.empty) {
			return null;
		}
		synchronized (this) {
			Key key = new Key(owner, name);
			Lost lost = owed(key).get(key);
			return (lost != null) ? lost.loss() : null;
		}
	}

	/**
	 * Gives back one acquisition of what was lost.
	 * @return what it is of, or {@code null} if there is none
	 */
	@Nullable Lost giveBack(Object owner, String name) {
		if (this.empty) {
			return null;
		}
		synchronized (this) {
			Key key = new Key(owner, name);
			Map<Key, Lost> owed = owed(key);
			Lost lost = owed.get(key);
			if (lost != null) {
				owed.computeIfPresent(key, (same, present) -> present.withoutOne());
				noteIfEmpty();
			}
			return lost;
		}
	}

	/**
	 * Where to find what is to be given back first.
	 */
	private Map<Key, Lost> owed(Key key) {
		return this.losses.containsKey(key) ? this.losses : this.earlier;
	}

	private void noteIfEmpty() {
		this.empty = this.losses.isEmpty() && this.earlier.isEmpty();
	}

	/**
	 * What a thread has lost.
	 *
	 * @param loss what it is told
	 * @param count how often it has yet to give it back
	 * @param overId the request to release then, or {@code null}
	 */
	record Lost(LockLoss loss, int count, @Nullable String overId) {

		/**
		 * With a later one.
		 */
		Lost with(Lost later) {
			return new Lost(later.loss, this.count + later.count, later.overId);
		}

		@Nullable Lost withoutOne() {
			return (this.count > 1) ? new Lost(this.loss, this.count - 1, this.overId) : null;
		}

	}

	/**
	 * The latest of them, in the order of access.
	 */
	private static final class Latest extends LinkedHashMap<Key, Lost> {

		Latest() {
			super(16, 0.75f, true);
		}

		@Override
		protected boolean removeEldestEntry(Map.Entry<Key, Lost> eldest) {
			return size() > MAX_LOSSES && eldest.getValue().loss().cause() != Cause.CLOSED;
		}

	}

	/**
	 * An owner, compared by identity, and the name of a lock.
	 */
	private record Key(Object owner, String name) {

		@Override
		public boolean equals(Object other) {
			return other instanceof Key key && key.owner == this.owner && key.name.equals(this.name);
		}

		@Override
		public int hashCode() {
			return 31 * System.identityHashCode(this.owner) + this.name.hashCode();
		}

	}

}
