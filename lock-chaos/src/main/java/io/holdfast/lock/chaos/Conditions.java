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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What clients have to live with.
 *
 * @param calm the longest time between faults
 * @param favourite a fault that shall happen often, or {@code null} for none
 * @param others whether other faults happen, too
 * @param use how long a lock is mostly used at most
 * @param singles how many percent of the calls want a lock that nobody else wants
 */
record Conditions(Duration calm, @Nullable Fault favourite, boolean others, Duration use, int singles) {

	private static final Duration SHORT_USE = Duration.ofMillis(6);

	/**
	 * All faults, and locks that are used shortly.
	 */
	static Conditions usual(Duration calm) {
		return new Conditions(calm, null, true, SHORT_USE, 10);
	}

	/**
	 * With a fault that happens often.
	 */
	Conditions often(Fault fault) {
		return new Conditions(this.calm, fault, true, this.use, this.singles);
	}

	/**
	 * With one fault alone, or none at all.
	 */
	Conditions only(@Nullable Fault fault) {
		return new Conditions(this.calm, fault, false, this.use, this.singles);
	}

	Conditions calm(Duration longest) {
		return new Conditions(longest, this.favourite, this.others, this.use, this.singles);
	}

	Conditions use(Duration longest) {
		return new Conditions(this.calm, this.favourite, this.others, longest, this.singles);
	}

	Conditions singles(int percent) {
		return new Conditions(this.calm, this.favourite, this.others, this.use, percent);
	}

}
