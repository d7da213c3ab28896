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

package io.holdfast.lock.interceptor;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The mistakes of all locked methods, each of them once: those who start an application
 * want to correct all of them before they start it again. By type and method.
 */
final class Mistakes {

	private final Map<String, InvalidLockedMethodException> mistakes = new TreeMap<>();

	void add(InvalidLockedMethodException mistake) {
		this.mistakes.putIfAbsent(mistake.description(), mistake);
	}

	int count() {
		return this.mistakes.size();
	}

	/**
	 * Returns what is asked for, or {@code null} if there is none or it is a mistake.
	 */
	<T> @Nullable T collect(Supplier<@Nullable T> question) {
		try {
			return question.get();
		}
		catch (InvalidLockedMethodException ex) {
			add(ex);
			return null;
		}
	}

	void collect(Runnable check) {
		collect(() -> {
			check.run();
			return null;
		});
	}

	/**
	 * Throws if there is a mistake.
	 * @throws InvalidLockedMethodException with all of them
	 */
	void throwIfAny() {
		if (!this.mistakes.isEmpty()) {
			throw InvalidLockedMethodException.all(List.copyOf(this.mistakes.values()));
		}
	}

}
