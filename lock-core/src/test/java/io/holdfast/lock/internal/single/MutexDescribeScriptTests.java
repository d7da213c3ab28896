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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MutexDescribeScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return run(LockScript.DESCRIBE, lock, "1");
	}

	@Test
	void amongManyLocksOneOfAnotherTypeHasNoHolder() {
		redis.opsForValue().set(this.key, "text");

		List<?> answer = run(LockScript.DESCRIBE, this.key, "0");

		assertThat(answer.subList(1, 9)).isEqualTo(List.of("", "", "", 0L, 0L, 0L, 0L, 0L));
	}

	@Test
	void holdIsDescribed() {
		acquire("a");

		List<?> answer = runOn(this.key);

		assertThat(answer.subList(1, 6))
			.isEqualTo(List.of("2:a", "one", "xr", number("token"), number("token") / 1000));
		assertThat((Long) answer.get(6)).isBetween(30_000L, 60_000L);
		assertThat(answer.get(7)).isEqualTo(0L);
		assertThat(answer.get(8)).isEqualTo(number("token"));
	}

	@Test
	void waitersAreCountedWithoutThoseThatLeft() {
		acquire("a");
		release("a", "a2");
		List.of("b", "c", "d", "e").forEach(this::join);
		release("c");

		assertThat(runOn(this.key).get(7)).isEqualTo(3L);
	}

	@Test
	void damagedLockHidesNoOtherUnlessItIsWanted() {
		acquire("a");
		String damaged = this.prefix + "lock:damaged";
		String ownerless = this.prefix + "lock:ownerless";
		redis.opsForHash().put(damaged, "hold", "2:a");
		redis.copy(this.key, ownerless, false);
		redis.opsForHash().put(ownerless, "owner", "text");
		List<String> keys = List.of(damaged, this.key, ownerless);

		List<?> answer = Objects.requireNonNull(redis.execute(LockScript.DESCRIBE, keys, "0"));

		assertThat(List.of(answer.get(1), answer.get(9), answer.get(17))).isEqualTo(List.of("", "2:a", ""));
		for (String each : List.of(damaged, ownerless)) {
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> redis.execute(LockScript.DESCRIBE, List.of(each), "1"))
				.havingRootCause()
				.withMessageContaining("DAMAGED");
		}
	}

	@Test
	void deadOrDamagedPlaceCountsAsAnyOther() {
		acquire("a");
		join("b", "two");
		joinDead("c");
		redis.opsForHash().put(this.key, "w:2:b", "text");

		assertThat(runOn(this.key).get(7)).isEqualTo(2L);
	}

	@Test
	void lockThatNobodyHoldsHasNoHolder() {
		acquire("a");
		release("a");
		String ended = this.key;
		String unknown = this.prefix + "lock:unknown";

		List<?> answer = redis.execute(LockScript.DESCRIBE, List.of(unknown, ended), "1");

		assertThat(answer).hasSize(17);
		assertThat(List.of(answer.get(1), answer.get(9))).isEqualTo(List.of("", ""));
	}

	@Test
	void holdThatEndedHasNoHolder() {
		acquire("a");
		endHold();

		assertThat(runOn(this.key).get(1)).isEqualTo("");
	}

	@Test
	void nothingChanges() {
		acquire("a");
		join("b");
		Map<String, String> before = hash();

		runOn(this.key);

		assertThat(hash()).isEqualTo(before);
	}

}
