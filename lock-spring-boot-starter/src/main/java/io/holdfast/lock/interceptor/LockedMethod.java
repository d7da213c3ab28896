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

package io.holdfast.lock.interceptor;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import io.holdfast.lock.LockType;
import io.holdfast.lock.annotation.OnFailure;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation says about one method of one class, found valid.
 *
 * @param method the method as its class implements it
 * @param explicit whether the method itself is annotated, not only its type
 * @param name the lock's name, or what precedes its key; may be empty
 * @param key the key, or {@code null} if the name alone names the lock
 * @param condition tells whether a call needs the lock; {@code null} for all do
 * @param parameters the position of each name under which expressions know a parameter
 * @param leaseParameter the parameter that takes the lease
 * @param times how long to wait and to hold
 * @param type the order among waiters
 * @param onFailure what to do without the lock
 * @param fallback what to call without the lock
 */
record LockedMethod(Method method, boolean explicit, String name, @Nullable LockExpression key,
		@Nullable LockExpression condition, Map<String, Integer> parameters, LeaseParameter leaseParameter,
		LockTimes times, LockType type, OnFailure onFailure, FallbackMethods fallback) {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * Whether a call needs the lock.
	 */
	boolean needsLock(CallContext call) {
		return this.condition == null || this.condition.evaluateCondition(call);
	}

	/**
	 * Returns the names of a call's locks, at least one. The result of an expression is
	 * not asked for twice: it might change.
	 */
	List<String> lockNames(CallContext call) {
		if (this.key == null) {
			return List.of(this.name);
		}
		String prefix = this.name.isEmpty() ? "" : this.name + ":";
		return this.key.evaluateKeys(call).stream().map((text) -> prefix + text).toList();
	}

	Duration waitTime(LockSettings settings) {
		Duration waitTime = this.times.waitTime();
		return (waitTime != null) ? waitTime : settings.waitTime();
	}

	Duration leaseTime(LockSettings settings) {
		Duration leaseTime = this.times.leaseTime();
		return (leaseTime != null) ? leaseTime : settings.leaseTime();
	}

	/**
	 * Returns what a call that was skipped returns.
	 */
	@Nullable Object skipped() {
		return EMPTY.get(this.method.getReturnType());
	}

	@Override
	public String toString() {
		return InvalidLockedMethodException.describe(this.method);
	}

}
