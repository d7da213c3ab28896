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

package io.holdfast.lock.host;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with caches that had no Redis before.
 */
class CacheHostTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class);

	@Test
	void cachesMoveToRedis() {
		this.runner
			.run((context) -> assertThat(context.getBean(CacheManager.class)).isInstanceOf(RedisCacheManager.class));
	}

	@Test
	void cachesStayWhereTheApplicationSays() {
		this.runner.withPropertyValues("spring.cache.type=simple")
			.run((context) -> assertThat(context.getBean(CacheManager.class))
				.isInstanceOf(ConcurrentMapCacheManager.class));
	}

	@Test
	void cachesStayWithTheApplicationsOwnCacheManager() {
		this.runner.withBean(CacheManager.class, () -> new ConcurrentMapCacheManager("orders"))
			.run((context) -> assertThat(context.getBean(CacheManager.class))
				.isInstanceOf(ConcurrentMapCacheManager.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableCaching
	static class Application {

	}

}
