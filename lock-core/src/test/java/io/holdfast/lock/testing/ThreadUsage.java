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

package io.holdfast.lock.testing;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.HashMap;
import java.util.Map;

import com.sun.management.ThreadMXBean;

/**
 * What some threads have used since a moment. It does not depend on how busy the machine
 * is with other things. Threads that have ended are not counted.
 */
public final class ThreadUsage {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private final String names;

	private final Map<Long, Used> before;

	private ThreadUsage(String names) {
		this.names = names;
		this.before = used();
	}

	/**
	 * Begins to measure the threads whose names begin with a text.
	 */
	public static ThreadUsage of(String names) {
		return new ThreadUsage(names);
	}

	/**
	 * What they have used until now.
	 */
	public Used sinceThen() {
		long cpu = 0;
		long bytes = 0;
		for (Map.Entry<Long, Used> each : used().entrySet()) {
			Used earlier = this.before.getOrDefault(each.getKey(), Used.NOTHING);
			cpu += each.getValue().cpuNanos() - earlier.cpuNanos();
			bytes += each.getValue().bytes() - earlier.bytes();
		}
		return new Used(cpu, bytes);
	}

	private Map<Long, Used> used() {
		Map<Long, Used> used = new HashMap<>();
		for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
			if (thread != null && thread.getThreadName().startsWith(this.names)) {
				long id = thread.getThreadId();
				long cpu = THREADS.getThreadCpuTime(id);
				if (cpu >= 0) {
					used.put(id, new Used(cpu, THREADS.getThreadAllocatedBytes(id)));
				}
			}
		}
		return used;
	}

	/**
	 * What threads have used.
	 *
	 * @param cpuNanos time on a processor
	 * @param bytes memory that they allocated, in use or not
	 */
	public record Used(long cpuNanos, long bytes) {

		private static final Used NOTHING = new Used(0, 0);

		/**
		 * The time on a processor, in milliseconds.
		 */
		public long cpuMillis() {
			return this.cpuNanos / 1_000_000;
		}

	}

}
