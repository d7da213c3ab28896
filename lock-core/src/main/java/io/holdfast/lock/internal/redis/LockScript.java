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

package io.holdfast.lock.internal.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The Lua scripts: resources beside this class, in which a line {@code --#include file}
 * stands for the text of that file.
 */
public final class LockScript {

	private static final String INCLUDE = "--#include ";

	public static final RedisScript<String> ACQUIRE = line(LockScript.class, "lock-acquire.lua");

	public static final RedisScript<String> RELEASE = line(LockScript.class, "lock-release.lua");

	static final RedisScript<String> DOWNGRADE = line(LockScript.class, "lock-downgrade.lua");

	/** Acquires and releases, one or many at once. */
	public static final RedisScript<List<?>> REQUESTS = list(LockScript.class, "lock-requests.lua");

	public static final RedisScript<List<?>> RENEW = list(LockScript.class, "lock-renew.lua");

	public static final RedisScript<List<?>> EVICT = list(LockScript.class, "lock-evict.lua");

	static final RedisScript<List<?>> LIST = list(LockScript.class, "lock-list.lua");

	static final RedisScript<List<?>> DESCRIBE = list(LockScript.class, "lock-describe.lua");

	static final RedisScript<List<?>> QUEUE = list(LockScript.class, "lock-queue.lua");

	static final RedisScript<List<?>> SESSION = list(LockScript.class, "lock-session.lua");

	static final RedisScript<List<?>> LOOK = list(LockScript.class, "lock-look.lua");

	static final RedisScript<List<?>> ECHO = list(LockScript.class, "lock-echo.lua");

	private LockScript() {
	}

	/**
	 * Reads a script that answers with a line.
	 * @param home the class beside which it is; what it includes is there or here
	 */
	public static RedisScript<String> line(Class<?> home, String file) {
		return new DefaultRedisScript<>(read(home, file), String.class);
	}

	/**
	 * Reads a script that answers with a list.
	 * @param home the class beside which it is; what it includes is there or here
	 */
	@SuppressWarnings("unchecked")
	public static RedisScript<List<?>> list(Class<?> home, String file) {
		return new DefaultRedisScript<>(read(home, file), (Class<List<?>>) (Class<?>) List.class);
	}

	private static String read(Class<?> home, String file) {
		Class<?> place = (home.getResource(file) != null) ? home : LockScript.class;
		try {
			return new ClassPathResource(file, place).getContentAsString(StandardCharsets.UTF_8)
				.lines()
				.map((line) -> line.startsWith(INCLUDE) ? read(home, line.substring(INCLUDE.length())) : line)
				.collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
