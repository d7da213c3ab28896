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

import java.util.HashSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClientIdTests {

	@Test
	void partsCanBeReadBack() {
		ClientId id = ClientId.create("orders");

		assertThat(id.application()).isEqualTo("orders");
		assertThat(id.host()).isNotBlank().doesNotContain("@", "/");
		assertThat(new ClientId(id.text())).isEqualTo(id);
	}

	@Test
	void everyIdIsNew() {
		Set<ClientId> ids = new HashSet<>();
		for (int i = 0; i < 1000; i++) {
			ids.add(ClientId.create("orders"));
		}

		assertThat(ids).hasSize(1000);
	}

	@Test
	void longNamesAreCutSoThatRedisKeepsItCompact() {
		ClientId id = ClientId.create("checkout-service-of-europe", "checkout-service-7f8b9c6d5-x2x4z");

		assertThat(id.text()).startsWith("checkout-service@f8b9c6d5-x2x4z/").hasSize(42);
	}

	@Test
	void hostIsNamedWithoutItsDomain() {
		assertThat(ClientId.create("shop", "ip-10-0-12-34.eu-central-1.compute.internal").host())
			.isEqualTo("ip-10-0-12-34");
		assertThat(ClientId.create("shop", "10.0.12.34").host()).isEqualTo("10.0.12.34");
	}

	@Test
	void charactersThatSeparateItsPartsAreReplaced() {
		ClientId id = ClientId.create("my app@home/é😀\n");

		assertThat(id.application()).matches("my-app-home-[-]+");
		assertThat(id.text()).doesNotContainAnyWhitespaces().containsOnlyOnce("@").containsOnlyOnce("/");
	}

	@Test
	void emptyApplicationIsUnknown() {
		assertThat(ClientId.create("").application()).isEqualTo("unknown");
	}

	@Test
	void textOfAnotherShapeHasNoParts() {
		for (String text : new String[] { "", "x", "x/y", "x@y", "a/b@c" }) {
			ClientId id = new ClientId(text);
			assertThat(id.host()).isEmpty();
		}
		assertThat(new ClientId("x/y").application()).isEmpty();
	}

}
