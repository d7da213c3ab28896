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

package io.holdfast.lock.internal.redis;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockRenewScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return renew("a", LEASE, "10");
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key).get(1)).isEqualTo("NONE");
	}

	@Test
	void holdGetsItsLeaseAnew() {
		acquire("a", "one", "20000", "1", "0", LATER, TIMEOUT);

		List<?> answer = renew("a", LEASE, "0");

		assertThat(answer.subList(1, 3)).isEqualTo(List.of("HOLDS", 60_000L));
		assertThat(number("until")).isEqualTo((Long) answer.get(0) + 60_000);
		assertTtl(360_000);
	}

	@Test
	void holdThatEndedIsLost() {
		acquire("a");
		endHold();

		assertThat(renew("a", LEASE, "0").get(1)).isEqualTo("NONE");

		assertThat(state().holds()).isEmpty();
	}

	@Test
	void manyRequestsAreAnsweredInTheirOrder() {
		acquire("a");
		String other = this.prefix + "lock:other";
		String broken = this.prefix + "lock:broken";
		redis.opsForValue().set(broken, "text");
		request("one", TIMEOUT, "acquire o xf 20000 1 1 1 0 " + LATER, other);

		List<?> answer = run(
				ScriptCall.renewals(settings(TIMEOUT),
						List.of("renew 3:a 70000 0", "renew 3:x 70000 0", "renew 3:o 80000 0 1 0")),
				this.key, broken, other);

		assertThat(answer.stream().skip(2).map(String::valueOf)).satisfiesExactly(
				(line) -> assertThat(line).isEqualTo(hash().get("token")),
				(line) -> assertThat(line).startsWith("3:x NONE "),
				(line) -> assertThat(line).startsWith("3:o HOLDS 80000 "));
	}

	@Test
	void passesWhenMemoryIsFull() {
		acquire("a");
		join("b");

		withFullMemory(() -> {
			assertThat(renew("a", "70000", "10").subList(1, 3)).isEqualTo(List.of("HOLDS", 70_000L));
			assertThat(renew("b", LEASE, "0").get(1)).isEqualTo("WAITS");
		});
	}

}
