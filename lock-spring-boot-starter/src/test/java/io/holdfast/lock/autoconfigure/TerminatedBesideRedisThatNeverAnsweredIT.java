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

import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application that is told to end does not wait for a Redis that never answered. Apart
 * from {@link TerminatedBesideSilentRedisIT}, so that they run at the same time.
 */
class TerminatedBesideRedisThatNeverAnsweredIT {

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void endIsShortAlthoughRedisNeverAnswered(String driver) {
		try (RedisProcess redis = RedisProcess.start()) {
			redis.pause();
			try (JavaProcess process = TerminatedBesideSilentRedisIT.start(redis, driver)) {
				process.awaitLine("FAILS", TerminatedApplicationIT.PATIENCE);

				TerminatedBesideSilentRedisIT.assertEndsSoon(process);
			}
			finally {
				redis.resume();
			}
		}
	}

}
