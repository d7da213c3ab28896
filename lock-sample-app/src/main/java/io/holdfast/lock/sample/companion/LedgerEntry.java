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

package io.holdfast.lock.sample.companion;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A charge, or one that was refused.
 *
 * @param order what the customer was to pay for
 * @param cents how much
 * @param token the fencing token of whoever asked; {@code null} if that had no lock
 * @param newest the newest token for this order that the provider had seen by then
 * @param by the port of whoever asked
 * @param at when
 * @param refused whether the token was stale
 */
record LedgerEntry(String order, long cents, @Nullable Long token, @Nullable Long newest, int by, Instant at,
		boolean refused) {

	/** By hand, because the lines of Spring Boot do not share a JSON library. */
	String toJson() {
		return """
				{"order":"%s","cents":%s,"token":%s,"newest":%s,"by":%s,"at":"%s","refused":%s}""".formatted(this.order,
				this.cents, this.token, this.newest, this.by, this.at, this.refused);
	}

}
