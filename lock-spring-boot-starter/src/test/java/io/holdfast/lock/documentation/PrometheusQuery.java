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

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an expression of Prometheus asks for, as far as those of ours need it.
 *
 * @param text the expression
 * @param selectors the metrics that it asks for; also what is mistaken for one, such as a
 * function without brackets
 * @param groups the labels that are left of them
 */
record PrometheusQuery(String text, List<Selector> selectors, Set<String> groups) {

	private static final String NAME = "[a-zA-Z_:][\\w:]*";

	/**
	 * A grouping, what is skipped, or else a metric.
	 */
	private static final Pattern TOKEN = Pattern.compile("(?:[a-z_]+\\s+)?\\bby\\s*\\(([^)]*)\\)"
			+ "|\\[[^]]*]|\\bon\\s*\\([^)]*\\)|\\boffset\\s+\\$?\\w+|\\b(?:or|and|unless)\\b|\\b\\d[\\w.]*|" + NAME
			+ "\\s*\\(|(" + NAME + ")(?:\\{([^}]*)})?");

	private static final Pattern CONDITION = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

	static PrometheusQuery parse(String text) {
		List<Selector> selectors = new ArrayList<>();
		Set<String> groups = new LinkedHashSet<>();
		Matcher token = TOKEN.matcher(text);
		while (token.find()) {
			if (token.group(1) != null) {
				groups.addAll(List.of(token.group(1).trim().split("\\s*,\\s*")));
			}
			else if (token.group(2) != null) {
				selectors.add(new Selector(token.group(2), conditions((token.group(3) != null) ? token.group(3) : "")));
			}
		}
		return new PrometheusQuery(text, selectors, groups);
	}

	private static List<Condition> conditions(String text) {
		return CONDITION.matcher(text)
			.results()
			.map((each) -> new Condition(each.group(1), each.group(2).endsWith("~"), each.group(3)))
			.toList();
	}

	/**
	 * A metric of which the query asks for all that meets some conditions.
	 */
	record Selector(String metric, List<Condition> conditions) {

	}

	/**
	 * A value that a label must have, or must not have.
	 *
	 * @param label the label
	 * @param pattern whether the value is a regular expression
	 * @param value the value
	 */
	record Condition(String label, boolean pattern, String value) {

	}

}
