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

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

import io.holdfast.lock.benchmarks.libraries.Library;

/**
 * What came out of a scenario: tables of the medians of all rounds. The first measure of
 * a table is compared with those of the reference libraries in the same round.
 */
final class Results {

	private final String title;

	private final String rowHead;

	private final List<String> references;

	private final Map<String, Map<String, Map<Integer, Map<String, Double>>>> tables = new LinkedHashMap<>();

	private final Set<String> notes = new LinkedHashSet<>();

	Results(String title, String... references) {
		this("library", title, List.of(references));
	}

	private Results(String rowHead, String title, List<String> references) {
		this.title = title;
		this.rowHead = rowHead;
		this.references = references;
	}

	/**
	 * Results whose rows are not libraries.
	 */
	static Results by(String rowHead, String title) {
		return new Results(rowHead, title, List.of());
	}

	String title() {
		return this.title;
	}

	Recorder of(Library library, int round) {
		return of(library.name(), round);
	}

	/**
	 * As {@link #of(Library, int)}, for what is not a library of its own.
	 */
	Recorder of(String name, int round) {
		return (table, measures) -> this.tables.computeIfAbsent(table, (key) -> new LinkedHashMap<>())
			.computeIfAbsent(name, (key) -> new TreeMap<>())
			.put(round, measures);
	}

	void note(String note) {
		this.notes.add(note);
	}

	String markdown() {
		StringBuilder text = new StringBuilder("## ").append(this.title).append('\n');
		this.tables
			.forEach((name, rows) -> text.append('\n').append("**").append(name).append("**\n\n").append(table(rows)));
		text.append('\n');
		this.notes.forEach((note) -> text.append("- ").append(note).append('\n'));
		return text.toString();
	}

	private String table(Map<String, Map<Integer, Map<String, Double>>> rows) {
		Set<String> columns = new LinkedHashSet<>();
		rows.values().forEach((rounds) -> rounds.values().forEach((measures) -> columns.addAll(measures.keySet())));
		List<String> compared = this.references.stream().filter(rows::containsKey).toList();
		List<String> head = new ArrayList<>(columns);
		head.add(0, this.rowHead);
		head.addAll(2, compared.stream().map((reference) -> "x " + reference).toList());
		StringBuilder text = new StringBuilder(line(head)).append(line(head.stream().map((cell) -> "---").toList()));
		rows.forEach((library, rounds) -> text
			.append(line(head.stream().map((cell) -> cell(library, cell, rounds, rows)).toList())));
		return text.toString();
	}

	private static String line(List<String> cells) {
		return "| " + String.join(" | ", cells) + " |\n";
	}

	private String cell(String library, String column, Map<Integer, Map<String, Double>> rounds,
			Map<String, Map<Integer, Map<String, Double>>> rows) {
		if (column.equals(this.rowHead)) {
			return library;
		}
		if (!column.startsWith("x ")) {
			return format(
					rounds.values().stream().mapToDouble((measures) -> measures.getOrDefault(column, Double.NaN)));
		}
		Map<Integer, Map<String, Double>> reference = rows.getOrDefault(column.substring(2), Map.of());
		return format(rounds.entrySet()
			.stream()
			.filter((round) -> reference.containsKey(round.getKey()))
			.mapToDouble((round) -> first(round.getValue()) / first(reference.getOrDefault(round.getKey(), Map.of()))));
	}

	private static double first(Map<String, Double> measures) {
		return measures.isEmpty() ? Double.NaN : measures.values().iterator().next();
	}

	private static String format(DoubleStream values) {
		double[] sorted = values.filter((value) -> !Double.isNaN(value)).sorted().toArray();
		if (sorted.length == 0) {
			return "-";
		}
		double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
		if (Double.isInfinite(median)) {
			return "∞";
		}
		int decimals = (median == Math.rint(median) || median >= 100) ? 0
				: (median >= 10) ? 1 : (median >= 0.1) ? 2 : 4;
		return String.format(Locale.ROOT, "%,." + decimals + "f", median);
	}

	/**
	 * Takes what was measured of one library in one round.
	 */
	interface Recorder {

		void record(String table, Map<String, Double> measures);

	}

}
