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

package io.holdfast.lock.internal.protocol;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ids of requests.
 */
class RequestIdsTests {

	@Test
	void idsAreNewAlthoughTheRandomNumbersAreTheSame() {
		AtomicLong sequence = (AtomicLong) ReflectionTestUtils.getField(RequestIds.class, "sequence");
		long before = sequence.get();
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < 1000; i++) {
			sequence.set(42);
			ids.add(RequestIds.next());
			long now = System.nanoTime();
			while (System.nanoTime() == now) {
				Thread.onSpinWait();
			}
		}
		sequence.set(before);

		assertThat(ids).hasSize(1000);
	}

}
