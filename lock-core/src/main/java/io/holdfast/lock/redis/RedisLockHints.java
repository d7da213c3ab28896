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

package io.holdfast.lock.redis;

import java.util.List;

import io.holdfast.lock.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * What a native image of an application with locks must contain although no code names
 * it: the scripts, the annotation's attributes, and what tells one line of Spring Data
 * Redis and of its drivers from another.
 */
final class RedisLockHints implements RuntimeHintsRegistrar {

	/** Classes whose absence says that a driver cannot be used. */
	private static final List<String> DRIVERS = List.of("redis.clients.jedis.Jedis",
			"org.apache.commons.pool2.impl.GenericObjectPool", "io.lettuce.core.RedisClient");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/holdfast/lock/internal/*/*.lua");
		hints.reflection().registerType(DistributedLock.class, MemberCategory.INVOKE_DECLARED_METHODS);
		// Annotations that have @DistributedLock themselves are merged into such a proxy.
		hints.proxies().registerJdkProxy(DistributedLock.class);
		registerDrivers(hints.reflection(), classLoader);
	}

	private static void registerDrivers(ReflectionHints hints, @Nullable ClassLoader classLoader) {
		DRIVERS.forEach((type) -> hints.registerTypeIfPresent(classLoader, type));
		hints.registerTypeIfPresent(classLoader,
				"org.springframework.data.redis.connection.jedis.JedisConnectionFactory", (type) -> type
					.withMethod("setUseUnifiedJedis", List.of(TypeReference.of(boolean.class)), ExecutableMode.INVOKE));
	}

}
