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

package io.holdfast.lock.internal.server;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many warnings of a kind pass, and that those that do not are counted.
 */
class WarningLimitTests {

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

	private final WarningLimit limit = new WarningLimit(this.clock::get);

	@Test
	void tenPassInAMinute() {
		passAll();

		assertThat(this.limit.tryPass()).isFalse();
		this.clock.addAndGet(TimeUnit.SECONDS.toNanos(59));
		assertThat(this.limit.tryPass()).isFalse();
		this.clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
		assertThat(this.limit.tryPass()).isTrue();
	}

	@Test
	void thoseThatDoNotPassAreCountedOnceWhenTheMinuteIsOver() {
		passAll();
		this.limit.tryPass();
		this.limit.tryPass();
		assertThat(this.limit.takeSuppressed()).as("before its end").isZero();

		this.clock.addAndGet(WarningLimit.PERIOD_NANOS);

		assertThat(this.limit.takeSuppressed()).isEqualTo(2);
		assertThat(this.limit.takeSuppressed()).isZero();
	}

	@Test
	void stormThatGoesOnForMinutesIsCounted() {
		int passed = 0;
		int counted = 0;
		for (int i = 0; i < 600; i++) {
			this.clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
			passed += this.limit.tryPass() ? 1 : 0;
			counted += this.limit.takeSuppressed();
		}

		assertThat(passed).isEqualTo(100);
		assertThat(counted).isEqualTo(9 * 50);
	}

	private void passAll() {
		for (int i = 0; i < WarningLimit.MOST; i++) {
			assertThat(this.limit.tryPass()).isTrue();
		}
	}

}
