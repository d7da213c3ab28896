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

package io.holdfast.lock.internal.server;

import java.util.regex.Pattern;

/**
 * Text for a log. Names of locks may come from users: none of them is to look like a line
 * of its own.
 */
public final class LogText {

	private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\u2028\\u2029]");

	private static final int MOST = 200;

	private LogText() {
	}

	/**
	 * The beginning of a text that anybody may have written, for a log.
	 */
	public static String excerpt(String text) {
		return (text.length() > MOST) ? text.substring(0, MOST) + "…" : text;
	}

	/**
	 * A text in which control characters are escaped.
	 */
	public static String onOneLine(String text) {
		return CONTROL.matcher(text).replaceAll((found) -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
	}

}
