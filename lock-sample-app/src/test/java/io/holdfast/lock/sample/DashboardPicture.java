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
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Draws the Grafana dashboard of the documentation without Grafana: its panels, with what
 * a Prometheus answers to their queries.
 */
final class DashboardPicture {

	private static final int COLUMN = 50;

	private static final int COLUMNS = 24;

	private static final int ROW = 28;

	private static final int MOST_ROWS = 6;

	/** Four scrapes at least, as Grafana has it. */
	private static final Duration RATE_INTERVAL = Duration.ofSeconds(10);

	private static final Duration STEP = Duration.ofSeconds(2);

	private final Prometheus prometheus;

	private final Instant from;

	private final Instant to;

	private final Svg svg = new Svg();

	DashboardPicture(Prometheus prometheus, Instant from, Instant to) {
		this.prometheus = prometheus;
		this.from = from;
		this.to = to;
	}

	String draw() throws IOException {
		JsonNode dashboard = JsonMapper.shared()
			.readTree(Files.readString(Prometheus.FILES.resolve("grafana-dashboard.json")));
		int height = ROW * dashboard.get("panels")
			.valueStream()
			.mapToInt((panel) -> panel.at("/gridPos/y").asInt() + panel.at("/gridPos/h").asInt())
			.max()
			.orElseThrow();
		this.svg.rectangle("page", 0, 0, COLUMN * COLUMNS, height);
		dashboard.get("panels").forEach(this::panel);
		return this.svg.draw(COLUMN * COLUMNS, height,
				"The panels of the Grafana dashboard, drawn from a run of the sample");
	}

	private void panel(JsonNode panel) {
		JsonNode place = panel.get("gridPos");
		Box box = new Box(COLUMN * place.get("x").asInt() + 3.0, ROW * place.get("y").asInt() + 3.0,
				COLUMN * place.get("w").asInt() - 6.0, ROW * place.get("h").asInt() - 6.0);
		this.svg.rectangle("panel", box.x(), box.y(), box.width(), box.height());
		this.svg.text("title", box.x() + 12, box.y() + 21, panel.get("title").asString());
		switch (panel.get("type").asString()) {
			case "stat" -> stat(panel, box);
			case "table" -> table(panel, box);
			case "timeseries" -> chart(panel, box);
			default -> throw new IllegalStateException("Unknown type of " + panel.get("title"));
		}
	}

	private void stat(JsonNode panel, Box box) {
		JsonNode answer = this.prometheus.query(resolve(panel.at("/targets/0/expr").asString()), this.to);
		JsonNode defaults = panel.at("/fieldConfig/defaults");
		double value = answer.isEmpty() ? 0 : number(answer.get(0).get("value"));
		String colour = "";
		for (JsonNode step : defaults.at("/thresholds/steps")) {
			if (step.get("value").isNull() || value >= step.get("value").asDouble()) {
				colour = step.get("color").asString();
			}
		}
		String unit = defaults.get("unit").asString();
		String pattern = (defaults.get("decimals").asInt() == 0) ? "0" : "0.0";
		this.svg.text("big " + colour, box.x() + 12, box.y() + 72,
				Svg.format(pattern, value) + (unit.equals("s") ? " s" : ""));
	}

	private void chart(JsonNode panel, Box box) {
		JsonNode look = panel.at("/fieldConfig/defaults/custom");
		Chart.Kind kind = look.get("drawStyle").asString().equals("bars") ? Chart.Kind.BARS
				: look.has("stacking") ? Chart.Kind.AREAS : Chart.Kind.LINES;
		Duration step = (kind == Chart.Kind.BARS) ? RATE_INTERVAL : STEP;
		List<Chart.Series> series = new ArrayList<>();
		for (JsonNode target : panel.get("targets")) {
			String legend = target.get("legendFormat").asString();
			for (JsonNode each : this.prometheus.query(resolve(target.get("expr").asString()), this.from, this.to,
					step)) {
				series.add(series(legend, each));
			}
		}
		new Chart(this.svg, this.from, this.to, box).draw(series, panel.at("/fieldConfig/defaults/unit").asString(),
				kind, step);
	}

