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

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisProcess;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * The servers of a run, and what can happen to them.
 */
abstract class Servers implements AutoCloseable {

	private static final int TIMEOUT_MILLIS = 20_000;

	/**
	 * Those that clients are told of.
	 */
	abstract List<RedisProcess> entrances();

	/**
	 * Whether proxies can lead to those; if not, clients find their own way.
	 */
	boolean takesProxies() {
		return false;
	}

	/**
	 * Those that take writes.
	 */
	abstract List<RedisProcess> masters();

	/**
	 * Those of them that take the writes of a key.
	 */
	abstract List<RedisProcess> serversOf(String key);

	abstract Map<Fault, Nemesis> nemeses();

	/**
	 * Where they are, for {@link Topology#connect}.
	 */
	String address() {
		return entrances().stream().map(Servers::address).collect(Collectors.joining(","));
	}

	/**
	 * Where they are for a client that reaches each of them through a proxy.
	 */
	static String address(List<FaultProxy> proxies) {
		return proxies.stream().map((each) -> each.host() + ":" + each.port()).collect(Collectors.joining(","));
	}

	private static String address(RedisProcess server) {
		return server.host() + ":" + server.port();
	}

	/**
	 * A hash as one of those has it that answer, or an empty one.
	 */
	Map<String, String> hash(String key) {
		try {
			for (RedisProcess server : serversOf(key)) {
				if (server.answers()) {
					return ask(server, (jedis) -> jedis.hgetAll(key));
				}
			}
		}
		catch (JedisException | NoSuchElementException ex) {
			// It has just failed, or nobody is its master.
		}
		return Map.of();
	}

	/**
	 * All that there is of a hash.
	 */
	List<Copy> copies(String key) {
		return serversOf(key).stream()
			.map((server) -> ask(server, (jedis) -> new Copy(jedis.hgetAll(key), jedis.pttl(key))))
			.toList();
	}

	/**
	 * Looks at all hashes of a pattern, on each server that has them.
	 */
	void forEachHash(String pattern, BiConsumer<String, Map<String, String>> action) {
		ScanParams params = new ScanParams().match(pattern).count(1000);
		for (RedisProcess master : masters()) {
			ask(master, (jedis) -> {
				String cursor = ScanParams.SCAN_POINTER_START;
				do {
					ScanResult<String> page = jedis.scan(cursor, params);
					page.getResult().forEach((key) -> action.accept(key, jedis.hgetAll(key)));
					cursor = page.getCursor();
				}
				while (!cursor.equals(ScanParams.SCAN_POINTER_START));
				return cursor;
			});
		}
	}

	private static <T> T ask(RedisProcess server, Function<Jedis, T> question) {
		try (Jedis jedis = new Jedis(server.host(), server.port(), TIMEOUT_MILLIS)) {
			return question.apply(jedis);
		}
	}

	@Override
	public abstract void close();

	/**
	 * A hash on one server.
	 *
	 * @param fields what is in it
	 * @param lifetime what is left of its life in milliseconds, -1 for ever
	 */
	record Copy(Map<String, String> fields, long lifetime) {
	}

}
