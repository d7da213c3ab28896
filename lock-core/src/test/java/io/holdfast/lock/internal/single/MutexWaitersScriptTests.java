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

class MutexWaitersScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return waiters(100);
	}

	private List<?> waiters(int limit) {
		return run(LockScript.WAITERS, this.key, Integer.toString(limit));
	}

	@Test
	void waitersAreToldInOrder() {
		acquire("a");
		join("b", "two");
		joinDead("c");
		join("d", "app@host/with space");

		List<?> answer = waiters(100);

		assertThat(answer.subList(1, answer.size())).isEqualTo(List.of(1L, "xr", "two", "2:b", //
				0L, "xr", "dead", "2:c", //
				1L, "xr", "app@host/with space", "2:d"));
	}

	@Test
	void placesThatWereGivenUpAreNotTold() {
		acquire("a");
		join("b", "two");
		join("c", "three");
		release("b");

		List<?> answer = waiters(100);

		assertThat(answer.subList(1, answer.size())).isEqualTo(List.of(1L, "xr", "three", "2:c"));
	}

	@Test
	void noMorePlacesThanTheLimitAreLookedAt() {
		acquire("a");
		ids(20).forEach(this::join);

		assertThat(waiters(7)).hasSize(1 + 7 * 4);
	}

	@Test
	void lockWithoutQueueHasNoWaiters() {
		assertThat(waiters(100)).hasSize(1);
		acquire("a");

		assertThat(waiters(100)).hasSize(1);
	}

	@Test
	void nothingChanges() {
		acquire("a");
		joinDead("b");
		Map<String, String> before = hash();

		waiters(100);

		assertThat(hash()).isEqualTo(before);
	}

}
