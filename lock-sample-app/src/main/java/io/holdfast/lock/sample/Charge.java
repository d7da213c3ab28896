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

package io.holdfast.lock.sample;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * An entry in the ledger of the payment provider, as the provider tells it.
 *
 * @param order the order's number
 * @param cents how much
 * @param token the fencing token that came with it, if any
 * @param newest the newest token that the provider had seen for this order by then
 * @param by the port of the instance that asked for it
 * @param at when
 * @param refused whether the provider refused it, because the token was stale
 */
record Charge(String order, long cents, @Nullable Long token, @Nullable Long newest, int by, Instant at,
		boolean refused) {

	Receipt toReceipt(boolean charged) {
		return new Receipt(this.order, charged, this.token, this.by);
	}

}
