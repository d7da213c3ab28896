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

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The run finds mistakes. These are the quickest to find; {@code run.sh mutants} has all.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class MutantsIT {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "take-held", "token-repeats", "owner-is-client" })
	void aMistakeIsFound(String name) throws Exception {
		Mutant mutant = Mutant.all().stream().filter((each) -> each.name().equals(name)).findFirst().orElseThrow();
		assertThat(Mutants.find(mutant, this.directory).findings().violations()).isNotEmpty();
	}

}
