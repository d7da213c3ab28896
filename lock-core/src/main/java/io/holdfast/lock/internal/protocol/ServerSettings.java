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

package io.holdfast.lock.internal.protocol;

import java.time.Duration;

import io.holdfast.lock.internal.text.DurationText;

/**
 * What a server has to know of the client that uses it.
 *
 * @param keys how names become keys and channels
 * @param clientId this client, as it stands in Redis
 * @param waiterTimeout how long a waiter's place lasts without renewal
 * @param tokenRetention how long a key outlives its use
 */
public record ServerSettings(LockKeys keys, String clientId, Duration waiterTimeout, Duration tokenRetention) {

	/**
	 * Refuses a setting that is out of its bounds.
	 * @throws IllegalArgumentException if it is
	 */
	public static void check(String what, Duration value, Duration min, Duration max) {
		if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
			throw new IllegalArgumentException(what + " must be between " + DurationText.of(min) + " and "
					+ DurationText.of(max) + ": " + DurationText.of(value));
		}
	}

}
