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

import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSentinels;

/**
 * A master with two replicas and three sentinels.
 */
final class SentinelServers extends Servers {

	private final RedisSentinels sentinels;

	SentinelServers(String... arguments) {
		this.sentinels = RedisSentinels.start(arguments);
	}

	@Override
	List<RedisProcess> entrances() {
		return this.sentinels.sentinels();
	}

	@Override
	List<RedisProcess> masters() {
		return List.of(this.sentinels.master());
	}

	@Override
	List<RedisProcess> serversOf(String key) {
		return masters();
	}

	@Override
	Map<Fault, Nemesis> nemeses() {
		return new ServerNemeses((random) -> this.sentinels.master()).replicated(this.sentinels, "",
				this.sentinels::failOver);
	}

	@Override
	public void close() {
		this.sentinels.close();
	}

}
