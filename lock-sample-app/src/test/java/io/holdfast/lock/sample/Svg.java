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

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/**
 * An SVG in the making, light or dark as its reader prefers.
 */
final class Svg {

	/** Of series, the first one first; and the same in the dark. */
	private static final String[][] COLOURS = { { "#0969da", "#4493f8" }, { "#bc4c00", "#f0883e" },
			{ "#1a7f37", "#3fb950" }, { "#8250df", "#ab7df8" }, { "#cf222e", "#f85149" }, { "#1b7c83", "#39c5cf" },
			{ "#9a6700", "#d29922" }, { "#6e7781", "#9198a1" } };

	private static final String[] DASHES = { "none", "7 3", "2 3", "9 3 2 3" };

	private final StringBuilder content = new StringBuilder();

	/** Which colour the series with an index has. */
	static int colour(int series) {
		return series % COLOURS.length;
	}

	void rectangle(String style, double x, double y, double width, double height) {
		add("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>".formatted(style, number(x), number(y),
				number(width), number(height)));
	}

	void path(String style, String data) {
		add("<path class=\"%s\" d=\"%s\"/>".formatted(style, data));
	}

	void text(String style, double x, double y, String text) {
		add("<text class=\"%s\" x=\"%s\" y=\"%s\">%s</text>".formatted(style, number(x), number(y),
				text.replace("&", "&amp;").replace("<", "&lt;")));
	}

	private void add(String element) {
		this.content.append("\t").append(element).append("\n");
	}

	String draw(int width, int height, String title) {
		return """
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img" aria-labelledby="title">
					<title id="title">%3$s</title>
					<style>
						text { font: 12px sans-serif; fill: #1f2328 }
						.title { font-weight: 600 }
						.small { font-size: 11px; fill: #59636e }
						.big { font-size: 30px; font-weight: 600 }
						.end { text-anchor: end }
						.page { fill: #f6f8fa }
						.panel { fill: #ffffff; stroke: #d0d7de }
						.grid { stroke: #d0d7de; fill: none }
						.green { fill: #1a7f37 } .orange { fill: #9a6700 } .red { fill: #cf222e }
						%4$s
						@media (prefers-color-scheme: dark) {
							text { fill: #e6edf3 }
							.small { fill: #9198a1 }
							.page { fill: #0d1117 }
							.panel { fill: #161b22; stroke: #3d444d }
							.grid { stroke: #3d444d }
							.green { fill: #3fb950 } .orange { fill: #d29922 } .red { fill: #f85149 }
							%5$s
						}
					</style>
				%6$s</svg>
				"""
			.formatted(width, height, title, styles(0), styles(1), this.content);
	}

	private static String styles(int scheme) {
		StringBuilder styles = new StringBuilder();
		for (int i = 0; i < COLOURS.length; i++) {
			String colour = COLOURS[i][scheme];
			styles.append(".line%d { stroke: %s; stroke-width: 2; stroke-dasharray: %s; fill: none } ".formatted(i,
					colour, DASHES[i % DASHES.length]));
			styles
				.append(".area%d { fill: %s; fill-opacity: 0.6 } .bar%d { fill: %s } ".formatted(i, colour, i, colour));
		}
		return styles.toString().strip();
	}

	/** With at most one digit behind the point, as more cannot be seen. */
	static String number(double value) {
		return format("0.#", value);
	}

	static String format(String pattern, double value) {
		return new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
	}

}
