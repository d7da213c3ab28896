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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@code mutex-vote.lua}, which grants a lock on one server of a quorum.
 */
class MutexVoteScriptTests extends ScriptContract {

	private static final String NO_GUARD = "0";

	@Override
	List<?> runOn(String lock) {
		return vote("a", NO_GUARD);
	}

	private List<?> vote(String id, String guard) {
		return vote(id, guard, LATER);
	}

	private List<?> vote(String id, String guard, String notAfter) {
		return words("2:" + id, Objects.requireNonNull(redis.execute(QuorumScripts.VOTE, List.of(this.key), "one",
				TIMEOUT, RETENTION, this.channels, "2:" + id, "1", LEASE, guard, notAfter)));
	}

	@Test
	void newerLayoutIsNamedAndLeftAlone() {
		redis.opsForHash().putAll(this.key, Map.of("hold", "3:a", "token", "1000"));

		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> vote("b", NO_GUARD))
			.havingRootCause()
			.withMessageContaining("LAYOUT this lock is written in layout 3");

		assertThat(stored()).isEqualTo(Map.of("hold", "3:a", "token", "1000"));
	}

	@Test
	void severalTokensAreMomentsThatHavePassed() {
		vote("a", "0", LATER);
		release("a");
		List<?> answer = words("2:b", Objects.requireNonNull(redis.execute(QuorumScripts.VOTE, List.of(this.key), "one",
				TIMEOUT, RETENTION, this.channels, "2:b", "1000", LEASE, "0", LATER)));

		assertThat((Long) answer.get(4)).isLessThan(((Long) answer.get(0) + 1) * 1000);
	}

	@Test
	void grantsAFreeLock() {
		assertThat(vote("a", NO_GUARD).subList(1, 3)).isEqualTo(List.of("HOLDS", 60_000L));

		assertThat(hash()).containsEntry("hold", "a").containsEntry("owner", "xr one");
	}

	@Test
	void repeatGivesTheSameAnswer() {
		List<?> first = vote("a", NO_GUARD);

		assertThat(stable(vote("a", NO_GUARD))).isEqualTo(stable(first));
	}

	@Test
	void refusesALockThatIsHeldAndTellsItsHolder() {
		vote("a", NO_GUARD);

		assertThat(vote("b", NO_GUARD).get(1)).isEqualTo("NONE");

		assertThat(hash()).containsEntry("hold", "a");
		assertNoQueue();
		assertThat(messages()).containsExactly("one: awaited a " + this.key);
	}

	@Test
	void releasedRequestIsNotGrantedAgain() {
		vote("a", NO_GUARD);
		release("a");

		assertThat(vote("a", NO_GUARD).get(1)).isEqualTo("LATE");
	}

	@Test
	void requestThatComesAfterItsDeadlineIsNotGranted() {
		assertThat(vote("a", NO_GUARD, "1").get(1)).isEqualTo("LATE");

		assertThat(hash()).isEmpty();
	}

	@Test
	void serverThatWasJustStartedGrantsNothing() {
		List<?> answer = vote("a", "86400");

		assertThat(answer.get(1)).isEqualTo("STARTING");
		assertThat((Long) answer.get(2)).isBetween(80_000_000L, 86_401_000L);
		assertThat(hash()).isEmpty();
	}

}
