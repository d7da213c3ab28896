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

package io.holdfast.lock.sample;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedRedisTests extends AtOnePlace {

	@Test
	void secondInstanceJoinsAndTheLastOneEndsTheServer() throws Exception {
		EmbeddedRedis first = embeddedRedis();
		String server = runId();
		EmbeddedRedis second = embeddedRedis();

		first.close();
		assertThat(runId()).isEqualTo(server);

		second.close();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !this.place.hasRedis());
	}

	@Test
	void instancesMayStartAndStopAtTheSameTime() throws Exception {
		List<EmbeddedRedis> instances = atOnce(Collections.nCopies(3, this::embeddedRedis));

		holdUpTheServer();
		atOnce(instances.stream().map((redis) -> Executors.callable(redis::close)).toList());

		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !this.place.hasRedis());
	}

	@Test
	void serverOfSomebodyElseIsLeftAlone() throws Exception {
		RedisServer foreign = RedisServer.newRedisServer().port(this.place.redisPort()).setting("save \"\"").build();
		foreign.start();
		try {
			embeddedRedis().close();

			assertThat(this.place.hasRedis()).isTrue();
		}
		finally {
			foreign.stop();
		}
	}

	private EmbeddedRedis embeddedRedis() throws IOException, InterruptedException {
		return new EmbeddedRedis(this.place.redis(), DefaultJedisClientConfig.builder().build(), this.directory);
	}

	/** So that the questions of all are there before it answers the first. */
	private void holdUpTheServer() {
		try (Jedis jedis = new Jedis(this.place.redis())) {
			jedis.clientPause(200);
		}
	}

	private static <T> List<T> atOnce(List<Callable<T>> tasks) throws InterruptedException, ExecutionException {
		ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
		try {
			List<T> results = new ArrayList<>();
			for (Future<T> result : threads.invokeAll(tasks)) {
				results.add(result.get());
			}
			return results;
		}
		finally {
			threads.shutdownNow();
		}
	}

	private String runId() {
		try (Jedis jedis = new Jedis(this.place.redis())) {
			return jedis.info("server").lines().filter((line) -> line.startsWith("run_id:")).findFirst().orElseThrow();
		}
	}

}
