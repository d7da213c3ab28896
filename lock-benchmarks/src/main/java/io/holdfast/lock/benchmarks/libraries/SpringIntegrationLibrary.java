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
import java.util.Set;
import java.util.concurrent.locks.Lock;

import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's lock registry on Jedis. Renews only if it is given a scheduler.
 *
 * @param type how it waits
 * @param renewing whether to renew
 */
record SpringIntegrationLibrary(RedisLockType type, boolean renewing) implements Library {

	@Override
	public String name() {
		if (this.renewing) {
			return "spring-renewing";
		}
		return (this.type == RedisLockType.SPIN_LOCK) ? "spring-spin" : "spring-pubsub";
	}

	@Override
	public Set<Trait> traits() {
		return this.renewing ? Set.of(Trait.RENEWS, Trait.ONLY_RENEWS) : Set.of(Trait.WAITS, Trait.NESTS);
	}

	@Override
	public Session open(RedisAddress redis, int threads) {
		RedisLockRegistry registry = registry(redis, threads);
		registry.setRedisLockType(this.type);
		return (key) -> {
			Lock lock = registry.obtain(key);
			lock.lock();
			return lock::unlock;
		};
	}

	private RedisLockRegistry registry(RedisAddress redis, int threads) {
		if (!this.renewing) {
			return new RedisLockRegistry(SpringDriver.JEDIS.connect(redis, threads), "benchmark");
		}
		RedisLockRegistry registry = new RedisLockRegistry(SpringDriver.JEDIS.connect(redis, threads), "benchmark",
				Duration.ofMillis(RawJedis.LEASE_MILLIS));
		registry.setCacheCapacity(1_000_000);
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(4);
		scheduler.setDaemon(true);
		scheduler.initialize();
		registry.setRenewalTaskScheduler(scheduler);
		return registry;
	}

}
