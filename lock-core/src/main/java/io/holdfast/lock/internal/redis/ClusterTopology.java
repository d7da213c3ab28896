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

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import io.holdfast.lock.internal.protocol.LockServer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterNode;

/**
 * The masters of a cluster as the driver knows them; none if Redis is no cluster. What is
 * known here may be out of date. It decides what waits for what and what travels
 * together, never where a call goes, which is the driver's business.
 */
final class ClusterTopology {

	/** The server of slots of which no master is known. */
	private static final String NO_MASTER = "none";

	/** Enough to find a key for a server that has a single slot. */
	private static final int MOST_TRIES = 20 * 16384;

	final boolean cluster;

	private final Supplier<Iterable<RedisClusterNode>> source;

	/** In the order of their first slots. */
	private volatile List<RedisClusterNode> masters = List.of();

	ClusterTopology(boolean cluster, Supplier<Iterable<RedisClusterNode>> source) {
		this.cluster = cluster;
		this.source = source;
	}

	boolean isKnown() {
		return !this.cluster || !this.masters.isEmpty();
	}

	/**
	 * Asks the driver, which may ask the cluster.
	 */
	void refresh() {
		this.masters = !this.cluster ? List.of() : StreamSupport.stream(this.source.get().spliterator(), false)
			.filter((node) -> node.isMaster() && !node.isMarkedAsFail() && !node.getSlotRange().getSlots().isEmpty())
			.sorted(Comparator.comparing(ClusterTopology::firstSlot))
			.toList();
	}

	/**
	 * The masters whose slots begin with one or a later one.
	 */
	List<RedisClusterNode> mastersFrom(int slot) {
		return this.masters.stream().filter((master) -> firstSlot(master) >= slot).toList();
	}

	static int firstSlot(RedisClusterNode master) {
		return Collections.min(master.getSlotRange().getSlots());
	}

	/**
	 * The server that has a lock.
	 */
	String nodeOf(String key) {
		int slot = slotOf(key);
		for (RedisClusterNode master : this.masters) {
			if (master.getSlotRange().contains(slot)) {
				return master.asString();
			}
		}
		return this.cluster ? NO_MASTER : LockServer.ONLY_NODE;
	}

	/**
	 * The slot of a key: what one script takes has the same. 0 if Redis is no cluster.
	 */
	int slotOf(String key) {
		return this.cluster ? ClusterSlotHashUtil.calculateSlot(key.getBytes(StandardCharsets.UTF_8)) : 0;
	}

	/**
	 * A key that sends a script to a master.
	 * @param prefix what keys begin with
	 * @return {@code null} if no key with that prefix is there, as it has a hash tag
	 */
	@Nullable String keyAt(RedisClusterNode master, String prefix) {
		return IntStream.range(0, MOST_TRIES)
			.mapToObj((i) -> prefix + i)
			.filter((key) -> master.getSlotRange().contains(slotOf(key)))
			.findFirst()
			.orElse(null);
	}

}
