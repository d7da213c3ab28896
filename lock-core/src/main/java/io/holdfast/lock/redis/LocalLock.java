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

package io.holdfast.lock.redis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * All that this client knows of one lock while one of its threads holds it or waits for
 * it. Its monitor guards everything in it and in its contenders, waiters and grants.
 * Nobody asks the server, or calls foreign code, inside the monitor.
 */
final class LocalLock {

	final String name;

	final String key;

	/**
	 * How many calls and grants use this. Guarded by the map that holds it.
	 */
	int users;

	/**
	 * Stands for all threads that want the lock in any order.
	 */
	private @Nullable Contender shared;

	/**
	 * One for each thread that asks for itself only, by request id.
	 */
	private @Nullable Map<String, Contender> alone;

	/**
	 * What owners have not given back yet: the live grant, and lost ones of threads.
	 */
	private final List<Grant> grants = new ArrayList<>(1);

	LocalLock(String name, String key) {
		this.name = name;
		this.key = key;
	}

	@Nullable Contender shared() {
		return this.shared;
	}

	void add(Contender contender) {
		if (contender.isAlone()) {
			if (this.alone == null) {
				this.alone = new LinkedHashMap<>();
			}
			this.alone.put(contender.id(), contender);
		}
		else {
			this.shared = contender;
		}
	}

	void remove(Contender contender) {
		if (this.shared == contender) {
			this.shared = null;
		}
		else if (this.alone != null) {
			this.alone.remove(contender.id());
		}
	}

	/**
	 * The contender whose request has that id, if there is one.
	 */
	@Nullable Contender find(String id) {
		if (this.shared != null && this.shared.id().equals(id)) {
			return this.shared;
		}
		return (this.alone != null) ? this.alone.get(id) : null;
	}

	/**
	 * The first matching one that stands for a single thread, or {@code null}.
	 */
	@Nullable Contender findAlone(Predicate<Contender> condition) {
		if (this.alone != null) {
			for (Contender each : this.alone.values()) {
				if (condition.test(each)) {
					return each;
				}
			}
		}
		return null;
	}

	/**
	 * A copy, so that contenders may come and go meanwhile.
	 */
	Collection<Contender> contenders() {
		if (this.alone == null || this.alone.isEmpty()) {
			return (this.shared != null) ? List.of(this.shared) : List.of();
		}
		List<Contender> all = new ArrayList<>(this.alone.values());
		if (this.shared != null) {
			all.add(this.shared);
		}
		return all;
	}

	void add(Grant grant) {
		this.grants.add(grant);
	}

	boolean remove(Grant grant) {
		return this.grants.remove(grant);
	}

	/**
	 * What an owner has not given back yet, even if it was lost.
	 */
	@Nullable Grant grantOf(Object owner) {
		for (Grant grant : this.grants) {
			if (grant.isOwnedBy(owner)) {
				return grant;
			}
		}
		return null;
	}

	/**
	 * The grant that is neither released nor known to be lost.
	 */
	@Nullable Grant current() {
		for (Grant grant : this.grants) {
			if (grant.loss() == null) {
				return grant;
			}
		}
		return null;
	}

	List<Grant> grants() {
		return List.copyOf(this.grants);
	}

}
