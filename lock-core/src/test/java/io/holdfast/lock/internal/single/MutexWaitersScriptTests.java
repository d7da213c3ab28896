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
		join("d", "app@host/with space", 7);

		List<?> answer = waiters(100);

		assertThat(answer.subList(1, answer.size())).isEqualTo(List.of(1L, "xr", "two", "2:b", 1L, //
				0L, "xr", "dead", "2:c", 1L, //
				1L, "xr", "app@host/with space", "2:d", 7L));
	}

	@Test
	void placesThatWereGivenUpAreNotTold() {
		acquire("a");
		join("b", "two");
		join("c", "three");
		release("b");

		List<?> answer = waiters(100);

		assertThat(answer.subList(1, answer.size())).isEqualTo(List.of(1L, "xr", "three", "2:c", 1L));
	}

	@Test
	void noMorePlacesThanTheLimitAreLookedAt() {
		acquire("a");
		ids(20).forEach(this::join);

		assertThat(waiters(7)).hasSize(1 + 7 * 5);
	}

	@Test
	void placeThatDoesNotSayHowManyWaitIsOfOneAndLearnsIt() {
		acquire("a");
		List.of("b", "c").forEach(this::join);
		for (String id : List.of("2:b", "2:c")) {
			String place = stored().get("w:" + id);
			redis.opsForHash().put(this.key, "w:" + id, place.replace(" 60000 1 1 xr ", " 60000 1 xr "));
		}
		Map<String, String> before = stored();

		List<?> answer = waiters(100);

		assertThat(answer.subList(1, answer.size()))
			.isEqualTo(List.of(1L, "xr", "one", "2:b", 1L, 1L, "xr", "one", "2:c", 1L));
		assertThat(stored()).isEqualTo(before);
		assertThat(before.values()).noneMatch((value) -> value.contains(" 1 1 xr "));
		assertThat(renew("c", LEASE, "0 4").get(1)).isEqualTo("WAITS");
		assertThat(waiters(100).get(10)).isEqualTo(4L);
		release("a");
		assertThat(hash()).containsEntry("hold", "b");
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
