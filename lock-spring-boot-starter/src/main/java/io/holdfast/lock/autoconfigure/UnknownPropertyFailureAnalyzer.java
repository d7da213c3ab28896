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

package io.holdfast.lock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Tells of properties that do not exist where that stops the start, of those without a
 * value, and of a list with a gap. Spring Boot's own analysis prints the values,
 * passwords included.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
		List<String> unknown = cause.getUnboundProperties()
			.stream()
			.map((property) -> property.getName() + " (from " + property.getOrigin() + ")")
			.filter((name) -> name.startsWith(LockProperties.PREFIX))
			.toList();
		return unknown.isEmpty() ? null : new FailureAnalysis(
				"No such property, or it has no value: " + String.join(", ", unknown) + ".",
				"Correct its name, or remove it: docs/configuration.md lists all properties. Number the servers of "
						+ "a list from 0, without gaps.",
				cause);
	}

}
