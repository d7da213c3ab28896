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

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;

import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisTopology;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * The servers of a run, and what can happen to them.
 */
abstract class Servers implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 20_000;

	private final RedisTopology topology;

	Servers(RedisTopology topology) {
		this.topology = topology;
	}

	/**
	 * Where they are, for {@link Topology#connect}.
	 */
	abstract String address();

	/**
	 * The server that a proxy can lead to, or {@code null} if clients find their own way.
	 */
	abstract @Nullable RedisProcess proxied();

	/**
	 * Those that take writes.
	 */
	abstract List<RedisProcess> masters();

	abstract Map<Fault, Nemesis> nemeses();

	/**
	 * A hash, or an empty one if nobody answers.
	 */
	Map<String, String> hash(String key) {
		try {
			return ask(this.topology.masterOf(key), (jedis) -> jedis.hgetAll(key));
		}
		catch (JedisException ex) {
			return Map.of();
		}
	}

	/**
	 * What is left of a key's life in milliseconds, -1 for ever.
	 */
	long lifetime(String key) {
		return ask(this.topology.masterOf(key), (jedis) -> jedis.pttl(key));
	}

	/**
	 * Looks at all hashes of a pattern.
	 */
	void forEachHash(String pattern, BiConsumer<String, Map<String, String>> action) {
		ScanParams params = new ScanParams().match(pattern).count(1000);
		Map<String, Map<String, String>> found = new HashMap<>();
		for (RedisProcess master : masters()) {
			ask(master, (jedis) -> {
				String cursor = ScanParams.SCAN_POINTER_START;
				do {
					ScanResult<String> page = jedis.scan(cursor, params);
					page.getResult().forEach((key) -> found.put(key, jedis.hgetAll(key)));
					cursor = page.getCursor();
				}
				while (!cursor.equals(ScanParams.SCAN_POINTER_START));
				return cursor;
			});
		}
		found.forEach(action);
	}

	private static <T> T ask(RedisProcess server, Function<Jedis, T> question) {
		try (Jedis jedis = new Jedis(server.host(), server.port(), TIMEOUT_MILLIS)) {
			return question.apply(jedis);
		}
	}

	@Override
	public void close() {
		this.topology.close();
	}

}
