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
import java.util.stream.Stream;

import io.holdfast.lock.testing.RedisProcess;

/**
 * Three servers that know nothing of each other. Faults strike one of them, or the way to
 * one of them; but all may lose their data at once, and a client its way to all.
 */
final class QuorumServers extends Servers {

	private final List<RedisProcess> servers;

	QuorumServers(String... arguments) {
		this.servers = Stream.generate(() -> RedisProcess.start(arguments)).limit(3).toList();
	}

	@Override
	List<RedisProcess> entrances() {
		return this.servers;
	}

	@Override
	boolean takesProxies() {
		return true;
	}

	@Override
	List<RedisProcess> masters() {
		return this.servers;
	}

	@Override
	List<RedisProcess> serversOf(String key) {
		return this.servers;
	}

	@Override
	Map<Fault, Nemesis> nemeses() {
		ServerNemeses nemeses = new ServerNemeses((random) -> this.servers.get(random.nextInt(this.servers.size())));
		Map<Fault, Nemesis> all = nemeses.common();
		all.putAll(nemeses.single());
		all.put(Fault.ALL_EMPTIED, (clients, random, marker) -> {
			marker.begins(0);
			this.servers.forEach(RedisProcess::kill);
			Nemesis.last(random, Duration.ZERO, Duration.ofMillis(200));
			this.servers.forEach(RedisProcess::startAgain);
		});
		return all;
	}

	@Override
	public void close() {
		this.servers.forEach(RedisProcess::close);
	}

}
