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
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MutexReleaseScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return release("a", "b");
	}

	@Override
	void refusesOtherTypes() {
		assertThat(release("a").get(1)).isEqualTo("GONE");
		assertThat(release("a", "b").subList(1, 3)).isEqualTo(List.of("GONE", "NONE"));
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
	void keyOfLongLeaseIsCutToTheRetention() {
		acquire("a", "one", "86400000", "1", "0", LATER, TIMEOUT);
		assertTtl(86_700_000);

		release("a");

		assertTtl(300_000);
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
	void repeatIsToldSoAfterAnotherTookTheLock() {
		acquire("a");
		release("a");
		acquire("b");
		Map<String, String> before = hash();

		assertThat(release("a").get(1)).isEqualTo("RELEASED");

		assertThat(hash()).isEqualTo(before);
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
	void holdOfAnotherIsLeftAlone() {
		acquire("a");
		Map<String, String> before = hash();

		assertThat(release("b").get(1)).isEqualTo("GONE");

		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void holdThatEndedAndWentToAnotherIsGone() {
		acquire("a");
		endHold();
		acquire("b");

		assertThat(release("a").get(1)).isEqualTo("GONE");

		assertThat(hash()).containsEntry("hold", "b").containsKey("until");
	}

	@Test
	void lostDataIsGoneAndLeavesNoKey() {
		acquire("a");
		redis.delete(this.key);

		assertThat(release("a").get(1)).isEqualTo("GONE");

		assertThat(redis.hasKey(this.key)).isFalse();
	}

	@Test
	void waiterLeavesTheQueue() {
		acquire("a");
		join("b");

		assertThat(release("b").get(1)).isEqualTo("LEFT");

		assertNoQueue();
		assertThat(hash()).containsEntry("hold", "a").containsKey("until");
	}

	@Test
	void placesThatWereGivenUpAreSkipped() {
		acquire("a");
		List.of("b", "c", "d", "e").forEach(this::join);
		List.of("b", "d", "e").forEach(this::release);

		release("a");

		assertThat(hash()).containsEntry("hold", "c");
		assertThat(release("c").get(1)).isEqualTo("RELEASED");
		assertNoQueue();
	}

	@Test
	void queueOfGivenUpPlacesOnlyFreesTheLock() {
		acquire("a");
		List.of("b", "c", "d").forEach(this::join);
		List.of("c", "b", "d").forEach(this::release);

		release("a");

		assertThat(hash()).doesNotContainKey("until");
		assertNoQueue();
		assertThat(acquire("x").get(1)).isEqualTo("HOLDS");
	}

	@Test
	void handOverSendsOneMessageToTheReceiverOnly() {
		acquire("a");
		join("b", "two");
		join("c", "three");

		release("a");

		long token = number("token");
		assertThat(messages()).containsExactly("one: awaited a " + this.key,
				"two: granted b " + token + " " + token + " 10000 1 " + this.key);
		assertTtl(310_000);
	}

	@Test
	void lastHandOverSaysThatNobodyElseWaits() {
		acquire("a");
		join("b", "two");

		release("a");

		assertThat(messages()).last().asString().endsWith(" 0 " + this.key);
		assertNoQueue();
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
		assertNoQueue();
	}

	@Test
	void nextRequestJoinsBehindThoseWhoWait() {
		acquire("a");
		join("b", "two");

		List<?> answer = release("a", "a2");

		assertThat(answer.subList(1, 3)).isEqualTo(List.of("RELEASED", "WAITS"));
		assertThat(hash()).containsEntry("hold", "b").containsEntry("head", "a2").containsEntry("tail", "a2");
	}

	@Test
	void nextRequestGetsTheLockAtOnceIfNobodyElseWaits() {
		long token = (Long) acquire("a").get(3);

		List<?> answer = release("a", "a2");

		assertThat(answer.subList(1, 4)).isEqualTo(List.of("RELEASED", "HOLDS", 60_000L));
		assertThat((Long) answer.get(4)).isGreaterThan(token);
		assertThat(messages()).isEmpty();
		assertNoQueue();
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
	void nextRequestDoesNotJoinWhenTheHoldIsGone() {
		acquire("x");

		assertThat(release("a", "a2").subList(1, 3)).isEqualTo(List.of("GONE", "NONE"));

		assertNoQueue();
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
		acquire("b", "two", LEASE, "1", "1", LATER, "2000");
		acquire("c", "three", LEASE, "1", "1", LATER, "30000");

		release("a");
		assertThat((Long) renew("b", "1", "0").get(2)).isBetween(1000L, 2000L);

		request("two", "100", "release b 0");
		assertThat((Long) renew("c", "1", "0").get(2)).isBetween(20_000L, 30_000L);
	}

}
