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

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import one.profiler.AsyncProfiler;

/**
 * What the processor time of this process goes to, from samples of the stacks of its
 * threads, those of the virtual machine among them.
 */
final class Profile {

	private Profile() {
	}

	/**
	 * Does some work and adds the samples of each part to what came out of it. Only their
	 * shares tell: the kernel takes fewer than it is asked for.
	 */
	static Numbers during(Supplier<Numbers> work) {
		Map<Part, Long> samples = new EnumMap<>(Part.class);
		Numbers answer;
		try {
			AsyncProfiler profiler = AsyncProfiler.getInstance();
			profiler.execute("start,event=itimer,interval=1ms,threads");
			answer = work.get();
			profiler.execute("stop");
			profiler.execute("collapsed,threads").lines().forEach((line) -> {
				int count = line.lastIndexOf(' ');
				samples.merge(Part.of(line.substring(0, count)), Long.valueOf(line.substring(count + 1)), Long::sum);
			});
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		for (Part part : Part.values()) {
			answer = answer.and(part.name(), samples.getOrDefault(part, 0L));
		}
		return answer;
	}

	/**
	 * What a sample counts for: the thread, or else the innermost frame that tells.
	 */
	@SuppressWarnings("ImmutableEnumChecker") // It is a copy
	enum Part {

		COMPILER("JIT compiler", "[C1 CompilerThre", "[C2 CompilerThre"),

		COLLECTOR("garbage collector", "[GC Thread", "[G1 "),

		SOCKETS("sockets", "java/net/Socket", "sun/nio/ch/"),

		WAKING("parking, waking", "java/util/concurrent/locks/LockSupport.", "jdk/internal/misc/Unsafe.park",
				"jdk/internal/misc/Unsafe.unpark"),

		BENCHMARK("benchmark", "io/holdfast/lock/benchmarks/"),

		LIBRARY("library's own", "io/holdfast/", "org/redisson/", "net/javacrumbs/", "org/springframework/integration/",
				"com/baomidou/"),

		SPRING("Spring", "org/springframework/"),

		DRIVER("driver, pool", "redis/clients/", "org/apache/commons/pool2/", "io/lettuce/", "io/netty/", "reactor/"),

		OTHER("other");

		final String title;

		private final List<String> frames;

		Part(String title, String... frames) {
			this.title = title;
			this.frames = List.of(frames);
		}

		static Part of(String stack) {
			List<String> frames = Arrays.asList(stack.split(";", -1));
			Part thread = of(frames.get(0), COMPILER, COLLECTOR);
			for (int i = frames.size() - 1; thread == OTHER && i > 0; i--) {
				thread = of(frames.get(i), values());
			}
			return thread;
		}

		private static Part of(String frame, Part... candidates) {
			return Arrays.stream(candidates)
				.filter((part) -> part.frames.stream().anyMatch(frame::startsWith))
				.findFirst()
				.orElse(OTHER);
		}

	}

}