	private static Chart.Series series(String legend, JsonNode answer) {
		String name = legend;
		for (Map.Entry<String, JsonNode> label : answer.get("metric").properties()) {
			name = name.replace("{{" + label.getKey() + "}}", label.getValue().asString());
		}
		TreeMap<Long, Double> values = new TreeMap<>();
		for (JsonNode sample : answer.get("values")) {
			if (Double.isFinite(number(sample))) {
				values.put(sample.get(0).asLong(), number(sample));
			}
		}
		return new Chart.Series(name, values);
	}

	private void table(JsonNode panel, Box box) {
		List<Column> columns = columns(panel);
		String sorted = panel.at("/options/sortBy/0/displayName").asString();
		Column first = columns.stream().filter((column) -> column.title().equals(sorted)).findFirst().orElseThrow();
		List<Map<String, JsonNode>> rows = rows(panel);
		rows.sort(Comparator.comparingDouble((row) -> -first.number(row)));
		double width = (box.width() - 24) / columns.size();
		for (int i = 0; i < columns.size(); i++) {
			Column column = columns.get(i);
			String style = column.isLabel() ? "" : "end";
			double x = box.x() + 12 + width * (column.isLabel() ? i : i + 1);
			this.svg.text("small " + style, x, box.y() + 44, column.title());
			for (int row = 0; row < Math.min(MOST_ROWS, rows.size()); row++) {
				this.svg.text(style, x, box.y() + 66 + 20 * row, column.text(rows.get(row)));
			}
		}
	}

	private static List<Column> columns(JsonNode panel) {
		JsonNode transformations = panel.get("transformations");
		JsonNode options = transformations.get(transformations.size() - 1).get("options");
		return options.get("indexByName")
			.properties()
			.stream()
			.sorted(Comparator.comparingInt((field) -> field.getValue().asInt()))
			.map(Map.Entry::getKey)
			.map((field) -> column(panel, field, options.get("renameByName").path(field).asString(field)))
			.toList();
	}

	private static Column column(JsonNode panel, String field, String title) {
		return new Column(field, title,
				panel.at("/fieldConfig/overrides")
					.valueStream()
					.filter((override) -> override.at("/matcher/options").asString().equals(title))
					.map((override) -> override.at("/properties/0/value").asString())
					.findFirst()
					.orElse("short"));
	}

	/** The values by their fields, and the labels. */
	private List<Map<String, JsonNode>> rows(JsonNode panel) {
		Map<String, Map<String, JsonNode>> rows = new LinkedHashMap<>();
		for (JsonNode target : panel.get("targets")) {
			String field = (panel.get("targets").size() > 1) ? "Value #" + target.get("refId").asString() : "Value";
			for (JsonNode each : this.prometheus.query(resolve(target.get("expr").asString()), this.to)) {
				Map<String, JsonNode> row = rows.computeIfAbsent(each.get("metric").toString(),
						(metric) -> new LinkedHashMap<>());
				each.get("metric").forEachEntry(row::put);
				row.put(field, each.get("value").get(1));
			}
		}
		return new ArrayList<>(rows.values());
	}

	/** Puts in what Grafana does. */
	private String resolve(String expression) {
		return expression.replace("$__rate_interval", RATE_INTERVAL.toSeconds() + "s")
			.replace("$__range", Duration.between(this.from, this.to).toSeconds() + "s")
			.replaceAll("\\$(job|instance|name)\\b", ".*");
	}

	private static double number(JsonNode sample) {
		String value = sample.get(1).asString();
		return Double.parseDouble(value.replace("Inf", "Infinity"));
	}

	static String format(double value, String unit) {
		if (unit.equals("s") && value > 0 && value < 1) {
			return Svg.format((value < 0.01) ? "0.#" : "0", value * 1000) + " ms";
		}
		return Svg.format("0.##", value) + (unit.equals("s") ? " s" : unit.equals("ops") ? "/s" : "");
	}

	/** A column of a table: a label, or a value. */
	private record Column(String field, String title, String unit) {

		boolean isLabel() {
			return !this.field.startsWith("Value");
		}

		double number(Map<String, JsonNode> row) {
			return row.containsKey(this.field) ? Double.parseDouble(row.get(this.field).asString()) : 0;
		}

		String text(Map<String, JsonNode> row) {
			if (!row.containsKey(this.field)) {
				return "";
			}
			return isLabel() ? row.get(this.field).asString() : format(number(row), this.unit);
		}

	}

	/**
	 * Where a panel is.
	 */
	record Box(double x, double y, double width, double height) {

	}

}
