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

package io.holdfast.lock.internal.client;

import java.util.List;

import io.holdfast.lock.testing.ObserverCalls;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CompositeObserverTests {

	@Test
	void everyCallReachesEveryObserver() throws Exception {
		ObserverCalls one = new ObserverCalls();
		ObserverCalls other = new ObserverCalls();
		CompositeObserver group = new CompositeObserver(
				List.of(new SafeObserver(one.observer(), Runnable::run, Runnable::run),
						new SafeObserver(other.observer(), Runnable::run, Runnable::run)));

		List<String> called = ObserverCalls.callAll(group);

		assertThat(called).contains("LockObserver.deadlocked", "Attempt.lost");
		assertThat(one.calls()).containsExactlyElementsOf(called);
		assertThat(other.calls()).containsExactlyElementsOf(called);
	}

}
