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
 * How a call ended.
 */
enum Outcome {

	/** It has not. */
	NONE,

	/** Acquired, or released. */
	DONE,

	/** Another kept the lock. */
	REFUSED,

	/** The hold was lost. */
	LOST,

	/** The server gave no answer. */
	UNANSWERED,

	/** The thread was interrupted. */
	INTERRUPTED,

	/** The caller is told that it does not hold the lock. */
	NOT_OWNER,

	/** An exception that the interface does not name. */
	UNDOCUMENTED;

	private static final Outcome[] VALUES = values();

	@SuppressWarnings("EnumOrdinal") // Histories do not outlive a build
	long number() {
		return ordinal();
	}

	static Outcome of(long number) {
		return VALUES[(int) number];
	}

}
