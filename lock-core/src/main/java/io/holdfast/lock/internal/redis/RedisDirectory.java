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

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.LockPage;
import io.holdfast.lock.internal.protocol.RequestIds;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import io.holdfast.lock.internal.protocol.WaiterInfo;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.internal.redis.ScriptRunner.Call;

import org.springframework.data.redis.connection.RedisClusterNode;

/**
 * What operators look at: which locks are held, by whom, and who waits.
 *
 * @param scripts runs what is quick
 * @param reserved runs listings, which are slow: they must not use the requests'
 * connections
 * @param topology the nodes
 * @param keys spells the keys
 * @param settings what scripts need to know that change something
 */
record RedisDirectory(ScriptRunner scripts, ScriptRunner reserved, ClusterTopology topology, LockKeys keys,
		List<String> settings) implements ServerDirectory {

	private static final String CURSOR = "0|[1-9]\\d{0,18}";

	private static final Pattern CURSOR_OF_NODE = Pattern.compile("(?:(\\d{1,5})-)?(" + CURSOR + ")");

	/**
	 * In a cluster goes through the masters one after another: the cursor is the first
	 * slot of one, and its own cursor.
	 */
	@Override
	public LockPage list(String cursor, int count, String namePrefix) {
		Matcher at = CURSOR_OF_NODE.matcher(cursor);
		if (!at.matches()) {
			throw new IllegalArgumentException("Not a cursor of a page: " + cursor);
		}
		if ("0".equals(cursor) || !this.topology.isKnown()) {
			this.topology.refresh();
		}
		List<String> args = List.of(at.group(2), this.keys.lockPattern(namePrefix), Integer.toString(count));
		List<RedisClusterNode> masters = this.topology
			.mastersFrom((at.group(1) != null) ? Integer.parseInt(at.group(1)) : 0);
		if (this.topology.cluster && masters.isEmpty()) {
			return new LockPage("0", List.of());
		}
		String route = masters.isEmpty() ? this.keys.lockPrefix()
				: this.topology.keyAt(masters.get(0), this.keys.lockPrefix());
		LockPage found = (route != null)
				? this.reserved.run(new Call<>(LockScript.LIST, List.of(route), this::readPage, args))
				: new LockPage("0", List.of());
		int node = "0".equals(found.next()) ? 1 : 0;
		return (node >= masters.size()) ? found
				: new LockPage(ClusterTopology.firstSlot(masters.get(node)) + "-" + found.next(), found.keys());
	}

	private LockPage readPage(List<?> answer) {
		List<String> found = ((List<?>) answer.get(1)).stream().map(String.class::cast).toList();
		String next = (String) answer.get(0);
		if (!next.matches(CURSOR) || !found.stream().allMatch((key) -> key.startsWith(this.keys.lockPrefix()))) {
			throw new IllegalArgumentException("Not a page: " + answer);
		}
		return new LockPage(next, found);
	}

	@Override
	public List<HoldInfo> describe(List<String> lockKeys, boolean strict) {
		Collection<List<String>> groups = lockKeys.stream()
			.collect(Collectors.groupingBy(this.topology::slotOf, LinkedHashMap::new, Collectors.toList()))
			.values();
		List<HoldInfo> held = new ArrayList<>();
		for (List<String> together : groups) {
			try {
				ScriptRunner runner = (lockKeys.size() > 1) ? this.reserved : this.scripts;
				held.addAll(runner.run(new Call<>(LockScript.DESCRIBE, together, (answer) -> held(together, answer),
						List.of(strict ? "1" : "0"))));
			}
			catch (LockServerException ex) {
				if (together.size() == 1 || !RedisErrors.mayPassAlone(ex)) {
					throw ex;
				}
				together.forEach((key) -> held.addAll(describe(List.of(key), strict)));
			}
		}
		return held;
	}

	private static List<HoldInfo> held(List<String> keys, List<?> answer) {
		List<HoldInfo> held = new ArrayList<>();
		long now = number(answer, 0);
		for (int i = 0; i < keys.size(); i++) {
			List<?> lock = (List<?>) answer.get(i + 1);
			List<?> rows = (List<?>) lock.get(3);
			int holders = rows.size() + Math.toIntExact(number(lock, 1));
			int units = Math.toIntExact(number(lock, 2));
			for (Object each : rows) {
				List<?> row = (List<?>) each;
				long since = number(row, 7);
				held.add(new HoldInfo(keys.get(i), (String) row.get(0), (String) row.get(1), wish(row.subList(2, 5)),
						number(row, 5), number(row, 6), since, Math.max(0, now - since), number(row, 8), number(row, 9),
						number(lock, 0), holders, units));
			}
		}
		return held;
	}

	@Override
	public List<WaiterInfo> waiters(String key, int limit) {
		return this.scripts
			.run(new Call<>(LockScript.QUEUE, List.of(key), RedisDirectory::waiting, List.of(Integer.toString(limit))));
	}

	private static List<WaiterInfo> waiting(List<?> answer) {
		return answer.stream().skip(1).map((each) -> {
			List<?> row = (List<?>) each;
			return new WaiterInfo(number(row, 0) == 1, wish(row.subList(1, 4)), (String) row.get(5),
					(String) row.get(6));
		}).toList();
	}

	@Override
	public int evict(String key, List<String> which) {
		return this.scripts.run(new Call<>(LockScript.EVICT, List.of(key), (answer) -> (int) number(answer, 1),
				Wire.args(this.settings, List.of(RequestIds.random()), which)));
	}

	private static Wish wish(List<?> words) {
		return Wire.wish((String) words.get(0), Math.toIntExact(number(words, 1)), Math.toIntExact(number(words, 2)));
	}

	private static long number(List<?> words, int at) {
		return (Long) words.get(at);
	}

}
