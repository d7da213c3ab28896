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

class LockQueueScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return waiters(100);
	}

	private List<?> waiters(int limit) {
		return run(ScriptCall.queue(limit), this.key);
	}

	@Test
	void waitersAreToldInOrder() {
		acquire("a");
		join("b", "two");
		acquire("b", "two", LEASE, "1", "3", LATER, TIMEOUT);
		joinDead("c");
		join("d", "app@host/with space");
		share("e", "pf", 2, 5);

		List<?> answer = waiters(100);

		assertThat(answer.subList(1, answer.size())).isEqualTo(List.of( //
				List.of(1L, "xr", 1L, 1L, 3L, "two", "3:b"), //
				List.of(0L, "xr", 1L, 1L, 1L, "dead", "3:c"), //
				List.of(1L, "xr", 1L, 1L, 1L, "app@host/with space", "3:d"), //
				List.of(1L, "pf", 2L, 5L, 1L, "of-e", "3:e")));
	}

	@Test
	void noMorePlacesThanTheLimitAreLookedAt() {
		acquire("a");
		ids(20).forEach(this::join);

		assertThat(waiters(7)).hasSize(1 + 7);
	}

}
