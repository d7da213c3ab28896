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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MutexRenewScriptTests extends ScriptContract {

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
		acquire("a", "one", "5000", "1", "0", LATER, TIMEOUT);

		List<?> answer = renew("a", LEASE, "0");

		assertThat(answer.subList(1, 3)).isEqualTo(List.of("HOLDS", 60_000L));
		assertThat(number("until")).isEqualTo((Long) answer.get(0) + 60_000);
		assertTtl(360_000);
	}

	@Test
	void holdIsNeverShortened() {
		acquire("a");
		long until = number("until");

		renew("a", "1", "0");

		assertThat(number("until")).isEqualTo(until);
		assertTtl(360_000);
	}

	@Test
	void tokenIsKept() {
		long token = (Long) acquire("a").get(3);

		assertThat(renew("a", LEASE, "0").get(3)).isEqualTo(token);
	}

	@Test
	void holdOfAnotherIsLeftAlone() {
		acquire("a");
		Map<String, String> before = hash();

		assertThat(renew("b", "600000", "10").get(1)).isEqualTo("NONE");

		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void holdThatEndedIsLost() {
		acquire("a");
		endHold();

		assertThat(renew("a", LEASE, "0").get(1)).isEqualTo("NONE");

		assertThat(number("until")).isEqualTo(1);
	}

	@Test
	void lostDataIsLostAndLeavesNoKey() {
		assertThat(renew("a", LEASE, "10").get(1)).isEqualTo("NONE");

		assertThat(redis.hasKey(this.key)).isFalse();
	}

	@Test
	void waiterKeepsItsPlace() {
		acquire("a");
		joinDead("b");

		assertThat(renew("b", LEASE, "0").get(1)).isEqualTo("WAITS");
		release("a");

		assertThat(hash()).containsEntry("hold", "b");
	}

	@Test
	void lockWhoseHoldEndedGoesToTheHeadWhoeverAsks() {
		acquire("a");
		join("b", "two");
		join("c", "three");
		endHold();

		assertThat(renew("c", LEASE, "0").get(1)).isEqualTo("WAITS");

		assertThat(hash()).containsEntry("hold", "b");
		assertThat(messages()).last().asString().startsWith("two: granted b ");
	}

	@Test
	void manyRequestsAreAnsweredInTheirOrder() {
		acquire("a");
		String other = this.prefix + "lock:other";
		String broken = this.prefix + "lock:broken";
		redis.opsForValue().set(broken, "text");
		request("one", TIMEOUT, "acquire o xf 5000 1 0 " + LATER, other);

		List<?> answer = redis.execute(LockScript.RENEW, List.of(this.key, broken, other), TIMEOUT, RETENTION,
				this.channels, "call", "2:a", "70000", "0", "2:x", "70000", "0", "2:o", "80000", "1");

		assertThat(answer.stream().skip(2).map(String::valueOf)).satisfiesExactly(
				(line) -> assertThat(line).isEqualTo(hash().get("token")),
				(line) -> assertThat(line).startsWith("2:x NONE "),
				(line) -> assertThat(line).startsWith("2:o HOLDS 80000 "));
	}

	@Test
	void moreTokensAreAddedBehindThoseThatWereGiven() {
		redis.opsForHash().put(this.key, "hold", "2:");
		redis.opsForHash().put(this.key, "token", "1000");
		long token = (Long) acquire("a").get(3);

		List<?> first = renew("a", LEASE, "100");
		List<?> second = renew("a", LEASE, "100");

		assertThat(first.get(3)).isEqualTo(token);
		assertThat((Long) first.get(4)).isBetween(token + 1, token + 100);
		assertThat((Long) second.get(4)).isGreaterThan((Long) first.get(4));
	}

	@Test
	void tokensOfTheNextGrantAreLaterThanAllThatWereAdded() {
		acquire("a");
		long last = (Long) renew("a", LEASE, "100").get(4);
		release("a");

		assertThat((Long) acquire("b").get(3)).isGreaterThan(last);
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
