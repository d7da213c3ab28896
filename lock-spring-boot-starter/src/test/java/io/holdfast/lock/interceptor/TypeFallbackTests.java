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

package io.holdfast.lock.interceptor;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A fallback for all methods of a locked type. */
class TypeFallbackTests {

	@Test
	void methodThatFitsAsAFallbackIsNotLeftUnlocked() {
		LockRunner.create()
			.withBean(Orders.class)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("fallbackMethod is set on a type"));
	}

	@DistributedLock(name = "order", key = "#p0", fallbackMethod = "cancel")
	public static class Orders {

		public void pay(Long id) {
		}

		public void cancel(Long id) {
		}

	}

}
