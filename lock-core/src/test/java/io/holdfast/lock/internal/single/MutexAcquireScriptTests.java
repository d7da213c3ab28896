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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MutexAcquireScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return join("a");
	}

	@Test
	void freeLockIsGranted() {
		List<?> answer = acquire("a");

		long token = number("token");
		assertThat(answer.subList(1, 6)).isEqualTo(List.of("HOLDS", 60_000L, token, token, 0L));
		assertTtl(360_000);
	}

	@Test
	void holdCanBeReadByOperators() {
		long now = (Long) acquire("a").get(0);

		long token = number("token");
		assertThat(stored()).isEqualTo(Map.of("hold", "2:a", "owner", "xr one", "until", "2:" + (now + 60_000), "token",
				Long.toString(token), "lost", Long.toString(token - 1)));
		assertThat(number("token") / 1000).isEqualTo(now);
	}

	@Test
	void lockHeldByAnotherIsNotGrantedAndNothingChanges() {
		acquire("a");
		Map<String, String> before = hash();

		List<?> answer = acquire("b");

		assertThat(answer.get(1)).isEqualTo("NONE");
		assertThat((Long) answer.get(2)).isBetween(30_000L, 60_000L);
		assertThat(hash()).isEqualTo(before);
		assertThat(messages()).isEmpty();
	}

	@Test
	void thoseWhoWaitGetPlacesInOrder() {
		acquire("a");

		assertThat(join("b")).element(1).isEqualTo("WAITS");
		assertThat(join("c").get(6)).isEqualTo(1L);
		assertThat(join("d").get(6)).isEqualTo(2L);

		assertThat(hash()).containsEntry("head", "b").containsEntry("tail", "d");
		assertThat(hash().get("w:b")).matches("- c 1 \\d{13} 60000 1 10000 xr one");
		assertThat(hash().get("w:c")).matches("b d 2 \\d{13} 60000 1 10000 xr one");
		assertThat(hash().get("w:d")).matches("c - 3 \\d{13} 60000 1 10000 xr one");
	}

	@Test
	void repeatOfGrantGivesTheSameAnswerAndDoesNotProlong() {
		List<?> first = acquire("a");
		Map<String, String> before = hash();

		List<?> second = acquire("a");

		assertThat(stable(second)).isEqualTo(stable(first));
		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void repeatOfJoiningTakesNoSecondPlace() {
		acquire("a");
		List<?> first = join("b");

		List<?> second = join("b");

		assertThat(stable(second)).isEqualTo(stable(first));
		assertThat(hash()).containsEntry("head", "b").containsEntry("tail", "b");
	}

	@Test
	void lateRequestTakesNothing() {
		String past = Long.toString((Long) acquire("other").get(0) - 1);
		release("other");
		Map<String, String> before = hash();

		List<?> answer = acquire("a", "one", LEASE, "1", "1", past, TIMEOUT);

		assertThat(answer.get(1)).isEqualTo("LATE");
		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void lateRequestOfUnknownLockLeavesNoKey() {
		assertThat(acquire("a", "one", LEASE, "1", "1", "1", TIMEOUT).get(1)).isEqualTo("LATE");

		assertThat(redis.hasKey(this.key)).isFalse();
	}

	@Test
	void lateRequestTakesNoPlace() {
		acquire("a");

		assertThat(acquire("b", "one", LEASE, "1", "1", "1", TIMEOUT).get(1)).isEqualTo("LATE");

		assertNoQueue();
	}

	@Test
	void requestThatHoldsOrWaitsIsNeverLate() {
		acquire("a");
		join("b");

		assertThat(acquire("a", "one", LEASE, "1", "1", "1", TIMEOUT).get(1)).isEqualTo("HOLDS");
		assertThat(acquire("b", "one", LEASE, "1", "1", "1", TIMEOUT).get(1)).isEqualTo("WAITS");
	}

	@Test
	void requestWhoseHoldWasReleasedOrEndedGetsNoSecondOne() {
		acquire("a");
		release("a");
		assertThat(acquire("a").get(1)).isEqualTo("LATE");

		acquire("b");
		endHold();
		assertThat(join("b").get(1)).isEqualTo("LATE");
	}

	@Test
	void holdThatEndedIsGrantedAnew() {
		long token = (Long) acquire("a").get(3);
		endHold();

		List<?> answer = acquire("b");

		assertThat(answer.get(1)).isEqualTo("HOLDS");
		assertThat((Long) answer.get(3)).isGreaterThan(token);
	}

	@Test
	void tokenIsLaterThanOneOfTheFuture() {
		redis.opsForHash().put(this.key, "hold", "2:");
		redis.opsForHash().put(this.key, "token", "5000000000000000");
		redis.opsForHash().put(this.key, "last", "5000000000000777");

		assertThat(acquire("a").get(3)).isEqualTo(5_000_000_000_000_778L);
	}

	@Test
	void firstGrantHasOneTokenHoweverManyAreWanted() {
		List<?> answer = acquire("a", "one", LEASE, "1000", "0", LATER, TIMEOUT);

		assertThat(answer.get(4)).isEqualTo(answer.get(3));
	}

	@Test
	void laterGrantsHaveAsManyTokensAsWantedFromTheTimeThatPassed() {
		redis.opsForHash().put(this.key, "hold", "2:");
		redis.opsForHash().put(this.key, "token", "1000");

		List<?> answer = acquire("a", "one", LEASE, "1000", "0", LATER, TIMEOUT);

		long first = (Long) answer.get(3);
		long last = (Long) answer.get(4);
		assertThat(last - first + 1).isEqualTo(1000);
		assertThat(last / 1000).isLessThanOrEqualTo((Long) answer.get(0));
		assertThat(number("last")).isEqualTo(last);
	}

	@Test
	void firstWaiterTellsTheHolderAndTheOthersDoNot() {
		acquire("a");

		join("b", "two");
		join("c", "three");

		assertThat(messages()).containsExactly("one: awaited a " + this.key);
	}

	@Test
	void lockWhoseHoldEndedGoesToTheHeadWhoeverAsks() {
		acquire("a");
		join("b", "two");
		join("c", "three");
		messages();
		endHold();

		List<?> answer = join("c", "three");

		assertThat(answer.get(1)).isEqualTo("WAITS");
		assertThat(hash()).containsEntry("hold", "b").containsEntry("owner", "xr two");
		assertThat(messages()).hasSize(2).last().asString().startsWith("two: granted b " + number("token"));
	}

	@Test
	void newcomerThatDoesNotWaitPassesLockThatIsAwaitedToTheHead() {
		acquire("a");
		join("b", "two");
		endHold();

		assertThat(acquire("c").get(1)).isEqualTo("NONE");

		assertThat(hash()).containsEntry("hold", "b");
	}

	@Test
	void headThatAsksWhenTheHoldEndedGetsItsWholeLeaseWithoutMessage() {
		acquire("a");
		join("b", "two");
		endHold();

		List<?> answer = join("b", "two");

		assertThat(answer.subList(1, 3)).isEqualTo(List.of("HOLDS", 60_000L));
		assertThat(messages()).noneMatch((message) -> message.contains("granted"));
		assertNoQueue();
	}

	@Test
	void holdThatIsHandedOverStartsNoLongerThanPlaceLasts() {
		acquire("a");
		join("b", "two");
		endHold();

		acquire("c");

		assertThat(number("until") - number("token") / 1000).isEqualTo(10_000);
	}

	@Test
	void fiftyDeadWaitersAreDroppedInOneCall() {
		acquire("a");
		ids(50).forEach(this::joinDead);
		endHold();

		assertThat(acquire("b").get(1)).isEqualTo("HOLDS");

		assertNoQueue();
		assertThat(messages()).noneMatch((message) -> message.contains("granted"));
	}

	@Test
	void liveWaiterBehindDeadOnesIsServed() {
		acquire("a");
		ids(50).forEach(this::joinDead);
		join("b", "two");
		ids(5).forEach((id) -> joinDead("later" + id));
		endHold();

		acquire("c");

		assertThat(hash()).containsEntry("hold", "b");
		assertThat(messages()).filteredOn((message) -> message.contains("granted")).hasSize(1);
	}

	@Test
	void askingAgainKeepsThePlaceAlive() {
		acquire("a");
		joinDead("b");

		join("b");
		endHold();
		acquire("c");

		assertThat(hash()).containsEntry("hold", "b");
	}

	@Test
	void fullMemoryRefusesWithNothingChanged() {
		withFullMemory(() -> assertOutOfMemory(() -> acquire("a")));
		assertThat(redis.hasKey(this.key)).isFalse();

		acquire("a");
		Map<String, String> before = hash();
		withFullMemory(() -> assertOutOfMemory(() -> join("b")));
		assertThat(hash()).isEqualTo(before);
	}

	@Test
	void waiterAsksAgainWhenMemoryIsFull() {
		acquire("a");
		join("b");

		withFullMemory(() -> assertThat(join("b").get(1)).isEqualTo("WAITS"));
	}

	private static void assertOutOfMemory(Runnable call) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
			.havingRootCause()
			.withMessageContaining("OOM");
	}

}
