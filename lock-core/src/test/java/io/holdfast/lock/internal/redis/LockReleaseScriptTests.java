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
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockReleaseScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return release("a", "b");
	}

	@Override
	void refusesOtherTypes() {
		assertThat(release("a").get(1)).isEqualTo("GONE");
		assertThat(release("a", "b").subList(1, 3)).isEqualTo(List.of("GONE", "LATE"));
	}

	@Test
	void lockIsFreeAndKeepsItsTokenForTheRetention() {
		acquire("a");
		long token = number("token");

		assertThat(release("a").get(1)).isEqualTo("RELEASED");

		assertThat(hash()).isEqualTo(Map.of("hold", "a", "owner", "xr one", "token", Long.toString(token), "lost",
				Long.toString(token - 1)));
		assertThat(redis.getExpire(this.key, TimeUnit.MILLISECONDS)).isBetween(300_000L, 600_000L);
		assertThat(acquire("b").get(1)).isEqualTo("HOLDS");
	}

	@Test
	void repeatOfReleaseIsToldSo() {
		acquire("a");
		List<?> first = release("a");
		Map<String, String> before = hash();

		assertThat(stable(release("a"))).isEqualTo(stable(first));

		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void repeatIsToldSoAfterTheLockWasHandedOver() {
		acquire("a");
		join("b", "two");
		release("a");
		Map<String, String> before = hash();

		assertThat(release("a").get(1)).isEqualTo("RELEASED");

		assertThat(hash()).isEqualTo(before);
		assertThat(messages()).filteredOn((message) -> message.contains("granted")).hasSize(1);
	}

	@Test
	void repeatIsToldSoWhileOthersHoldBesideIt() {
		read("a");
		read("b");
		long stamp = (Long) read("c").get(4);
		release("c", stamp);
		release("a");
		Map<String, String> before = stored();

		assertThat(release("c", stamp).get(1)).isEqualTo("RELEASED");
		assertThat(release("a", 0).get(1)).isEqualTo("RELEASED");
		assertThat(read("a").get(1)).isEqualTo("LATE");
		assertThat(stored()).isEqualTo(before);
	}

	@Test
	void hashStaysSmallHoweverOftenTheLockChangesHands() {
		for (int i = 0; i < 20; i++) {
			acquire("thirteen-" + (1000 + i));
			release("thirteen-" + (1000 + i));
		}

		assertThat(hash().values()).allSatisfy((value) -> assertThat(value.length()).isLessThanOrEqualTo(64));
	}

	@Test
	void tenThousandDeadWaitersAreSkippedInOneCall() {
		acquire("a");
		ids(10_000).forEach(this::joinDead);
		join("b", "two");

		release("a");

		assertThat(hash()).containsEntry("hold", "b");
		assertThat(messages()).filteredOn((message) -> message.contains("granted"))
			.singleElement()
			.asString()
			.startsWith("two: ");
		assertThat(state().waiters()).isEmpty();
	}

	@Test
	void repeatWithNextRequestTakesNoSecondPlace() {
		acquire("a");
		join("b", "two");
		List<?> first = release("a", "a2");
		Map<String, String> before = hash();

		List<?> second = release("a", "a2");

		assertThat(stable(second)).isEqualTo(stable(first));
		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void passesWhenMemoryIsFull() {
		acquire("a");
		join("b", "two");

		withFullMemory(() -> {
			assertThat(release("a", "a2").get(1)).isEqualTo("RELEASED");
			assertThat(release("a2").get(1)).isEqualTo("LEFT");
			assertThat(release("b").get(1)).isEqualTo("RELEASED");
		});

		assertThat(acquire("c").get(1)).isEqualTo("HOLDS");
	}

	@Test
	void handOverLastsAsLongAsTheWaiterSaysWhoeverReleases() {
		acquire("a");
		acquire("b", "two", LEASE, "1", "1", LATER, "20000");
		acquire("c", "three", LEASE, "1", "1", LATER, "40000");

		release("a");
		assertThat((Long) renew("b", "1", "0").get(2)).isBetween(10_000L, 20_000L);

		request("two", "100", "release b 0");
		assertThat((Long) renew("c", "1", "0").get(2)).isBetween(30_000L, 40_000L);
	}

}
