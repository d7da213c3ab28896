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

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Lock4j's template on Jedis, with default settings: polls every 100 ms. Its wait has a
 * limit, so this asks again. Renews only if the lease is negative.
 *
 * @param renewing whether to renew
 */
record Lock4jLibrary(boolean renewing) implements Library {

	private static final long RENEWING = -1;

	@Override
	public String name() {
		return this.renewing ? "lock4j-renewing" : "lock4j";
	}

	@Override
	public Set<Trait> traits() {
		return this.renewing ? Set.of(Trait.RENEWS, Trait.ONLY_RENEWS) : Set.of(Trait.WAITS);
	}

	@Override
	public Session open(RedisAddress redis, int threads) {
		Lock4jProperties properties = new Lock4jProperties();
		StringRedisTemplate redisTemplate = new StringRedisTemplate(SpringDriver.JEDIS.connect(redis, threads));
		LockTemplate template = new LockTemplate();
		template.setProperties(properties);
		template.setExecutors(List.of(new RedisTemplateLockExecutor(redisTemplate, properties)));
		try {
			template.afterPropertiesSet();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
		long lease = this.renewing ? RENEWING : properties.getExpire();
		return (key) -> {
			LockInfo lock = template.lock(key, lease, properties.getAcquireTimeout());
			while (lock == null) {
				lock = template.lock(key, lease, properties.getAcquireTimeout());
			}
			LockInfo held = lock;
			return () -> template.releaseLock(held);
		};
	}

}
