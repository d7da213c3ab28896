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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The Lua scripts: resources beside this class, in which a line {@code --#include file}
 * stands for the text of that file.
 */
final class LockScript {

	static final LockScript ACQUIRE = new LockScript("mutex-acquire.lua");

	static final LockScript RELEASE = new LockScript("mutex-release.lua");

	static final LockScript RENEW = new LockScript("mutex-renew.lua");

	static final LockScript EVICT = new LockScript("mutex-evict.lua");

	static final LockScript LIST = new LockScript("mutex-list.lua");

	static final LockScript DESCRIBE = new LockScript("mutex-describe.lua");

	static final LockScript WAITERS = new LockScript("mutex-waiters.lua");

	private static final String INCLUDE = "--#include ";

	@SuppressWarnings("rawtypes")
	private final RedisScript<List> script;

	private LockScript(String file) {
		this.script = new DefaultRedisScript<>(read(file), List.class);
	}

	@SuppressWarnings("rawtypes")
	RedisScript<List> script() {
		return this.script;
	}

	private static String read(String file) {
		try (InputStream in = LockScript.class.getResourceAsStream(file)) {
			if (in == null) {
				throw new IllegalStateException("Script " + file + " is missing from the jar");
			}
			String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
			return text.lines()
				.map((line) -> line.startsWith(INCLUDE) ? read(line.substring(INCLUDE.length())) : line)
				.collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
