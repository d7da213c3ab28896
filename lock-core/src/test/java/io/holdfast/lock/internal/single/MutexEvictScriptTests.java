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

class MutexEvictScriptTests extends ScriptContract {

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
	void anotherHolderThanNamedKeepsTheLock() {
		acquire("a");
		Map<String, String> before = hash();

		assertThat(evict("b").get(1)).isEqualTo(0L);

		assertThat(hash()).isEqualTo(before);
		assertThat(messages()).isEmpty();
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
	void anotherCallEndsNothingAndIsToldSo() {
		acquire("a");
		join("b", "two");
		evict("a", "one");

		assertThat(evict("a", "another").get(1)).isEqualTo(0L);
		assertThat(evict("a", "one").get(1)).isEqualTo(1L);
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
	void nextLiveWaiterGetsTheLock() {
		acquire("a");
		ids(50).forEach(this::joinDead);
		join("b", "two");

		evict("a");

		assertThat(hash()).containsEntry("hold", "b").containsEntry("owner", "xr two");
		assertThat(messages()).extracting((message) -> message.substring(0, message.indexOf(" ", 6)))
			.endsWith("one: forced", "two: granted");
		assertNoQueue();
	}

	@Test
	void nextTokenIsLarger() {
		long token = (Long) acquire("a").get(3);
		evict("a");

		assertThat((Long) acquire("b").get(3)).isGreaterThan(token);
	}

	@Test
	void passesWhenMemoryIsFull() {
		acquire("a");

		withFullMemory(() -> assertThat(evict("a").get(1)).isEqualTo(1L));
	}

}
