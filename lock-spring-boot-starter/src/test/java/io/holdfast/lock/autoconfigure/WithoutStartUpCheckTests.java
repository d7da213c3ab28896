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

package io.holdfast.lock.autoconfigure;

import java.util.List;

import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.ObserverCalls;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WithoutStartUpCheckTests {

	private final ObserverCalls calls = new ObserverCalls();

	private final WithoutStartUpCheck observer = new WithoutStartUpCheck(this.calls.observer());

	@Test
	void everyCallReachesTheObserver() throws Exception {
		List<String> called = ObserverCalls.callAll(this.observer);

		assertThat(called).contains("LockObserver.deadlocked", "Attempt.lost");
		assertThat(this.calls.calls()).containsExactlyElementsOf(called);
	}

	@Test
	void lockOfTheCheckDoesNot() {
		this.observer.wanted(StartUpCheck.LOCK, null, LockType.FAIR);

		assertThat(this.calls.calls()).isEmpty();
	}

}
