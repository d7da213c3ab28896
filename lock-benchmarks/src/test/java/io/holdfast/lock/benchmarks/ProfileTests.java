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

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

import io.holdfast.lock.benchmarks.Profile.Part;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a sample of a stack counts for.
 */
class ProfileTests {

	@ParameterizedTest
	@CsvSource({ "COMPILER, [C2 CompilerThre tid=7];Compile::Compile", //
			"SOCKETS, [work-1 tid=9];io/holdfast/lock/internal/redis/RequestCombiner.send;redis/clients/jedis/Connection.flush;sun/nio/ch/NioSocketImpl.write;__send", //
			"WAKING, [work-1 tid=9];io/holdfast/lock/internal/client/BlockingAcquire.await;java/util/concurrent/locks/LockSupport.parkNanos;jdk/internal/misc/Unsafe.park;futex", //
			"LIBRARY, [work-1 tid=9];io/holdfast/lock/benchmarks/DistinctKeys.work;io/holdfast/lock/internal/engine/LockTable.use;java/util/HashMap.get", //
			"LIBRARY, [work-1 tid=9];org/springframework/integration/redis/util/RedisLockRegistry.obtain", //
			"BENCHMARK, [work-1 tid=9];io/holdfast/lock/benchmarks/Samples.add", //
			"SPRING, [work-1 tid=9];io/holdfast/lock/internal/redis/ScriptRunner.run;org/springframework/data/redis/core/RedisTemplate.execute;java/lang/String.hashCode",
			"DRIVER, [work-1 tid=9];org/apache/commons/pool2/impl/GenericObjectPool.borrowObject",
			"OTHER, [VM Thread tid=3];VMThread::run" })
	void sampleCountsForTheInnermostFrameThatTells(Part part, String stack) {
		assertThat(Part.of(stack)).isEqualTo(part);
	}

	@Test
	@EnabledOnOs({ OS.LINUX, OS.MAC })
	void workIsSeen() {
		Numbers answer = Profile.during(() -> {
			Samples samples = new Samples();
			// In processor time, of which a busy machine gives it as little as it likes
			ThreadMXBean threads = ManagementFactory.getThreadMXBean();
			long end = threads.getCurrentThreadCpuTime() + 200_000_000;
			while (threads.getCurrentThreadCpuTime() < end) {
				for (int i = 0; i < 1000; i++) {
					samples.add(System.nanoTime());
				}
			}
			return Numbers.of("samples", samples.size());
		});

		assertThat(answer.get("samples")).isPositive();
		assertThat(answer.get(Part.BENCHMARK.name())).isPositive();
	}

}
