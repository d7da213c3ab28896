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

import java.time.Duration;

import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that is told to end does not wait for a Redis that does not answer any
 * more.
 */
class TerminatedBesideSilentRedisIT {

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void endIsShortAlthoughRedisDoesNotAnswer(String driver) {
		try (RedisProcess redis = RedisProcess.start()) {
			try (JavaProcess process = start(redis, driver)) {
				process.awaitLine("HOLDS", TerminatedApplicationIT.PATIENCE);
				redis.pause();

				assertEndsSoon(process);
			}
			finally {
				redis.resume();
			}
		}
	}

	static JavaProcess start(RedisProcess redis, String driver) {
		return TerminatedApplicationIT.start(redis, "a:", "--spring.data.redis.client-type=" + driver);
	}

	static void assertEndsSoon(JavaProcess process) {
		long start = System.nanoTime();

		process.terminate();

		process.end(TerminatedApplicationIT.PATIENCE);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TerminatedApplicationIT.SOON);
	}

}
