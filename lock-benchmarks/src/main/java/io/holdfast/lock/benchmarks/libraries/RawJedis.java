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

package io.holdfast.lock.benchmarks.libraries;

import java.util.List;
import java.util.Set;
import java.util.UUID;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The limit: what a lock on Jedis cannot do without, two round trips.
 */
record RawJedis() implements Library {

	static final String COMPARE_AND_DELETE = RedisScript
		.of(new ClassPathResource("compare-and-delete.lua", RawJedis.class))
		.getScriptAsString();

	static final long LEASE_MILLIS = 30_000;

	@Override
	public String name() {
		return "raw-jedis";
	}

	@Override
	public Set<Trait> traits() {
		return Set.of();
	}

	@Override
	public long commandsSent(Calls calls) {
		return calls.of("set", "evalsha");
	}

	@Override
	public Session open(RedisAddress redis, int threads) {
		RedisClient jedis = connect(redis, threads);
		String sha = jedis.scriptLoad(COMPARE_AND_DELETE, "");
		return (key) -> {
			String owner = UUID.randomUUID().toString();
			if (jedis.set(key, owner, SetParams.setParams().nx().px(LEASE_MILLIS)) == null) {
				throw new IllegalStateException(key + " is not free");
			}
			return () -> jedis.evalsha(sha, List.of(key), List.of(owner));
		};
	}

	/**
	 * A connection for each thread.
	 */
	static RedisClient connect(RedisAddress redis, int threads) {
		GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(threads);
		pool.setMaxIdle(threads);
		return RedisClient.builder().hostAndPort(redis.host(), redis.port()).poolConfig(pool).build();
	}

}
