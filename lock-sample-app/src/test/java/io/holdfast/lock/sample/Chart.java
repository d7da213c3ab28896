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

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Series over time in a panel, as lines, or as areas or bars that are stacked.
 */
final class Chart {

	private static final int LINES = 2;

	private final Svg svg;

	private final Instant from;

	private final Instant to;

	private final double left;

	private final double right;

	private final double top;

	private final double bottom;

	/**
	 * Create a chart in a panel, below its title.
	 */
	Chart(Svg svg, Instant from, Instant to, DashboardPicture.Box panel) {
		this.svg = svg;
		this.from = from;
		this.to = to;
		this.left = panel.x() + 56;
		this.right = panel.x() + panel.width() - 16;
		this.top = panel.y() + 36;
		this.bottom = panel.y() + panel.height() - 44;
	}

	void draw(List<Series> series, String unit, Kind kind, Duration step) {
		List<NavigableMap<Long, Span>> spans = spans(series, kind != Kind.LINES);
		double scale = ceiling(
				spans.stream().flatMap((each) -> each.values().stream()).mapToDouble(Span::upper).max().orElse(0));
		axes(scale, unit);
		for (int i = 0; i < spans.size(); i++) {
			switch (kind) {
				case LINES -> line(spans.get(i), scale, Svg.colour(i), step);
				case AREAS -> area(spans.get(i), scale, Svg.colour(i));
				case BARS -> bars(spans.get(i), scale, Svg.colour(i), step);
			}
		}
		legend(series, kind);
	}

	private static List<NavigableMap<Long, Span>> spans(List<Series> series, boolean stacked) {
		List<NavigableMap<Long, Span>> spans = new ArrayList<>();
		Map<Long, Double> sums = new HashMap<>();
		for (Series each : series) {
			NavigableMap<Long, Span> ofSeries = new TreeMap<>();
			each.values().forEach((time, value) -> {
				double lower = stacked ? sums.getOrDefault(time, 0.0) : 0;
				ofSeries.put(time, new Span(lower, lower + value));
				sums.put(time, lower + value);
			});
			spans.add(ofSeries);
		}
		return spans;
	}

	/** The next number with a single digit 1, 2 or 5. */
	private static double ceiling(double value) {
		if (value <= 0) {
			return 1;
		}
		double power = Math.pow(10, Math.floor(Math.log10(value)));
		for (int digit : new int[] { 1, 2, 5 }) {
			if (value <= digit * power) {
				return digit * power;
			}
		}
		return 10 * power;
	}

	private void axes(double scale, String unit) {
		for (int i = 0; i <= LINES; i++) {
			double value = scale * i / LINES;
			double y = y(value, scale);
			this.svg.path("grid", "M%s %sH%s".formatted(Svg.number(this.left), Svg.number(y), Svg.number(this.right)));
			this.svg.text("small end", this.left - 6, y + 4, DashboardPicture.format(value, unit));
		}
		long length = Duration.between(this.from, this.to).toSeconds();
		for (long seconds = 0; seconds <= length; seconds += 60) {
			this.svg.text("small", x(this.from.getEpochSecond() + seconds), this.bottom + 15, (seconds / 60) + " min");
		}
	}

	/** With gaps where nothing was scraped. */
	private void line(NavigableMap<Long, Span> spans, double scale, int colour, Duration step) {
		StringBuilder path = new StringBuilder();
		long previous = Long.MIN_VALUE / 2;
		for (Map.Entry<Long, Span> point : spans.entrySet()) {
			path.append((point.getKey() - previous > step.toSeconds()) ? "M" : "L")
				.append(at(point.getKey(), point.getValue().upper(), scale));
			previous = point.getKey();
		}
		this.svg.path("line" + colour, path.toString());
	}

	private void area(NavigableMap<Long, Span> spans, double scale, int colour) {
		List<String> corners = new ArrayList<>();
		spans.forEach((time, span) -> corners.add(at(time, span.upper(), scale)));
		spans.descendingMap().forEach((time, span) -> corners.add(at(time, span.lower(), scale)));
		if (!corners.isEmpty()) {
			this.svg.path("area" + colour, "M" + String.join("L", corners) + "Z");
		}
	}

	/** Each of them of the time before its moment. */
	private void bars(NavigableMap<Long, Span> spans, double scale, int colour, Duration step) {
		spans.forEach((time, span) -> {
			double start = x(Math.max(time - step.toSeconds(), this.from.getEpochSecond()));
			if (span.upper() > span.lower() && start < x(time)) {
				this.svg.rectangle("bar" + colour, start, y(span.upper(), scale), x(time) - start - 1,
						y(span.lower(), scale) - y(span.upper(), scale));
			}
		});
	}

	/** Of what there is to see, as a panel is too narrow for all names. */
	private void legend(List<Series> series, Kind kind) {
		double x = this.left - 40;
		double y = this.bottom + 34;
		boolean anything = series.stream().anyMatch(Series::isVisible);
		for (int i = 0; i < series.size(); i++) {
			if (anything && !series.get(i).isVisible()) {
				continue;
			}
			double width = 36 + 6.2 * series.get(i).name().length();
			if (x + width > this.right + 15) {
				this.svg.text("small", x, y, "…");
				break;
			}
			int colour = Svg.colour(i);
			if (kind == Kind.LINES) {
				this.svg.path("line" + colour, "M%s %sh18".formatted(Svg.number(x), Svg.number(y - 4)));
			}
			else {
				this.svg.rectangle(((kind == Kind.BARS) ? "bar" : "area") + colour, x, y - 9, 18, 10);
			}
			this.svg.text("small", x + 23, y, series.get(i).name());
			x += width;
		}
	}

	private String at(long time, double value, double scale) {
		return Svg.number(x(time)) + " " + Svg.number(y(value, scale));
	}

	private double x(long time) {
		return this.left + (this.right - this.left) * (time - this.from.getEpochSecond()) / length();
	}

	private double length() {
		return Math.max(1, Duration.between(this.from, this.to).toSeconds());
	}

	private double y(double value, double scale) {
		return this.bottom - (this.bottom - this.top) * value / scale;
	}

	/** How a chart looks. */
	enum Kind {

		LINES, AREAS, BARS

	}

	/** What is drawn of a series at a moment. */
	private record Span(double lower, double upper) {

	}

	/**
	 * What is drawn.
	 *
	 * @param name of the legend
	 * @param values by time in seconds
	 */
	record Series(String name, NavigableMap<Long, Double> values) {

		boolean isVisible() {
			return this.values.values().stream().anyMatch((value) -> value > 0);
		}

	}

}
