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

import io.holdfast.lock.fixture.LockRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application says that does not start. */
final class StartUpFailures {

	private StartUpFailures() {
	}

	/**
	 * Asserts that a bean of a type stops the application because of one of its methods.
	 */
	static void assertInvalid(Class<?> type, String method, String description, String action) {
		LockRunner.create()
			.withBean("bean", type)
			.run((context) -> assertFailure(context.getStartupFailure(),
					"@DistributedLock on " + type.getName() + "." + method + ": " + description, action));
	}

	static void assertFailure(Throwable failure, String description, String action) {
		Throwable cause = failure;
		while (cause != null && !(cause instanceof InvalidLockedMethodException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("cause of %s", failure).isInstanceOf(InvalidLockedMethodException.class);
		InvalidLockedMethodException invalid = (InvalidLockedMethodException) cause;
		assertThat(invalid.description()).contains(description);
		assertThat(invalid.action()).endsWith(action);
	}

}
