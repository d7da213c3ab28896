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

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * The locks that are used in this client, by name. Thread-safe.
 */
public final class LockTable {

	private final ConcurrentHashMap<String, LockState> locks = new ConcurrentHashMap<>();

	/** Locks that an unexpected error has hit, until their owners have unlocked. */
	private final Set<LockState> torn = ConcurrentHashMap.newKeySet();

	private final Context context;

	/**
	 * Create the table.
	 */
	public LockTable(Context context) {
		this.context = context;
	}

	/**
	 * A caller wants a lock.
	 */
	public Effects want(String name, Waiter waiter, long now) {
		while (true) {
			LockState state = this.locks.computeIfAbsent(name, this::create);
			Effects out = state.want(waiter, now);
			if (out != null) {
				return out;
			}
		}
	}

	/**
	 * The lock that something is about which was sent for it; one that is not used is
	 * made for that, and is not in the table.
	 */
	public LockState of(String name) {
		LockState present = this.locks.get(name);
		return (present != null) ? present : create(name);
	}

	private LockState create(String name) {
		return new LockState(this.context, name, this);
	}

	/**
	 * A lock is not used any more, but by those who have lost it to an error.
	 */
	void retired(LockState state, boolean owned) {
		if (owned) {
			this.torn.add(state);
		}
		else if (!this.torn.isEmpty()) {
			this.torn.remove(state);
		}
		this.locks.remove(state.name(), state);
	}

	public Collection<LockState> all() {
		return this.locks.values();
	}

	/**
	 * What an owner has to unlock, lost or not: the latest of what it has lost.
	 */
	public @Nullable Grant grant(String name, Object owner) {
		LockState present = this.locks.get(name);
		Grant grant = (present != null) ? present.grant(owner) : null;
		if (grant == null && !this.torn.isEmpty()) {
			for (LockState each : this.torn) {
				Grant lost = each.name().equals(name) ? each.grant(owner) : null;
				grant = (lost != null && (grant == null || lost.token() > grant.token())) ? lost : grant;
			}
		}
		return grant;
	}

	public @Nullable LockState find(String name) {
		return this.locks.get(name);
	}

}
