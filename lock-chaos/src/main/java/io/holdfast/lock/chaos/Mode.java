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

package io.holdfast.lock.chaos;

/**
 * Beside whom a lock is held: beside nobody, beside other readers, or as some of its
 * permits.
 */
enum Mode {

	ALONE(0), READER(0), ONE_PERMIT(1), TWO_PERMITS(2), ALL_PERMITS(3);

	/**
	 * How many permits each lock has.
	 */
	static final int PERMITS = 3;

	private static final Mode[] VALUES = values();

	private final int permits;

	Mode(int permits) {
		this.permits = permits;
	}

	/**
	 * Returns how many permits it takes; zero if it is for no permits.
	 */
	int permits() {
		return this.permits;
	}

	boolean isPermits() {
		return this.permits > 0;
	}

	/**
	 * Whether two may never hold a lock together, whoever else holds it.
	 */
	boolean excludes(Mode other) {
		return this == ALONE || other == ALONE || isPermits() != other.isPermits();
	}

	@SuppressWarnings("EnumOrdinal") // Histories do not outlive a build
	long number() {
		return ordinal();
	}

	static Mode of(long number) {
		return VALUES[(int) number];
	}

}
