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

package io.holdfast.lock.benchmarks;

import java.util.Map;

import io.holdfast.lock.benchmarks.libraries.Library.Calls;

/**
 * What a Redis has used by its own count, since it started or between two moments; for
 * scenarios whose clients are in this process. Others take {@link CrewUsage}.
 *
 * @param cpuNanos its processor time
 * @param scripts how many scripts it ran
 * @param scriptMicros how long they took
 * @param publishes how many messages were published
 * @param bytesIn what it received
 * @param bytesOut what it sent
 */
record ServerUsage(long cpuNanos, long scripts, long scriptMicros, long publishes, long bytesIn, long bytesOut) {

	static ServerUsage of(RedisServer redis) {
		Calls calls = redis.calls();
		Calls micros = new Calls(redis.byCommand("usec"));
		Map<String, String> stats = redis.info("stats");
		return new ServerUsage(redis.cpuNanos(), calls.of("eval", "evalsha"), micros.of("eval", "evalsha"),
				calls.of("publish"), Long.parseLong(stats.getOrDefault("total_net_input_bytes", "0")),
				Long.parseLong(stats.getOrDefault("total_net_output_bytes", "0")));
	}

	ServerUsage since(ServerUsage before) {
		return new ServerUsage(this.cpuNanos - before.cpuNanos, this.scripts - before.scripts,
				this.scriptMicros - before.scriptMicros, this.publishes - before.publishes,
				this.bytesIn - before.bytesIn, this.bytesOut - before.bytesOut);
	}

}
