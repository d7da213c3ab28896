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

package io.holdfast.lock.internal.single;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

import io.holdfast.lock.internal.server.RequestIds;

import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The Lua scripts: resources beside this class, in which a line {@code --#include file}
 * stands for the text of that file.
 */
public final class LockScript {

	private static final String INCLUDE = "--#include ";

	/**
	 * The layout in which these scripts write, as every request id begins with it; and
	 * that of the messages they send, which begin with it as a word.
	 */
	public static final String LAYOUT = RequestIds.LAYOUT;

	public static final RedisScript<String> ACQUIRE = line(LockScript.class, "mutex-acquire.lua");

	public static final RedisScript<String> RELEASE = line(LockScript.class, "mutex-release.lua");

	/** Requests of any kind, one or many at once. */
	public static final RedisScript<List<?>> REQUESTS = list(LockScript.class, "mutex-request.lua");

	public static final RedisScript<List<?>> RENEW = list(LockScript.class, "mutex-renew.lua");

	public static final RedisScript<List<?>> EVICT = list(LockScript.class, "mutex-evict.lua");

	public static final RedisScript<List<?>> LIST = list(LockScript.class, "mutex-list.lua");

	public static final RedisScript<List<?>> DESCRIBE = list(LockScript.class, "mutex-describe.lua");

	public static final RedisScript<List<?>> WAITERS = list(LockScript.class, "mutex-waiters.lua");

	public static final RedisScript<List<?>> ECHO = list(LockScript.class, "mutex-echo.lua");

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
		try (InputStream in = place.getResourceAsStream(file)) {
			if (in == null) {
				throw new IllegalStateException("Script " + file + " is missing from the jar");
			}
			String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
			return text.lines()
				.map((line) -> line.startsWith(INCLUDE) ? read(home, line.substring(INCLUDE.length())) : line)
				.collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
