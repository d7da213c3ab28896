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

import io.holdfast.lock.benchmarks.libraries.Library.Calls;

/**
 * What a crew, which is worker processes and their Redis, has used since it started or
 * between two moments.
 *
 * @param nanos time
 * @param calls what Redis ran
 * @param redisCpuNanos Redis' processor time
 * @param clientCpuNanos the processes' processor time
 * @param networkBytes what Redis received and sent
 */
record CrewUsage(long nanos, Calls calls, long redisCpuNanos, long clientCpuNanos, long networkBytes) {

	static CrewUsage of(Crew crew) {
		RedisServer redis = crew.redis();
		return new CrewUsage(System.nanoTime(), redis.calls(), redis.cpuNanos(), crew.cpuNanos(), redis.networkBytes());
	}

	CrewUsage since(CrewUsage before) {
		return new CrewUsage(this.nanos - before.nanos, this.calls.since(before.calls),
				this.redisCpuNanos - before.redisCpuNanos, this.clientCpuNanos - before.clientCpuNanos,
				this.networkBytes - before.networkBytes);
	}

	double seconds() {
		return this.nanos / 1e9;
	}

	double redisCpuMicros() {
		return this.redisCpuNanos / 1e3;
	}

	double clientCpuMicros() {
		return this.clientCpuNanos / 1e3;
	}

}
