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

package io.holdfast.lock.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances that start in the same moment, where there is neither a Redis nor a database.
 */
class SimultaneousStartIT {

	@TempDir
	Path directory;

	@RepeatedTest(3)
	void allOfThemStart() throws IOException {
		Place place = Place.in(this.directory);
		try (ShopProcess one = ShopProcess.launch(place);
				ShopProcess two = ShopProcess.launch(place);
				ShopProcess three = ShopProcess.launch(place)) {
			assertThat(Stream.of(one, two, three).map((each) -> each.awaitSignedOn().client())).doesNotHaveDuplicates();
		}
		finally {
			place.endRedis();
			place.awaitEndOfCompanion();
		}
	}

}
