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

package io.holdfast.lock.documentation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an application tells Prometheus.
 *
 * @param labels the labels of each metric, and their values
 */
record PrometheusScrape(Map<String, Map<String, Set<String>>> labels) {

	/**
	 * Labels that Prometheus adds.
	 */
	private static final Set<String> ADDED = Set.of("job", "instance");

	private static final Pattern SAMPLE = Pattern.compile("^(\\w+)(?:\\{(.*)})? \\S+", Pattern.MULTILINE);

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

	static PrometheusScrape parse(String text) {
		Map<String, Map<String, Set<String>>> labels = new HashMap<>();
		SAMPLE.matcher(text).results().forEach((sample) -> {
			Map<String, Set<String>> ofMetric = labels.computeIfAbsent(sample.group(1), (metric) -> new HashMap<>());
			if (sample.group(2) != null) {
				LABEL.matcher(sample.group(2)).results().forEach((label) -> add(ofMetric, label));
			}
		});
		return new PrometheusScrape(labels);
	}

	private static void add(Map<String, Set<String>> labels, MatchResult label) {
		labels.computeIfAbsent(label.group(1), (name) -> new HashSet<>()).add(label.group(2));
	}

	/**
	 * Asserts that all is there for which a query asks.
	 */
	void assertAnswers(PrometheusQuery query) {
		assertThat(query.selectors()).as(query.text()).isNotEmpty();
		for (PrometheusQuery.Selector selector : query.selectors()) {
			assertThat(this.labels.keySet()).as(query.text()).contains(selector.metric());
			// Others are joined by the labels that Prometheus adds.
			if (selector.metric().startsWith("holdfast_")) {
				query.groups().forEach((label) -> assertHas(selector.metric(), label));
			}
			selector.conditions().forEach((condition) -> assertHas(selector.metric(), condition));
		}
	}

	private void assertHas(String metric, String label) {
		assertThat(ADDED.contains(label) || this.labels.get(metric).containsKey(label)).as(metric + " has " + label)
			.isTrue();
	}

	private void assertHas(String metric, PrometheusQuery.Condition condition) {
		assertHas(metric, condition.label());
		if (!condition.pattern()) {
			assertThat(this.labels.get(metric).get(condition.label())).as(metric).contains(condition.value());
		}
	}

}
