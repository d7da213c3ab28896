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

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockEvictScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return evict("a");
	}

	@Test
	void holderLosesTheLockAndIsTold() {
		acquire("a");

		assertThat(evict("a").get(1)).isEqualTo(1L);

		assertThat(hash()).containsOnlyKeys("hold", "owner", "token", "lost", "forced").containsEntry("hold", "");
		assertThat(messages()).containsExactly("one: forced a " + this.key);
		assertThat(release("a").get(1)).isEqualTo("GONE");
		assertTtl(300_000);
	}

	@Test
	void repeatDoesNotHitTheNextHolder() {
		acquire("a");
		join("b", "two");
		evict("a");
		Map<String, String> after = hash();

		assertThat(evict("a").get(1)).as("the same answer").isEqualTo(1L);

		assertThat(hash()).isEqualTo(after).containsEntry("hold", "b");
		assertThat(messages()).filteredOn((message) -> message.contains("forced")).hasSize(1);
	}

	@Test
	void repeatIsToldUntilAnotherCallEndsAHold() {
		acquire("a");
		join("b", "two");
		evict("a");
		evict("b");

		assertThat(evict("b").get(1)).isEqualTo(1L);
		assertThat(evict("a").get(1)).isEqualTo(0L);
	}

	@Test
	void freeLockIsLeftAlone() {
		assertThat(evict("a").get(1)).isEqualTo(0L);

		assertThat(redis.hasKey(this.key)).isFalse();
	}

	@Test
	void operatorEndsAllOrThoseThatHaveAToken() {
		permits("a", 1, 9);
		long token = (Long) permits("b", 1, 9).get(3);
		permits("c", 1, 9);

		assertThat(run(ScriptCall.evict(settings(TIMEOUT), "call-1", List.of(Long.toString(token))), this.key).get(1))
			.isEqualTo(1L);
		assertThat(state().holders()).containsExactly("3:a", "3:c");
		assertThat(run(ScriptCall.evict(settings(TIMEOUT), "call-2", List.of()), this.key).get(1)).isEqualTo(2L);
		assertThat(run(ScriptCall.evict(settings(TIMEOUT), "call-2", List.of()), this.key).get(1)).isEqualTo(2L);

		assertThat(state().holders()).isEmpty();
		assertThat(release("a", token).get(1)).isEqualTo("GONE");
		assertThat(messages()).containsExactlyInAnyOrder("of-a: forced a " + this.key, "of-b: forced b " + this.key,
				"of-c: forced c " + this.key);
	}

	@Test
	void passesWhenMemoryIsFull() {
		acquire("a");

		withFullMemory(() -> assertThat(evict("a").get(1)).isEqualTo(1L));
	}

}
