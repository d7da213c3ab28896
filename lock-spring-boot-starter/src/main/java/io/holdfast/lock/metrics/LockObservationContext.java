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

import io.holdfast.lock.LockType;
import io.micrometer.observation.Observation;

/**
 * What is known of an acquisition, or of a hold, while it is observed.
 */
public final class LockObservationContext extends Observation.Context {

	/**
	 * The outcome as long as there is none.
	 */
	static final String NONE = "none";

	private final Kind kind;

	private final String lockName;

	private final String declaredName;

	private final LockType type;

	private volatile String outcome = NONE;

	LockObservationContext(Kind kind, String lockName, String declaredName, LockType type) {
		this.kind = kind;
		this.lockName = lockName;
		this.declaredName = declaredName;
		this.type = type;
	}

	/**
	 * Returns what is observed.
	 * @return the kind
	 */
	public Kind getKind() {
		return this.kind;
	}

	/**
	 * Returns the lock's name. There may be any number of them, with data of users.
	 * @return the name as it is
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * Returns what the lock is called in metrics.
	 * @return one name out of few
	 */
	public String getDeclaredName() {
		return this.declaredName;
	}

	/**
	 * Returns the order for which the caller asked.
	 * @return the type of the lock
	 */
	public LockType getType() {
		return this.type;
	}

	/**
	 * Returns what came of it, in lower case: of an acquisition
	 * {@link io.holdfast.lock.LockObserver.Acquisition} or
	 * {@link io.holdfast.lock.LockObserver.Failure}, of a hold
	 * {@link io.holdfast.lock.LockObserver.Release} or {@code lost}.
	 * @return the outcome, {@code none} as long as there is none
	 */
	public String getOutcome() {
		return this.outcome;
	}

	void end(String ended) {
		this.outcome = ended;
	}

	/**
	 * What is observed.
	 */
	public enum Kind {

		/**
		 * From the moment on at which a caller wants a lock until it has it, or has not.
		 */
		ACQUIRE,

		/**
		 * From the moment on at which an owner has a lock until it has not.
		 */
		HOLD

	}

}
