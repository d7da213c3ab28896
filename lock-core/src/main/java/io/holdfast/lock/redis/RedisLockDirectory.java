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
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
		Position position = Position.parse(cursor);
		Nodes nodes = this.locks.server.nodes();
		if (cursor == null || !nodes.areKnown()) {
			nodes.look();
		}
		NavigableMap<Integer, String> servers = nodes.byFirstSlot();
		if (servers.isEmpty()) {
			return list(null, position, limit);
		}
		Map.Entry<Integer, String> server = servers.ceilingEntry(position.slot());
		if (server == null) {
			return new Page(List.of(), null);
		}
		String route = nodes.keyAt(server.getValue(), this.locks.settings.keys().lockPrefix());
		Page page = (route != null) ? list(route, position, limit) : new Page(List.of(), null);
		Integer next = servers.higherKey(server.getKey());
		if (page.next() != null) {
			return new Page(page.locks(), new Position(server.getKey(), page.next()).toString());
		}
		return new Page(page.locks(), (next != null) ? new Position(next, "0").toString() : null);
	}

	/**
	 * A page of what one server has.
	 */
	private Page list(@Nullable String route, Position position, int limit) {
		List<?> found = this.locks.server.list(route, position.scan(), limit);
		List<String> keys = found.stream().skip(1).map(String.class::cast).toList();
		String next = (String) found.get(0);
		return new Page(describe(keys).stream().map(Described::lock).toList(), "0".equals(next) ? null : next);
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
		List<Described> held = new ArrayList<>();
		if (keys.isEmpty()) {
			return held;
		}
		List<List<String>> groups = this.locks.server.nodes().together(keys, Function.identity());
		List<List<?>> answers = this.locks.server.describe(groups);
		for (int i = 0; i < groups.size(); i++) {
			int at = 1;
			for (String key : groups.get(i)) {
				String id = (String) answers.get(i).get(at);
				if (!id.isEmpty()) {
					held.add(describe(key, id, answers.get(i), at));
				}
				at += 7;
			}
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

	/**
	 * Where a list goes on.
	 *
	 * @param slot of a cluster, the first of a server
	 * @param scan the cursor of that server, or of the only one
	 */
	private record Position(int slot, String scan) {

		private static final Pattern PATTERN = Pattern.compile("(?:(\\d{1,5})-)?(\\d{1,20})");

		static Position parse(@Nullable String cursor) {
			if (cursor == null) {
				return new Position(0, "0");
			}
			Matcher matcher = PATTERN.matcher(cursor);
			if (!matcher.matches()) {
				throw new IllegalArgumentException("Not a cursor of a page: " + cursor);
			}
			String slot = matcher.group(1);
			return new Position((slot != null) ? Integer.parseInt(slot) : 0, matcher.group(2));
		}

		@Override
		public String toString() {
			return this.slot + "-" + this.scan;
		}

	}

}
