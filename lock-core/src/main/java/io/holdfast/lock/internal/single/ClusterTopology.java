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

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.internal.server.Topology;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterNode;

/**
 * The servers of a cluster as the driver knows them; or the only server, if Redis is no
 * cluster.
 */
final class ClusterTopology implements Topology {

	private static final int SLOTS = 16384;

	/**
	 * Enough to find a key for a server that has a single slot.
	 */
	private static final int MAX_TRIES = 20 * SLOTS;

	private final Supplier<List<RedisClusterNode>> source;

	private volatile boolean known;

	/**
	 * The server of each slot; {@code null} if Redis is no cluster.
	 */
	private volatile String @Nullable [] bySlot;

	ClusterTopology(ScriptRunner scripts) {
		this.source = scripts::clusterNodes;
	}

	@Override
	public boolean isKnown() {
		return this.known;
	}

	/**
	 * Asks the driver, which may ask the cluster.
	 */
	@Override
	public void refresh() {
		if (this.known && this.bySlot == null) {
			return;
		}
		List<RedisClusterNode> nodes = this.source.get();
		if (!nodes.isEmpty()) {
			this.bySlot = bySlot(nodes);
		}
		this.known = true;
	}

	private static String[] bySlot(Collection<RedisClusterNode> nodes) {
		String[] found = new String[SLOTS];
		Arrays.fill(found, ONLY_NODE);
		for (RedisClusterNode node : nodes) {
			if (node.isMaster() && !node.isMarkedAsFail()) {
				for (int slot : node.getSlotRange().getSlots()) {
					found[slot] = node.asString();
				}
			}
		}
		return found;
	}

	@Override
	public String nodeOf(String key) {
		String[] servers = this.bySlot;
		return (servers != null) ? servers[slotOf(key)] : ONLY_NODE;
	}

	@Override
	public <T> List<List<T>> group(List<T> items, Function<T, String> keyOf) {
		if (this.bySlot == null) {
			return List.of(items);
		}
		Map<Integer, List<T>> groups = new LinkedHashMap<>();
		items.forEach(
				(each) -> groups.computeIfAbsent(slotOf(keyOf.apply(each)), (slot) -> new ArrayList<>()).add(each));
		return List.copyOf(groups.values());
	}

	/**
	 * The servers of a cluster by the first slot of each; empty if Redis is no cluster.
	 */
	NavigableMap<Integer, String> byFirstSlot() {
		NavigableMap<Integer, String> first = new TreeMap<>();
		String[] servers = this.bySlot;
		if (servers != null) {
			for (int slot = 0; slot < SLOTS; slot++) {
				if (!servers[slot].equals(ONLY_NODE) && !first.containsValue(servers[slot])) {
					first.put(slot, servers[slot]);
				}
			}
		}
		return first;
	}

	/**
	 * A key that sends a script to a server of a cluster.
	 * @param prefix what keys begin with
	 * @return the key, or {@code null} if no key with that prefix is there
	 */
	@Nullable String keyAt(String node, String prefix) {
		for (int i = 0; i < MAX_TRIES; i++) {
			String key = prefix + i;
			if (nodeOf(key).equals(node)) {
				return key;
			}
		}
		return null;
	}

	static int slotOf(String key) {
		return ClusterSlotHashUtil.calculateSlot(key.getBytes(StandardCharsets.UTF_8));
	}

}
