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

class LockDowngradeScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return downgrade("a");
	}

	@Override
	void refusesOtherTypes() {
		assertThat(downgrade("a").get(1)).isEqualTo("NONE");
	}

	@Test
	void passesWhenMemoryIsFull() {
		acquire("a");

		withFullMemory(() -> assertThat(downgrade("a").get(1)).isEqualTo("HOLDS"));
	}

}
