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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LedgerTests {

	private final Ledger ledger = new Ledger();

	@Test
	void ownerMayChargeAgainAndWhoeverHasNoTokenMayToo() {
		this.ledger.charge("shoes", 100, 42L, 8080);

		assertThat(this.ledger.charge("shoes", 100, 42L, 8080).refused()).isFalse();
		assertThat(this.ledger.charge("shoes", 100, null, 8080).refused()).isFalse();
	}

	@Test
	void ordersHaveTokensOfTheirOwn() {
		this.ledger.charge("shoes", 100, 42L, 8080);

		assertThat(this.ledger.charge("socks", 100, 41L, 8080).refused()).isFalse();
		assertThat(this.ledger.entries("socks")).hasSize(1);
	}

	@Test
	void entryWithoutTokenIsJson() {
		assertThat(this.ledger.charge("shoes", 100, null, 8080).toJson())
			.startsWith("{\"order\":\"shoes\",\"cents\":100,\"token\":null,\"newest\":null,\"by\":8080,\"at\":\"20")
			.endsWith("Z\",\"refused\":false}");
	}

}
