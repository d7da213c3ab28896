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

import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A quorum without {@code lock-quorum}, which is not on the core's own class path. */
class QuorumJarTests {

	@Test
	void quorumWithoutItsJarNamesTheJar() {
		List<RedisConnectionFactory> servers = Collections.nCopies(3, new LettuceConnectionFactory());

		assertThatIllegalStateException().isThrownBy(() -> RedisLockClient.quorum(servers))
			.withMessageContaining("io.holdfast:lock-quorum");
	}

}
