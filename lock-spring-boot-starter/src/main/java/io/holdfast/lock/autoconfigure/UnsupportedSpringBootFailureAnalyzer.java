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

import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Tells that the libraries of an application lack what Holdfast calls. Spring Boot's own
 * analysis would only say which method that is.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnsupportedSpringBootFailureAnalyzer extends AbstractFailureAnalyzer<LinkageError> {

	static final String ACTION = "Use Spring Boot 3.5, 4.0 or 4.1 with the versions that it manages; this is Spring Boot "
			+ SpringBootVersion.getVersion() + ".";

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LinkageError cause) {
		StackTraceElement[] calls = cause.getStackTrace();
		String caller = (calls.length > 0) ? calls[0].getClassName() : "";
		return caller.startsWith("io.holdfast.lock.")
				? new FailureAnalysis("Holdfast does not work with the libraries of this application: " + caller
						+ " calls what they lack (" + cause + ").", ACTION, cause)
				: null;
	}

}
