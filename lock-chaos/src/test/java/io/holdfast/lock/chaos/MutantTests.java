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

package io.holdfast.lock.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.holdfast.lock.chaos.Mutant.Change;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Every mutant fits the sources of today.
 */
class MutantTests {

	@TempDir
	private Path directory;

	static List<Mutant> all() throws IOException {
		return Mutant.all();
	}

	@ParameterizedTest
	@MethodSource("all")
	void fitsTheSources(Mutant mutant) throws IOException {
		mutant.build(Mutants.sources(), this.directory);
		assertThat(this.directory.resolve("io/holdfast/lock")).isNotEmptyDirectory();
	}

	@Test
	void thereAreEnoughWithNamesOfTheirOwn() throws IOException {
		assertThat(Mutant.all()).extracting(Mutant::name).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(25);
	}

	@Test
	void theyNameTheConditionsThatShowThem() throws IOException {
		Map<String, Conditions> conditions = Mutant.all()
			.stream()
			.collect(Collectors.toMap(Mutant::name, (each) -> each.conditions().get()));
		Conditions usual = Conditions.usual(Duration.ofSeconds(3));
		assertThat(conditions).containsEntry("release-any", usual)
			.containsEntry("not-repeatable", usual.often(Fault.REPLIES_LOST))
			.containsEntry("no-deadline", usual.only(Fault.LINK_DEAD).calm(Duration.ofSeconds(6)).singles(40))
			.containsEntry("place-not-kept", usual.only(null).use(Duration.ofSeconds(1)));
	}

	@Test
	void aChangeMustFitOnce() {
		Change change = new Change("file", List.of("b"), List.of("x"));
		assertThat(change.apply("m", "abc")).isEqualTo("axc");
		assertThatIllegalStateException().isThrownBy(() -> change.apply("m", "abcb")).withMessageContaining("once");
		assertThatIllegalStateException().isThrownBy(() -> change.apply("m", "ac")).withMessageContaining("not");
	}

}
