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

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the locks of all clients from Redis, and adds what only this client knows of its
 * own.
 */
final class RedisLockDirectory implements LockDirectory {

	private final Locks locks;

	RedisLockDirectory(Locks locks) {
		this.locks = locks;
	}

	@Override
	public Page list(@Nullable String cursor, int limit) {
		checkLimit(limit);
		this.locks.checkOpen("*");
		List<?> found = this.locks.server.list(checkCursor(cursor), limit);
		List<String> keys = found.stream().skip(1).map(String.class::cast).toList();
		List<HeldLock> held = new ArrayList<>();
		if (!keys.isEmpty()) {
			describe(keys).forEach((described) -> held.add(described.lock()));
		}
		String next = (String) found.get(0);
		return new Page(held, "0".equals(next) ? null : next);
	}

	@Override
	public Optional<HeldLock> find(String name) {
		return described(name).map(Described::lock);
	}

	@Override
	public List<QueuedWaiter> queue(String name, int limit) {
		checkLimit(limit);
		String key = this.locks.settings.keys().lock(name);
		this.locks.checkOpen(name);
		List<?> answer = this.locks.server.waiters(key, limit);
		List<QueuedWaiter> waiters = new ArrayList<>();
		for (int at = 1; at < answer.size(); at += 3) {
			ClientId client = ClientId.parse((String) answer.get(at + 2));
			waiters.add(new QueuedWaiter(waiters.size() + 1, typeOf(answer.get(at + 1)), client.text(),
					client.application(), client.host(), number(answer, at) == 1));
		}
		return waiters;
	}

	@Override
	public Optional<HeldLock> forceUnlock(String name) {
		Optional<Described> described = described(name);
		// Only the hold that is told of: a later one is not what the operator saw.
		return described
			.filter((each) -> this.locks.server.evict(this.locks.settings.keys().lock(name), each.requestId()))
			.map(Described::lock);
	}

	private Optional<Described> described(String name) {
		String key = this.locks.settings.keys().lock(name);
		this.locks.checkOpen(name);
		return describe(List.of(key)).stream().findFirst();
	}

	private List<Described> describe(List<String> keys) {
		List<?> answer = this.locks.server.describe(keys);
		List<Described> held = new ArrayList<>();
		int at = 1;
		for (String key : keys) {
			String id = (String) answer.get(at);
			if (!id.isEmpty()) {
				held.add(describe(key, id, answer, at));
			}
			at += 7;
		}
		return held;
	}

	private Described describe(String key, String id, List<?> answer, int at) {
		String name = this.locks.settings.keys().nameOf(key);
		ClientId client = ClientId.parse((String) answer.get(at + 1));
		Instant since = Instant.ofEpochMilli(number(answer, at + 4));
		Duration left = Duration.ofMillis(number(answer, at + 5));
		Grant own = this.locks.current(name, id);
		HeldLock lock = new HeldLock(name, typeOf(answer.get(at + 2)), client.text(), client.application(),
				client.host(), (own != null) ? own.threadName() : null,
				(own != null) ? own.token : number(answer, at + 3), since, left,
				(own != null) ? this.locks.countOf(own) : 1, number(answer, at + 6),
				client.text().equals(this.locks.settings.clientId()));
		return new Described(id, lock);
	}

	private static LockType typeOf(@Nullable Object text) {
		return "fair".equals(text) ? LockType.FAIR : LockType.REENTRANT;
	}

	private static String checkCursor(@Nullable String cursor) {
		if (cursor == null) {
			return "0";
		}
		if (!cursor.matches("\\d{1,21}")) {
			throw new IllegalArgumentException("Not a cursor of a page: " + cursor);
		}
		return cursor;
	}

	private static void checkLimit(int limit) {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new IllegalArgumentException("Limit must be between 1 and " + MAX_LIMIT + ": " + limit);
		}
	}

	private static long number(List<?> answer, int index) {
		return (Long) answer.get(index);
	}

	private record Described(String requestId, HeldLock lock) {
	}

}
