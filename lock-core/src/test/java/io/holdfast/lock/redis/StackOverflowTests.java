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

package io.holdfast.lock.redis;

import java.time.Duration;
import java.util.UUID;

import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that runs out of stack inside a lock keeps nobody else from it, wherever that
 * happens.
 */
class StackOverflowTests {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	@ParameterizedTest
	@EnumSource
	void othersGetTheLockOfAThreadThatRanOutOfStack(LockType type) {
		RedisProcess server = RedisProcess.shared();
		try (JavaProcess process = JavaProcess.start("stack-overflow", StackOverflowProcess.class, server.host(),
				Integer.toString(server.port()), "stack-" + UUID.randomUUID() + ":", type.name())) {
			for (String what : new String[] { "lock", "unlock", "wait" }) {
				String[] words = process.awaitLine(what + " ", LIMIT);

				assertThat(Integer.parseInt(words[1])).as("depths at which '%s' was called", what).isGreaterThan(20);
				assertThat(words[2]).as("locks that nobody gets after '%s'", what).isEmpty();
			}
		}
	}

}
