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

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Says which methods share locks because they have a key and no name: the value alone
 * names the lock, so order 4711 and customer 4711 are one. That is the safe side, and
 * rarely meant if the keys are written differently.
 */
final class UnnamedKeys {

	private static final Log logger = LogFactory.getLog(UnnamedKeys.class);

	private UnnamedKeys() {
	}

	static void report(Collection<LockedMethod> methods) {
		List<LockedMethod> unnamed = methods.stream().filter((method) -> method.name().isEmpty()).toList();
		if (unnamed.stream().map(UnnamedKeys::keyOf).distinct().count() > 1) {
			logger
				.info("Methods with @DistributedLock that have a key and no name share their locks wherever the values "
						+ "of the keys are equal; give them names (name = \"order\") if they guard different things: "
						+ unnamed.stream()
							.map((method) -> method + " with key \"" + keyOf(method) + "\"")
							.distinct()
							.sorted()
							.collect(Collectors.joining(", ")));
		}
	}

	private static String keyOf(LockedMethod method) {
		return Objects.requireNonNullElse(method.key(), "");
	}

}
