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
 * Tells of a list of servers with a gap. Spring Boot's own analysis prints the values,
 * passwords included.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnboundNodesFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
		List<String> nodes = cause.getUnboundProperties()
			.stream()
			.map((property) -> property.getName().toString())
			.filter((name) -> name.startsWith(QuorumConnections.NODES))
			.toList();
		return nodes.isEmpty() ? null : new FailureAnalysis("There is a gap before " + String.join(", ", nodes) + ".",
				"Number the servers from 0, without gaps.", cause);
	}

}
