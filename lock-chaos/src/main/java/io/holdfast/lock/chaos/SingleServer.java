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

/**
 * A server that nobody replaces.
 */
final class SingleServer extends Servers {

	private final RedisProcess server;

	SingleServer(String... arguments) {
		this.server = RedisProcess.start(arguments);
	}

	@Override
	List<RedisProcess> entrances() {
		return List.of(this.server);
	}

	@Override
	boolean takesProxies() {
		return true;
	}

	@Override
	List<RedisProcess> masters() {
		return List.of(this.server);
	}

	@Override
	List<RedisProcess> serversOf(String key) {
		return List.of(this.server);
	}

	@Override
	Map<Fault, Nemesis> nemeses() {
		ServerNemeses nemeses = new ServerNemeses((random) -> this.server);
		Map<Fault, Nemesis> all = nemeses.common();
		all.putAll(nemeses.single());
		return all;
	}

	@Override
	public void close() {
		this.server.close();
	}

}
