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
import org.jspecify.annotations.Nullable;

/**
 * What threads have lost and not given back yet: so a thread that unlocks is told, and
 * one that believes that it holds the lock does not acquire it anew inside. A thread
 * whose explicit lease has ended may acquire the lock again as if that had not been.
 * Keeps the latest losses only: of an older one a thread is told that it does not hold
 * the lock. Thread-safe.
 */
final class LostGrants {

	private static final int MAX_LOSSES = 1000;

	private final Map<Key, Grant> grants = new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Key, Grant> eldest) {
			return size() > MAX_LOSSES;
		}

	};

	/**
	 * So that a client without losses, as nearly all of them are, pays nothing.
	 */
	private volatile boolean empty = true;

	/**
	 * Remembers what a thread loses.
	 */
	synchronized void add(Grant lost) {
		Key key = new Key(lost.owner(), lost.name());
		this.grants.remove(key);
		this.grants.put(key, lost);
		this.empty = false;
	}

	/**
	 * What an owner has lost, or {@code null}.
	 */
	@Nullable Grant find(Object owner, String name) {
		if (this.empty) {
			return null;
		}
		synchronized (this) {
			return this.grants.get(new Key(owner, name));
		}
	}

	/**
	 * What keeps an owner from acquiring a lock, or {@code null}. Forgets what does not.
	 */
	@Nullable LockLoss enter(Object owner, String name) {
		Grant lost = find(owner, name);
		if (lost != null && !lost.overIds().isEmpty()) {
			remove(lost);
			return null;
		}
		return (lost != null) ? lost.loss() : null;
	}

	synchronized void remove(Grant lost) {
		this.grants.remove(new Key(lost.owner(), lost.name()), lost);
		this.empty = this.grants.isEmpty();
	}

	/**
	 * Forgets what threads have lost that are no more.
	 */
	void forgetTheDead() {
		if (!this.empty) {
			synchronized (this) {
				this.grants.values().removeIf(Grant::isOrphaned);
				this.empty = this.grants.isEmpty();
			}
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
