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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockPage;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.WaiterInfo;
import io.holdfast.lock.internal.single.ScriptRunner.Call;

/**
 * What operators look at: which locks are held, by whom, and who waits.
 */
final class RedisDirectory {

	private static final Pattern CURSOR = Pattern.compile("(?:(\\d{1,5})-)?(\\d{1,20})");

	private final ScriptRunner scripts;

	/**
	 * Nobody waits for a lock where this is asked, and what it is asked may take long.
	 */
	private final ScriptRunner reserved;

	private final ClusterTopology topology;

	private final LockKeys keys;

	RedisDirectory(ScriptRunner scripts, ScriptRunner reserved, ClusterTopology topology, ServerSettings settings) {
		this.scripts = scripts;
		this.reserved = reserved;
		this.topology = topology;
		this.keys = settings.keys();
	}

	/**
	 * In a cluster goes through the servers one after another: the cursor is the first
	 * slot of one, and its own cursor.
	 */
	LockPage list(String cursor, int count, String namePrefix) {
		Matcher at = CURSOR.matcher(cursor);
		if (!at.matches() || !isCursor(at.group(2))) {
			throw new IllegalArgumentException("Not a cursor of a page: " + cursor);
		}
		if ("0".equals(cursor) || !this.topology.isKnown()) {
			this.topology.refresh();
		}
		NavigableMap<Integer, String> servers = this.topology.byFirstSlot();
		if (servers.isEmpty()) {
			return scan(List.of(), at.group(2), count, namePrefix);
		}
		Map.Entry<Integer, String> server = servers
			.ceilingEntry((at.group(1) != null) ? Integer.parseInt(at.group(1)) : 0);
		if (server == null) {
			return new LockPage("0", List.of());
		}
		String route = this.topology.keyAt(server.getValue(), this.keys.lockPrefix());
		LockPage found = (route != null) ? scan(List.of(route), at.group(2), count, namePrefix)
				: new LockPage("0", List.of());
		if (!"0".equals(found.next())) {
			return new LockPage(server.getKey() + "-" + found.next(), found.keys());
		}
		Integer next = servers.higherKey(server.getKey());
		return new LockPage((next != null) ? next + "-0" : "0", found.keys());
	}

	/**
	 * A page of what one server has.
	 * @param route a key that tells which server of a cluster
	 */
	private LockPage scan(List<String> route, String cursor, int count, String namePrefix) {
		return this.reserved.run(LockScript.LIST, route, this::readFound, cursor, this.keys.lockPattern(namePrefix),
				Integer.toString(count));
	}

	/**
	 * Whether a server may have given it: that is a number without sign of 64 bits.
	 */
	private static boolean isCursor(String text) {
		try {
			return Long.toUnsignedString(Long.parseUnsignedLong(text)).equals(text);
		}
		catch (NumberFormatException ex) {
			return false;
		}
	}

	private LockPage readFound(List<?> answer) {
		List<String> keys = answer.stream().skip(1).map(String.class::cast).toList();
		keys.forEach(this.keys::nameOf);
		String next = (String) answer.get(0);
		if (!isCursor(next)) {
			throw new IllegalArgumentException("Not a cursor: " + next);
		}
		return new LockPage(next, keys);
	}

	List<HoldInfo> describe(List<String> keys, boolean strict) {
		List<Call<List<?>, List<HoldInfo>>> calls = this.topology.group(keys, Function.identity())
			.stream()
			.map((together) -> new Call<List<?>, List<HoldInfo>>(LockScript.DESCRIBE, together,
					(answer) -> held(together, answer), List.of(strict ? "1" : "0")))
			.toList();
		ScriptRunner runner = (keys.size() > 1) ? this.reserved : this.scripts;
		List<Outcome<List<HoldInfo>>> outcomes = runner.runEach(calls);
		List<HoldInfo> held = new ArrayList<>();
		for (int i = 0; i < outcomes.size(); i++) {
			LockServerException failure = outcomes.get(i).failure();
			List<String> together = calls.get(i).keys();
			if (failure == null) {
				held.addAll(Objects.requireNonNull(outcomes.get(i).value()));
			}
			else if (together.size() > 1 && RedisErrors.mayPassAlone(failure)) {
				together.forEach((key) -> held.addAll(describe(List.of(key), strict)));
			}
			else {
				throw failure;
			}
		}
		return held;
	}

	List<WaiterInfo> waiters(String key, int limit) {
		return this.scripts.run(LockScript.WAITERS, List.of(key), RedisDirectory::readWaiters, Integer.toString(limit));
	}

	private static List<HoldInfo> held(List<String> keys, List<?> answer) {
		List<HoldInfo> held = new ArrayList<>();
		long now = (Long) answer.get(0);
		int at = 1;
		for (String key : keys) {
			String id = (String) answer.get(at);
			if (!id.isEmpty()) {
				long since = (Long) answer.get(at + 4);
				held.add(new HoldInfo(key, id, (String) answer.get(at + 1), typeOf(answer.get(at + 2)),
						(Long) answer.get(at + 3), (Long) answer.get(at + 7), since, Math.max(0, now - since),
						(Long) answer.get(at + 5), (Long) answer.get(at + 6)));
			}
			at += 8;
		}
		return held;
	}

	private static List<WaiterInfo> readWaiters(List<?> answer) {
		List<WaiterInfo> waiters = new ArrayList<>();
		for (int at = 1; at < answer.size(); at += 4) {
			waiters.add(new WaiterInfo(answer.get(at).equals(1L), typeOf(answer.get(at + 1)),
					(String) answer.get(at + 2), (String) answer.get(at + 3)));
		}
		return waiters;
	}

	/**
	 * The order of a mode: the letter after that of the kind.
	 */
	private static LockType typeOf(Object text) {
		return "xf".equals(text) ? LockType.FAIR : LockType.REENTRANT;
	}

}
