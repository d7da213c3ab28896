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

package io.holdfast.lock.internal.single;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.lock.internal.quorum.QuorumScripts;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code mutex-raise.lua}, by which the servers of a quorum agree upon tokens.
 */
class MutexRaiseScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return raise("a", 5, 7);
	}

	private List<?> raise(String id, long token, long last) {
		return words("2:" + id, Objects.requireNonNull(redis.execute(QuorumScripts.RAISE, List.of(this.key), TIMEOUT,
				RETENTION, this.channels, "2:" + id, Long.toString(token), Long.toString(last))));
	}

	@Test
	void tokensOfAHoldAreRaised() {
		acquire("a");
		long token = number("token") + 5_000_000_000L;

		assertThat(raise("a", token, token + 9).subList(3, 5)).isEqualTo(List.of(token, token + 9));

		assertThat(number("token")).isEqualTo(token);
		assertThat(number("last")).isEqualTo(token + 9);
		release("a");
		acquire("b");
		assertThat(number("token")).isGreaterThan(token + 9);
	}

	@Test
	void repeatChangesNothing() {
		acquire("a");
		long token = number("token") + 5;
		List<?> first = raise("a", token, token + 9);
		Map<String, String> before = hash();

		assertThat(stable(raise("a", token, token + 9))).isEqualTo(stable(first));

		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void tokensAreNeverLowered() {
		acquire("a");
		long token = number("token");

		assertThat(raise("a", 5, 7).subList(3, 5)).isEqualTo(List.of(token, token));

		assertThat(number("token")).isEqualTo(token);
	}

	@Test
	void nothingIsRaisedForARequestThatDoesNotHold() {
		acquire("a");
		long token = number("token");

		assertThat(raise("b", token + 5, token + 5).get(1)).isEqualTo("NONE");
		endHold();
		assertThat(raise("a", token + 5, token + 5).get(1)).isEqualTo("NONE");

		assertThat(number("token")).isEqualTo(token);
	}

	@Test
	void passesWhenMemoryIsFull() {
		acquire("a");
		long token = number("token");

		withFullMemory(() -> assertThat(raise("a", token + 1, token + 1).get(1)).isEqualTo("HOLDS"));
	}

}
