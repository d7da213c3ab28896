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

import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSentinels;
import org.jspecify.annotations.Nullable;

/**
 * A master with two replicas and three sentinels.
 */
final class SentinelServers extends Servers {

	private final RedisSentinels sentinels;

	SentinelServers() {
		this(RedisSentinels.start());
	}

	private SentinelServers(RedisSentinels sentinels) {
		super(sentinels);
		this.sentinels = sentinels;
	}

	@Override
	String address() {
		return this.sentinels.sentinels()
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
		return List.of(this.sentinels.master());
	}

	@Override
	Map<Fault, Nemesis> nemeses() {
		Map<Fault, Nemesis> all = new ServerNemeses(this.sentinels::master).common();
		all.put(Fault.MASTER_KILLED, (clients, random, marker) -> {
			RedisProcess master = this.sentinels.master();
			marker.begins(0);
			master.kill();
			this.sentinels.awaitOtherMaster(master);
			Nemesis.last(random, Duration.ZERO, Duration.ofSeconds(1));
			master.startAgain();
			this.sentinels.awaitReady();
		});
		all.put(Fault.MASTER_STOPPED, (clients, random, marker) -> {
			RedisProcess master = this.sentinels.master();
			marker.begins(0);
			master.pause();
			try {
				this.sentinels.awaitOtherMaster(master);
			}
			finally {
				master.resume();
			}
			this.sentinels.awaitReady();
		});
		all.put(Fault.FAILOVER, (clients, random, marker) -> {
			marker.begins(0);
			this.sentinels.failOver();
			this.sentinels.awaitReady();
		});
		return all;
	}

}
