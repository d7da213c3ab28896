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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * What the payment provider has charged and refused. It is the guarded resource of the
 * fencing tokens: once it has seen a token for an order, even in a lookup, it takes no
 * smaller one. Whoever comes without a token is charged as often as asked.
 */
class Ledger {

	private final Map<String, Long> newestTokens = new HashMap<>();

	private final List<LedgerEntry> entries = new ArrayList<>();

	/**
	 * Charges the customer, unless the token is stale. Either way there is an entry.
	 */
	synchronized LedgerEntry charge(String order, long cents, @Nullable Long token, int by) {
		Long newest = see(order, token);
		LedgerEntry entry = new LedgerEntry(order, cents, token, newest, by, Instant.now(), isStale(token, newest));
		this.entries.add(entry);
		return entry;
	}

	synchronized List<LedgerEntry> entries(String order) {
		return this.entries.stream().filter((entry) -> entry.order().equals(order)).toList();
	}

	/**
	 * Takes note of a token.
	 * @return the newest one for this order; {@code null} if there is none
	 */
	synchronized @Nullable Long see(String order, @Nullable Long token) {
		return (token != null) ? this.newestTokens.merge(order, token, Math::max) : this.newestTokens.get(order);
	}

	static boolean isStale(@Nullable Long token, @Nullable Long newest) {
		return token != null && newest != null && token < newest;
	}

}
