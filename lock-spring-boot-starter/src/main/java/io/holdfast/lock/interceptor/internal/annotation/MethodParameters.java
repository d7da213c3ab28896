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

package io.holdfast.lock.interceptor.internal.annotation;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.lock.Lease;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The parameters of a locked method: those that expressions know, by their names and by
 * {@code p0} or {@code a0}, and the one that takes the lease of the method's own lock,
 * which has no position and does not count. Callers pass {@code null} for it. Whatever
 * they pass, expressions and fallback methods see {@code null}; the method gets its
 * lease, or {@code null} if it needs no lock.
 */
final class MethodParameters {

	private static final Pattern POSITION = Pattern.compile("[ap]\\d+");

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	/** The index of an argument by its name in expressions. */
	private final Map<String, Integer> indexes;

	private final int count;

	/** Negative if there is none. */
	private final int leaseIndex;

	private final @Nullable String leaseName;

	private MethodParameters(Map<String, Integer> indexes, int count, int leaseIndex, @Nullable String leaseName) {
		this.indexes = Map.copyOf(indexes);
		this.count = count;
		this.leaseIndex = leaseIndex;
		this.leaseName = leaseName;
	}

	/**
	 * Finds them.
	 * @throws InvalidAnnotationException if several take the lease
	 */
	static MethodParameters of(Method method) {
		@Nullable String[] names = NAMES.getParameterNames(method);
		int lease = leaseIndex(method);
		Map<String, Integer> indexes = new HashMap<>();
		int position = 0;
		for (int i = 0; i < method.getParameterCount(); i++) {
			if (i == lease) {
				continue;
			}
			indexes.put("a" + position, i);
			indexes.put("p" + position, i);
			position++;
			if (names != null && names[i] != null) {
				indexes.put(names[i], i);
			}
		}
		return new MethodParameters(indexes, position, lease, (names != null && lease >= 0) ? names[lease] : null);
	}

	private static int leaseIndex(Method method) {
		Class<?>[] types = method.getParameterTypes();
		int[] indexes = IntStream.range(0, types.length).filter((i) -> types[i] == Lease.class).toArray();
		if (indexes.length > 1) {
			throw new InvalidAnnotationException(
					"it has " + indexes.length + " parameters of the type Lease, and a call has one lease.",
					"Keep one of them; of several locks it has a token for each: lease.token(name).");
		}
		return (indexes.length == 1) ? indexes[0] : -1;
	}

	/**
	 * Whether a name is a position, as {@code p0}, be there such a parameter or not.
	 */
	static boolean isPosition(String name) {
		return POSITION.matcher(name).matches();
	}

	/**
	 * Returns which argument expressions know under a name, or {@code null}.
	 */
	@Nullable Integer index(String name) {
		return this.indexes.get(name);
	}

	/**
	 * Returns the names of those that expressions know; none if the class does not tell.
	 */
	Set<String> names() {
		return this.indexes.keySet()
			.stream()
			.filter((name) -> !isPosition(name))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/**
	 * Returns how many of them expressions know.
	 */
	int count() {
		return this.count;
	}

	boolean isLease(String name) {
		return name.equals(this.leaseName);
	}

	boolean hasLease() {
		return this.leaseIndex >= 0;
	}

	/**
	 * Puts a lease among the arguments of a call, if the method takes one.
	 */
	void setLease(@Nullable Object[] args, @Nullable Lease lease) {
		if (hasLease()) {
			args[this.leaseIndex] = lease;
		}
	}

}
