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

package io.holdfast.lock.metrics;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

import io.holdfast.lock.internal.server.LogText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache by metrics name: a registry keeps what it has for a name as long as it
 * lives. Thread-safe.
 *
 * @param <T> what there is for each name
 */
final class DeclaredNames<T> {

	/**
	 * The name of locks that nobody has named.
	 */
	static final String UNNAMED = "unnamed";

	/**
	 * The name of all locks whose names came too late.
	 */
	static final String OTHER = "other";

	/**
	 * How many names there may be, besides that one.
	 */
	static final int MOST = 100;

	private static final Log logger = LogFactory.getLog(DeclaredNames.class);

	private final LockNameRule rule;

	private final Function<String, T> factory;

	private final ConcurrentMap<String, T> known = new ConcurrentHashMap<>();

	/**
	 * What all get whose name is not known; {@code null} as long as there is room.
	 */
	private volatile @Nullable T other;

	DeclaredNames(LockNameRule rule, Function<String, T> factory) {
		this.rule = rule;
		this.factory = factory;
	}

	/**
	 * Finds what there is for a lock.
	 * @param lockName its own name
	 * @param declaredName what its caller says that it is called, or {@code null}
	 */
	T find(String lockName, @Nullable String declaredName) {
		String given = (declaredName != null) ? declaredName : this.rule.declaredName(lockName);
		String name = (given != null) ? given : UNNAMED;
		T found = this.known.get(name);
		if (found != null) {
			return found;
		}
		T rest = this.other;
		return (rest != null) ? rest : add(name);
	}

	private synchronized T add(String name) {
		T present = this.known.get(name);
		if (present != null) {
			return present;
		}
		T rest = this.other;
		if (rest == null && this.known.size() < MOST) {
			T added = this.factory.apply(name);
			this.known.put(name, added);
			return added;
		}
		if (rest == null) {
			logger.warn("Locks have more than " + MOST + " declared names, the latest of which is '"
					+ LogText.onOneLine(name) + "'; in metrics this and all further ones are '" + OTHER
					+ "'. Declare few names that stand in the source code, without keys in them.");
			rest = this.factory.apply(OTHER);
			this.other = rest;
		}
		return rest;
	}

}
