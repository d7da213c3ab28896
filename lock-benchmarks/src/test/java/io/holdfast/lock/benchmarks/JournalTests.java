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

package io.holdfast.lock.benchmarks;

import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What owners of a lock write down, and how they notice each other.
 */
class JournalTests {

	private Journal one;

	private Journal other;

	@BeforeEach
	void openTwice(@TempDir Path directory) {
		this.one = new Journal(directory.resolve("journal"));
		this.other = new Journal(directory.resolve("journal"));
	}

	@Test
	void ownersInTurnAreWrittenDownInOrder() {
		this.one.granted(1, 2, 42);
		this.one.releasing(1, 2);
		this.other.granted(3, 4, 43);
		this.other.releasing(3, 4);

		assertThat(this.one.violations()).isZero();
		assertThat(this.one.count()).isEqualTo(2);
		assertThat(this.one.grants().inOrder()).extracting(Grants.Grant::process).containsExactly(1, 3);
		assertThat(this.one.grants().inOrder()).extracting(Grants.Grant::thread).containsExactly(2, 4);
		assertThat(this.one.grants().inOrder()).extracting(Grants.Grant::calledNanos).containsExactly(42L, 43L);
	}

	@Test
	void ownersAtTheSameTimeAreAViolation() {
		this.one.granted(1, 1, 0);
		this.other.granted(2, 1, 0);
		this.one.releasing(1, 1);

		assertThat(this.other.violations()).isPositive();
	}

	@Test
	void clearedJournalIsEmpty() {
		this.one.granted(1, 1, 0);
		this.one.releasing(1, 1);

		this.other.clear();

		assertThat(this.one.count()).isZero();
		assertThat(this.one.grants().inOrder()).isEmpty();
	}

}
