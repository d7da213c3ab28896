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

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.Executors;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;

/**
 * ShedLock's provider on Jedis. Never waits, and unlocks by a plain {@code DEL}, without
 * a look at the owner, unless told otherwise. Renews only inside its keep-alive provider.
 *
 * @param keepAlive whether to renew
 */
record ShedLockLibrary(boolean keepAlive) implements Library {

	private static final Duration LEASE = Duration.ofMillis(RawJedis.LEASE_MILLIS);

	@Override
	public String name() {
		return this.keepAlive ? "shedlock-renewing" : "shedlock";
	}

	@Override
	public Set<Trait> traits() {
		return this.keepAlive ? Set.of(Trait.RENEWS, Trait.ONLY_RENEWS) : Set.of();
	}

	@Override
	public long commandsSent(Calls calls) {
		return calls.of("set", "del");
	}

	@Override
	public Session open(RedisAddress redis, int threads) {
		RedisLockProvider direct = new RedisLockProvider(SpringDriver.JEDIS.connect(redis, threads));
		LockProvider provider = this.keepAlive ? new KeepAliveLockProvider(direct, Executors.newScheduledThreadPool(4))
				: direct;
		return (key) -> {
			SimpleLock lock = provider.lock(new LockConfiguration(Instant.now(), key, LEASE, Duration.ZERO))
				.orElseThrow(() -> new IllegalStateException(key + " is not free"));
			return lock::unlock;
		};
	}

}
