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

import java.util.List;
import java.util.Map;

import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisProcess;

/**
 * Three masters with a replica each. What happens to a master happens to that of the
 * first lock, which everybody wants.
 */
final class ClusterServers extends Servers {

	private static final String KEY = HoldfastSession.PREFIX + "lock:" + LockNumbers.name(0);

	private final RedisCluster cluster;

	ClusterServers(String... arguments) {
		this.cluster = RedisCluster.start(arguments);
	}

	@Override
	List<RedisProcess> entrances() {
		return this.cluster.servers();
	}

	@Override
	List<RedisProcess> masters() {
		return this.cluster.masters();
	}

	@Override
	List<RedisProcess> serversOf(String key) {
		return List.of(this.cluster.masterOf(key));
	}

	@Override
	Map<Fault, Nemesis> nemeses() {
		return new ServerNemeses((random) -> this.cluster.masterOf(KEY)).replicated(this.cluster, KEY,
				() -> this.cluster.failOver(this.cluster.replicaOf(this.cluster.masterOf(KEY))));
	}

	@Override
	public void close() {
		this.cluster.close();
	}

}
