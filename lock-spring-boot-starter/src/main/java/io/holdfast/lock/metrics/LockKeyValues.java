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

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The values that meters and observations of locks have, as text.
 */
final class LockKeyValues {

	private LockKeyValues() {
	}

	static String tag(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * What a lock is called in metrics.
	 */
	static String name(LockNameRule rule, String lockName, @Nullable String declaredName) {
		String name = (declaredName != null) ? declaredName : rule.declaredName(lockName);
		return (name != null) ? name : "unnamed";
	}

}
