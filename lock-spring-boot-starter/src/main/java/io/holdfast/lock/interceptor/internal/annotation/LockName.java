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

package io.holdfast.lock.interceptor.internal.annotation;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.lock.annotation.DistributedLock;

/**
 * The name that an annotation gives. It has no {@code #}: whoever writes one takes the
 * name for an expression, and would get one lock for all calls.
 */
final class LockName {

	/** What precedes the expression, and the expression, with or without braces. */
	private static final Pattern WITH_EXPRESSION = Pattern
		.compile("(?<name>[^#]*?)[-:._/\\s]*(#\\{(?<braced>[^{}]+)}|(?<plain>#\\w+(\\.\\w+(\\(\\))?)*))");

	private LockName() {
	}

	/**
	 * Returns the name, or an empty one if there is none.
	 * @param placeholders resolves placeholders in text
	 * @throws InvalidAnnotationException if it is no name
	 */
	static String of(DistributedLock annotation, UnaryOperator<String> placeholders) {
		String text = annotation.name();
		if (text.isEmpty()) {
			return "";
		}
		String name = resolve(text, placeholders);
		if (name.contains("#")) {
			throw new InvalidAnnotationException(
					"name \"" + text + "\" has a #" + (name.equals(text) ? "" : ", as it is \"" + name + "\"")
							+ ". It is plain text, not an expression, so all calls would share one lock.",
					correction(name));
		}
		return name;
	}

	private static String resolve(String text, UnaryOperator<String> placeholders) {
		try {
			String name = placeholders.apply(text);
			if (name.isBlank()) {
				throw new IllegalArgumentException("it is blank");
			}
			return name;
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidAnnotationException("name \"" + text + "\" is not valid: " + ex.getMessage() + ".",
					"Define the property, give a default (${property:orders}), or use plain text.", ex);
		}
	}

	private static String correction(String name) {
		Matcher parts = WITH_EXPRESSION.matcher(name);
		if (!parts.matches()) {
			return "Leave plain text in the name and put the expression into the key, as in name = \"order\", "
					+ "key = \"#order.id\".";
		}
		String key = (parts.group("braced") != null) ? parts.group("braced").strip() : parts.group("plain");
		String plain = parts.group("name");
		return "Write " + (plain.isEmpty() ? "" : "name = \"" + plain + "\", ") + "key = \"" + key + "\".";
	}

}
