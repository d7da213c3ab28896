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
import java.util.stream.IntStream;

import io.holdfast.lock.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The parameter of a locked method that takes the lease of its own lock. Callers pass
 * {@code null}. Whatever they pass, expressions and fallback methods see {@code null};
 * the method gets its lease, or {@code null} if it needs no lock.
 *
 * @param position its position, or a negative number if there is none
 */
record LeaseParameter(int position) {

	/**
	 * Finds it.
	 * @throws InvalidLockedMethodException if there are several
	 */
	static LeaseParameter of(Method method) {
		Class<?>[] types = method.getParameterTypes();
		int[] positions = IntStream.range(0, types.length).filter((i) -> types[i] == Lease.class).toArray();
		if (positions.length > 1) {
			throw InvalidLockedMethodException.of(method,
					"it has " + positions.length + " parameters of the type Lease, and a call has one lease.",
					"Keep one of them; of several locks it has a token for each: lease.token(name).");
		}
		return new LeaseParameter((positions.length == 1) ? positions[0] : -1);
	}

	boolean isPresent() {
		return this.position >= 0;
	}

	/**
	 * Puts a lease among the arguments of a call, if the method takes one.
	 */
	void set(@Nullable Object[] args, @Nullable Lease lease) {
		if (isPresent()) {
			args[this.position] = lease;
		}
	}

}
