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

import java.util.Set;
import java.util.UUID;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The limit on Lettuce: two round trips on one connection that all threads share.
 */
record RawLettuce() implements Library {

	@Override
	public String name() {
		return "raw-lettuce";
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
		RedisCommands<String, String> lettuce = RedisClient.create(RedisURI.create(redis.host(), redis.port()))
			.connect()
			.sync();
		String sha = lettuce.scriptLoad(RawJedis.COMPARE_AND_DELETE);
		return (key) -> {
			String owner = UUID.randomUUID().toString();
			if (lettuce.set(key, owner, SetArgs.Builder.nx().px(RawJedis.LEASE_MILLIS)) == null) {
				throw new IllegalStateException(key + " is not free");
			}
			return () -> lettuce.<Long>evalsha(sha, ScriptOutputType.INTEGER, new String[] { key }, owner);
		};
	}

}
