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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.chaos.Servers.Copy;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a check finds that is left of a lock, as Redis has it.
 */
class ServerInspectorTests {

	private static final String PREFIX = "inspected:";

	@Test
	void holdAndPlaceAreLeft() throws Exception {
		RedisConnectionFactory connections = RedisDriver.JEDIS.connect(RedisProcess.shared());
		try (RedisLockClient holder = client(connections); RedisLockClient waiter = client(connections)) {
			StringRedisTemplate redis = new StringRedisTemplate(connections);
			Lease held = holder.acquire("a", LockOptions.defaults());
			CompletableFuture<Lease> waits = waiter
				.acquireAsync("a", LockOptions.defaults().waitTime(Duration.ofMinutes(1)))
				.toCompletableFuture();
			Awaitility.await().atMost(TestThreads.LONG).until(() -> copy(redis).fields().containsKey("head"));

			assertThat(ServerInspector.residue(copy(redis), Set.of())).isEqualTo(2);

			held.close();
			waits.join().close();
			assertThat(ServerInspector.residue(copy(redis), Set.of(holder.id(), waiter.id()))).isZero();
		}
		finally {
			RedisDriver.disconnect(connections);
		}
	}

	private static RedisLockClient client(RedisConnectionFactory connections) {
		return RedisLockClient.builder(connections).keyPrefix(PREFIX).build();
	}

	private static Copy copy(StringRedisTemplate redis) {
		Map<String, String> fields = redis.<String, String>opsForHash().entries(PREFIX + "lock:a");
		return new Copy(fields, 1000);
	}

}
