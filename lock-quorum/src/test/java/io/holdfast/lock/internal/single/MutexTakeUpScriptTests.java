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
 * {@code mutex-takeup.lua}, by which a server of a quorum comes to have a hold of others.
 */
class MutexTakeUpScriptTests extends ScriptContract {

	private static final long TOKEN = 4_000_000_000_000_000L;

	@Override
	List<?> runOn(String lock) {
		return run(QuorumScripts.TAKE_UP, lock, TIMEOUT, RETENTION, this.channels, "one", "0", LATER, "2:a", LEASE,
				Long.toString(TOKEN), Long.toString(TOKEN + 9));
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key).get(1)).isEqualTo(0L);
	}

	/**
	 * Has the request "a" taken up.
	 * @return whether it holds here now
	 */
	private boolean takeUp() {
		return takeUp("0", LATER);
	}

	private boolean takeUp(String guard, String notAfter) {
		return run(QuorumScripts.TAKE_UP, this.key, TIMEOUT, RETENTION, this.channels, "one", guard, notAfter, "2:a",
				LEASE, Long.toString(TOKEN), Long.toString(TOKEN + 9))
			.get(1)
			.equals(1L);
	}

	@Test
	void newerLayoutIsLeftAlone() {
		redis.opsForHash().putAll(this.key, Map.of("hold", "3:a", "token", "1000"));

		assertThat(takeUp()).isFalse();

		assertThat(stored()).isEqualTo(Map.of("hold", "3:a", "token", "1000"));
	}

	@Test
	void takesAFreeLockWithTheTokensOfItsHold() {
		assertThat(takeUp()).isTrue();

		assertThat(hash()).containsEntry("hold", "a")
			.containsEntry("owner", "xr one")
			.containsEntry("token", Long.toString(TOKEN))
			.containsEntry("last", Long.toString(TOKEN + 9));
		assertTtl(360_000);
		release("a");
		acquire("b");
		assertThat(number("token")).isGreaterThan(TOKEN + 9);
	}

	@Test
	void repeatGivesTheSameAnswer() {
		takeUp();

		assertThat(takeUp()).isTrue();

		assertThat(number("token")).isEqualTo(TOKEN);
		assertThat(number("last")).isEqualTo(TOKEN + 9);
	}

	@Test
	void leavesTheHoldOfAnotherAlone() {
		acquire("b");
		Object before = hash();

		assertThat(takeUp()).isFalse();

		assertThat(hash()).isEqualTo(before);
		assertThat(messages()).isEmpty();
	}

	@Test
	void takesWhatAnotherHadAndLost() {
		acquire("b");
		endHold();

		assertThat(takeUp()).isTrue();

		assertThat(hash()).containsEntry("hold", "a").containsKey("lost");
	}

	@Test
	void tokensThatWereGivenHereAreNotForgotten() {
		acquire("b", "one", LEASE, "1", "0", LATER, TIMEOUT);
		redis.opsForHash().putAll(this.key, Map.of("hold", "2:b +", "last", Long.toString(TOKEN + 100)));
		release("b");

		takeUp();

		assertThat(number("token")).isEqualTo(TOKEN + 100);
		release("a");
		acquire("c");
		assertThat(number("token")).isGreaterThan(TOKEN + 100);
	}

	@Test
	void holdThatRanOutHereGoesOn() {
		acquire("a");
		long token = number("token");
		endHold();

		assertThat(takeUp()).isTrue();

		assertThat(number("until")).isGreaterThan(1);
		assertThat(number("token")).isEqualTo(TOKEN).isGreaterThan(token);
		assertThat(number("lost")).isEqualTo(TOKEN - 1);
	}

	@Test
	void holdThatIsHereGetsTokensAndNoLease() {
		acquire("a", "one", "5000", "1", "0", LATER, TIMEOUT);
		long until = number("until");

		assertThat(takeUp()).isTrue();

		assertThat(number("until")).isEqualTo(until);
		assertThat(number("last")).isEqualTo(TOKEN + 9);
	}

	@Test
	void holdThatWasReleasedIsNotTakenUpAgain() {
		acquire("a");
		release("a");

		assertThat(takeUp()).isFalse();

		acquire("b");
		release("b");
		assertThat(takeUp()).isFalse();
		assertThat(hash()).containsEntry("hold", "b").doesNotContainKey("until");
	}

	@Test
	void nothingIsTakenUpAfterTheDeadline() {
		assertThat(takeUp("0", "1")).isFalse();

		assertThat(hash()).isEmpty();
		acquire("a");
		endHold();
		assertThat(takeUp("0", "1")).isFalse();
		assertThat(number("until")).isOne();
	}

	@Test
	void serverThatWasJustStartedTakesNothingUp() {
		assertThat(takeUp("86400", LATER)).isFalse();

		assertThat(hash()).isEmpty();
	}

	@Test
	void oneOfAnotherTypeDoesNotStopTheOthers() {
		redis.opsForValue().set(this.prefix + "text", "text");
		String token = Long.toString(TOKEN);

		List<?> answer = Objects.requireNonNull(
				redis.execute(QuorumScripts.TAKE_UP, List.of(this.prefix + "text", this.key), TIMEOUT, RETENTION,
						this.channels, "one", "0", LATER, "2:x", LEASE, token, token, "2:a", LEASE, token, token));

		assertThat(answer.get(1)).isEqualTo(1L);
		assertThat(hash()).containsEntry("hold", "a");
	}

	@Test
	void holdThatWasHereGoesOnWhenMemoryIsFull() {
		acquire("a");
		endHold();

		withFullMemory(() -> assertThat(takeUp()).isTrue());
	}

}
