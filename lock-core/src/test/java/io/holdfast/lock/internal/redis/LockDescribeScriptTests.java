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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockDescribeScriptTests extends ScriptContract {

	private static final List<Object> NOBODY = List.of(0L, 0L, 0L, List.of());

	@Override
	List<?> runOn(String lock) {
		return run(ScriptCall.describe(true), lock);
	}

	/** What is said of the lock before its holds. */
	private List<?> summary() {
		return ((List<?>) runOn(this.key).get(1)).subList(0, 3);
	}

	private List<List<?>> rows() {
		return rows(runOn(this.key).get(1));
	}

	private static List<List<?>> rows(Object lock) {
		return ((List<?>) ((List<?>) lock).get(3)).stream().<List<?>>map(List.class::cast).toList();
	}

	@Test
	void amongManyLocksOneOfAnotherTypeHasNoHolder() {
		redis.opsForValue().set(this.key, "text");

		assertThat(run(ScriptCall.describe(false), this.key).get(1)).isEqualTo(NOBODY);
	}

	@Test
	void holdIsDescribed() {
		acquire("a");

		List<?> row = rows().get(0);

		long token = number("token");
		assertThat(summary()).isEqualTo(List.of(0L, 0L, 1L));
		assertThat(row.subList(0, 8)).isEqualTo(List.of("3:a", "one", "xr", 1L, 1L, token, token, token / 1000));
		assertThat((Long) row.get(8)).isBetween(30_000L, 60_000L);
		assertThat(row.get(9)).as("not tied to a session").isEqualTo(0L);
	}

	@Test
	void leaseOfATiedHoldIsTold() {
		acquire("a");
		redis.opsForHash().put(this.key, "owner", "xr one#1.abcdef.yq0.1jk");

		assertThat(rows().get(0).get(1)).isEqualTo("one");
		assertThat(rows().get(0).get(9)).isEqualTo(45_000L);
	}

	@Test
	void eachMemberOfAGroupIsDescribed() {
		permits("a", 2, 5);
		permits("b", 1, 4);
		join("c");

		assertThat(summary()).isEqualTo(List.of(1L, 0L, 3L));
		assertThat(rows().stream().<Object>map((row) -> row.subList(0, 5)))
			.containsExactlyInAnyOrder(List.of("3:a", "of-a", "pr", 2L, 5L), List.of("3:b", "of-b", "pr", 1L, 4L));
	}

	@Test
	void ofManyMembersHundredAreListedAndTheOthersCounted() {
		ids(130).forEach(this::read);

		assertThat(rows()).hasSize(100);
		assertThat(summary()).isEqualTo(List.of(0L, 30L, 130L));
	}

	@Test
	void waitersAreCountedWithoutThoseThatLeft() {
		acquire("a");
		release("a", "a2");
		List.of("b", "c", "d", "e").forEach(this::join);
		release("c");

		assertThat(summary().get(0)).isEqualTo(3L);
	}

	@Test
	void damagedLockHidesNoOtherUnlessItIsWanted() {
		acquire("a");
		String damaged = this.prefix + "lock:damaged";
		String ownerless = this.prefix + "lock:ownerless";
		redis.opsForHash().put(damaged, "hold", "3:a");
		redis.copy(this.key, ownerless, false);
		redis.opsForHash().put(ownerless, "owner", "text");

		List<?> answer = run(ScriptCall.describe(false), damaged, this.key, ownerless);

		assertThat(List.of(answer.get(1), answer.get(3))).isEqualTo(List.of(NOBODY, NOBODY));
		assertThat(rows(answer.get(2)).get(0).get(0)).isEqualTo("3:a");
		for (String each : List.of(damaged, ownerless)) {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> run(ScriptCall.describe(true), each))
				.havingRootCause()
				.withMessageContaining("DAMAGED");
		}
	}

}
