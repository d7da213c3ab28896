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

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * What tests may know of the inside of an engine.
 */
public final class EngineState {

	private EngineState() {
	}

	private static EngineContext context(LockEngine engine) {
		return (EngineContext) Objects.requireNonNull(ReflectionTestUtils.getField(engine, "context"));
	}

	/**
	 * The locks of which it knows anything.
	 */
	public static Collection<String> names(LockEngine engine) {
		return List.copyOf(context(engine).locks.keySet());
	}

	/**
	 * How many requests are yet to be released.
	 */
	public static int pending(LockEngine engine) {
		return context(engine).pendingReleases.size();
	}

	public static void add(PendingReleases pending, String key, String id, long heldUntilNanos) {
		pending.add(key, id, heldUntilNanos);
	}

	public static boolean isAsking(LockEngine engine, String name) {
		return anyMatch(engine, name, (entry) -> entry.waiters.isBusy());
	}

	public static boolean holds(LockEngine engine, String name) {
		return anyMatch(engine, name, (entry) -> entry.holding.grant() != null);
	}

	/**
	 * Whether a request of it has, or may have, a place at the server.
	 */
	public static boolean stands(LockEngine engine, String name) {
		return anyMatch(engine, name, (entry) -> entry.phase() != Phase.IDLE || entry.asking.isUncertain());
	}

	private static boolean anyMatch(LockEngine engine, String name, Predicate<QueueEntry> condition) {
		LocalLock lock = context(engine).locks.get(name);
		if (lock == null) {
			return false;
		}
		synchronized (lock) {
			return new ArrayList<>(lock.entries()).stream().anyMatch(condition);
		}
	}

}
