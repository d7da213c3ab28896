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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What locks are called in metrics and observations: about 100 names at most, as a
 * registry keeps what it has for a name as long as it lives. Those that come later are
 * {@code other}. Thread-safe.
 */
final class LockNames {

	static final int MOST = 100;

	private static final String OTHER = "other";

	private static final Log logger = LogFactory.getLog(LockNames.class);

	private final LockNameRule rule;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	LockNames(LockNameRule rule) {
		this.rule = rule;
	}

	String of(String lockName, @Nullable String declaredName) {
		String name = (declaredName != null) ? declaredName : this.rule.declaredName(lockName);
		if (name == null) {
			return "unnamed";
		}
		if (this.known.contains(name) || (this.known.size() < MOST && this.known.add(name))) {
			return name;
		}
		if (this.known.add(OTHER)) {
			logger.warn("Locks have " + MOST + " declared names; in metrics all further ones, such as '"
					+ LimitedLog.onOneLine(name) + "', are '" + OTHER
					+ "'. Declare few names that stand in the source code, without keys in them.");
		}
		return OTHER;
	}

	static String tag(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
