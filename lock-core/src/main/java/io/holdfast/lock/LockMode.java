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

package io.holdfast.lock;

import java.util.Objects;

/**
 * Beside whom a lock may be held. Holds of different kinds of the same name exclude each
 * other.
 *
 * @param kind the kind
 * @param units how many permits; 1 for other kinds
 * @param limit how many permits there are in the whole cluster; 1 for other kinds
 */
public record LockMode(Kind kind, int units, int limit) {

	/**
	 * Alone.
	 */
	public static final LockMode EXCLUSIVE = new LockMode(Kind.EXCLUSIVE, 1, 1);

	/**
	 * Beside all who hold it so: readers.
	 */
	public static final LockMode SHARED = new LockMode(Kind.SHARED, 1, 1);

	/**
	 * Check the mode.
	 * @param kind the kind
	 * @param units how many permits, 1 to {@code limit}; 1 for other kinds
	 * @param limit how many permits there are; 1 for other kinds
	 * @throws IllegalArgumentException if these are no such numbers
	 */
	public LockMode {
		Objects.requireNonNull(kind, "Kind must not be null");
		if (units < 1 || units > limit) {
			throw new IllegalArgumentException("Permits must be between 1 and their limit of " + limit + ": " + units);
		}
		if (kind != Kind.PERMITS && limit != 1) {
			throw new IllegalArgumentException("Only permits have a limit: " + limit);
		}
	}

	/**
	 * Beside others who hold permits, as long as the units of all are within the limit.
	 * @param units how many of them, 1 to {@code limit}
	 * @param limit how many there are in the whole cluster
	 * @return the mode
	 * @throws IllegalArgumentException if {@code units} is not between 1 and
	 * {@code limit}
	 */
	public static LockMode permits(int units, int limit) {
		return new LockMode(Kind.PERMITS, units, limit);
	}

	/**
	 * Whether an owner that holds a lock so needs nothing more to hold it in another
	 * mode: alone covers all, readers cover readers, and permits as many of them or
	 * fewer.
	 * @param other the other mode
	 * @return whether it does
	 */
	public boolean covers(LockMode other) {
		return switch (this.kind) {
			case EXCLUSIVE -> true;
			case SHARED -> other.kind == Kind.SHARED;
			case PERMITS -> other.kind == Kind.PERMITS && other.units <= this.units && other.limit >= this.limit;
		};
	}

	@Override
	public String toString() {
		return (this.kind == Kind.PERMITS) ? this.units + " of " + this.limit + " permits" : this.kind.name();
	}

	/**
	 * Kinds of modes.
	 */
	public enum Kind {

		/**
		 * One holder.
		 */
		EXCLUSIVE,

		/**
		 * Any number of holders.
		 */
		SHARED,

		/**
		 * As many holders as their units allow.
		 */
		PERMITS

	}

}
