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

package io.holdfast.lock.internal.quorum;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.LockPage;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import io.holdfast.lock.internal.protocol.WaiterInfo;
import io.holdfast.lock.internal.redis.RedisLockServer;

/**
 * Who holds what, as a majority of the servers of a quorum knows it.
 */
final class QuorumDirectory implements ServerDirectory {

	private static final Pattern CURSOR = Pattern.compile("([1-9])(.+)");

	private final QuorumMembers members;

	private final LockKeys keys;

	QuorumDirectory(QuorumMembers members, LockKeys keys) {
		this.members = members;
		this.keys = keys;
	}

	/**
	 * Goes through the servers one after another: the cursor is the number of one and its
	 * own cursor. A lock is told of with the first server that knows its hold.
	 */
	@Override
	public LockPage list(String cursor, int count, String namePrefix) {
		List<RedisLockServer> servers = this.members.servers;
		Matcher place = CURSOR.matcher("0".equals(cursor) ? "10" : cursor);
		if (!place.matches() || Integer.parseInt(place.group(1)) > servers.size()) {
			throw new IllegalArgumentException("Not a cursor of a page: " + cursor);
		}
		int at = Integer.parseInt(place.group(1)) - 1;
		String nextServer = (at + 1 < servers.size()) ? (at + 2) + "0" : "0";
		String key = this.keys.lockPrefix();
		Poll<LockPage> listed = new Poll<>(this.members, key, false, (one) -> true);
		this.members.tell(
				servers.get(at), key, () -> listed.add(servers.get(at),
						servers.get(at).directory().list(place.group(2), count, namePrefix), null),
				(failure) -> listed.add(servers.get(at), null, failure));
		if (listed.over.join().answers().isEmpty()) {
			// The others know what a majority holds, if they are one.
			this.members.askAll(key, (server) -> server.directory().list("0", 1, namePrefix));
			return new LockPage(nextServer, List.of());
		}
		LockPage found = listed.answers().get(0);
		return new LockPage("0".equals(found.next()) ? nextServer : (at + 1) + found.next(),
				found.parts().stream().flatMap((keys) -> firstKnownTo(at, keys).stream()).toList());
	}

	private List<String> firstKnownTo(int at, List<String> keys) {
		Poll<List<HoldInfo>> described = this.members.askAll(keys.get(0),
				(server) -> server.directory().describe(keys, false));
		return decide(described.answers()).stream().filter((hold) -> {
			Predicate<List<HoldInfo>> knows = (answer) -> answer != null
					&& answer.stream().anyMatch((each) -> each.id().equals(hold.id()));
			return this.members.servers.subList(0, at).stream().map(described::answer).noneMatch(knows);
		}).map(HoldInfo::key).toList();
	}

	/**
	 * What a majority knows of locks. Waits for all servers only where some know a hold
	 * of which it is not clear whether a majority does.
	 */
	@Override
	public List<HoldInfo> describe(List<String> keys, boolean strict) {
		Poll<List<HoldInfo>> described = new Poll<>(this.members, keys.get(0), false,
				(votes) -> isClear(votes.answers()));
		this.members.ask(described, keys.get(0), (server) -> server.directory().describe(keys, strict),
				QuorumMembers::leaveNothing);
		return decide(described.over.join().requireMajority().answers());
	}

	@Override
	public List<WaiterInfo> waiters(String key, int limit) {
		return List.of();
	}

	@Override
	public int evict(String key, List<String> which) {
		return this.members.askAll(key, (server) -> server.directory().evict(key, which))
			.answers()
			.stream()
			.reduce(0, Math::max);
	}

	private boolean isClear(List<List<HoldInfo>> answers) {
		int majority = this.members.majority();
		int missing = this.members.servers.size() - answers.size();
		return missing < majority && byRequest(answers).values()
			.stream()
			.allMatch((same) -> same.size() >= majority || same.size() + missing < majority);
	}

	/**
	 * The holds that a majority knows of.
	 */
	private List<HoldInfo> decide(List<List<HoldInfo>> answers) {
		return byRequest(answers).values()
			.stream()
			.filter((same) -> same.size() >= this.members.majority())
			.map(this::merge)
			.toList();
	}

	/**
	 * One hold with the lease that a majority still guarantees. The token is the
	 * majority-th largest: at least a majority has it or a larger one. It may be larger
	 * than that of the owner, as renewals raise all servers to the largest that one of
	 * them gave. So the token of an earlier hold, which a majority has outgrown, is
	 * smaller.
	 */
	private HoldInfo merge(List<HoldInfo> same) {
		HoldInfo guaranteed = same.stream()
			.sorted(Comparator.comparingLong(HoldInfo::leftMillis).reversed())
			.toList()
			.get(this.members.majority() - 1);
		long[] tokens = same.stream().mapToLong(HoldInfo::token).sorted().toArray();
		return guaranteed.withTokens(tokens[tokens.length - this.members.majority()],
				same.stream().mapToLong(HoldInfo::lastToken).max().orElseThrow());
	}

	private static Map<String, List<HoldInfo>> byRequest(List<List<HoldInfo>> answers) {
		return answers.stream()
			.flatMap(List::stream)
			.collect(Collectors.groupingBy(HoldInfo::id, LinkedHashMap::new, Collectors.toList()));
	}

}
