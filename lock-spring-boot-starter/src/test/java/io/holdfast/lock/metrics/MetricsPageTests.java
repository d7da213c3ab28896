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

package io.holdfast.lock.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.holdfast.lock.fixture.MeterUse;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The page about metrics lists the meters that there are, and their tags. */
class MetricsPageTests {

	private static final Path PAGE = Path.of("../docs/metrics.md");

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	MetricsPageTests() {
		MeterUse.everything(new LockMetrics(this.registry, LockNameRule.NONE));
	}

	@Test
	void tableHasTheMetersThatThereAre() throws IOException {
		Set<String> listed = Files.readAllLines(PAGE)
			.stream()
			.filter((line) -> line.startsWith("| holdfast.lock.")
					&& line.chars().filter((each) -> each == '|').count() == 5)
			.collect(Collectors.toCollection(TreeSet::new));

		assertThat(listed).isEqualTo(this.registry.getMeters()
			.stream()
			.collect(Collectors.groupingBy((meter) -> meter.getId().getName()))
			.values()
			.stream()
			.map(MetricsPageTests::row)
			.collect(Collectors.toCollection(TreeSet::new)));
	}

	@Test
	void pageNamesAllValuesOfTags() throws IOException {
		String page = Files.readString(PAGE);

		assertThat(this.registry.getMeters()
			.stream()
			.flatMap((meter) -> meter.getId().getTags().stream())
			.filter((tag) -> !tag.getKey().equals("name"))
			.distinct()
			.sorted(Comparator.comparing(Tag::getValue))).isNotEmpty()
			.allSatisfy((tag) -> assertThat(page).contains("`" + tag.getValue() + "`"));
	}

	private static String row(Collection<Meter> meters) {
		Meter.Id id = meters.iterator().next().getId();
		String unit = (id.getBaseUnit() != null) ? " " + id.getBaseUnit() : "";
		String tags = meters.stream()
			.flatMap((meter) -> meter.getId().getTags().stream())
			.map((tag) -> "`" + tag.getKey() + "`")
			.distinct()
			.sorted()
			.collect(Collectors.joining(", "));
		return "| " + id.getName() + " | " + id.getType().name().toLowerCase(Locale.ROOT) + unit + " |"
				+ (tags.isEmpty() ? "" : " " + tags) + " | " + id.getDescription() + " |";
	}

}
