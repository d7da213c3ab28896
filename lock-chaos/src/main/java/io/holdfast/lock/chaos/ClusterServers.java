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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisProcess;
import org.jspecify.annotations.Nullable;

/**
 * Three masters with a replica each. What happens to a master happens to that of the
 * first lock, which everybody wants.
 */
final class ClusterServers extends Servers {

	private static final String KEY = HoldfastLibrary.PREFIX + "lock:" + LockNumbers.name(0);

	private final RedisCluster cluster;

	ClusterServers() {
		this(RedisCluster.start());
	}

	private ClusterServers(RedisCluster cluster) {
		super(cluster);
		this.cluster = cluster;
	}

	@Override
	String address() {
		return this.cluster.servers()
			.stream()
			.map((each) -> each.host() + ":" + each.port())
			.collect(Collectors.joining(","));
	}

	@Override
	@Nullable RedisProcess proxied() {
		return null;
	}

	@Override
	List<RedisProcess> masters() {
		return this.cluster.masters();
	}

	@Override
	Map<Fault, Nemesis> nemeses() {
		Map<Fault, Nemesis> all = new ServerNemeses(() -> this.cluster.masterOf(KEY)).common();
		all.put(Fault.MASTER_KILLED, (clients, random, marker) -> {
			RedisProcess master = this.cluster.masterOf(KEY);
			marker.begins(0);
			master.kill();
			this.cluster.awaitOtherMaster(KEY, master);
			Nemesis.last(random, Duration.ZERO, Duration.ofSeconds(1));
			master.startAgain();
			this.cluster.awaitReady();
		});
		all.put(Fault.MASTER_STOPPED, (clients, random, marker) -> {
			RedisProcess master = this.cluster.masterOf(KEY);
			marker.begins(0);
			master.pause();
			try {
				this.cluster.awaitOtherMaster(KEY, master);
			}
			finally {
				master.resume();
			}
			this.cluster.awaitReady();
		});
		all.put(Fault.FAILOVER, (clients, random, marker) -> {
			RedisProcess replica = this.cluster.replicaOf(this.cluster.masterOf(KEY));
			marker.begins(0);
			this.cluster.failOver(replica);
			this.cluster.awaitReady();
		});
		return all;
	}

}
