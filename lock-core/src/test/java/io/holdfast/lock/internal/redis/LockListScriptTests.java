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

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockListScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return redis.execute(LockScript.LIST, List.of(), "0", this.prefix + "lock:*", "1000");
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key)).hasSize(2);
	}

	@Test
	void pagesTogetherHoldAllLocksOfThePattern() {
		TreeSet<String> expected = new TreeSet<>();
		for (String id : ids(1500)) {
			String lock = this.prefix + "lock:" + id;
			redis.opsForHash().put(lock, "token", "1");
			redis.opsForHash().put(this.prefix + "other:" + id, "token", "1");
			expected.add(lock);
		}

		List<String> found = new ArrayList<>();
		String cursor = "0";
		do {
			List<?> page = redis.execute(LockScript.LIST, List.of(), cursor, this.prefix + "lock:*", "100");
			((List<?>) page.get(1)).forEach((lock) -> found.add((String) lock));
			cursor = (String) page.get(0);
		}
		while (!cursor.equals("0"));

		assertThat(new TreeSet<>(found)).isEqualTo(expected);
	}

	@Test
	void largestPageFitsIntoOneAnswer() {
		ids(20_000).forEach((id) -> redis.opsForHash().put(this.prefix + "lock:" + id, "token", "1"));

		List<?> page = redis.execute(LockScript.LIST, List.of(), "0", this.prefix + "lock:*", "100000");

		assertThat((List<?>) page.get(1)).hasSizeGreaterThanOrEqualTo(20_000);
	}

}
