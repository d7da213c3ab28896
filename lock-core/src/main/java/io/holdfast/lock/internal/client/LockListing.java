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

package io.holdfast.lock.internal.client;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.Page;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockPage;

/**
 * Makes one page of held locks by scanning the server's keys. Not reusable.
 * <p>
 * Adaptive {@code SCAN}: starts with as many keys as the limit, and multiplies the step
 * by four (at most 10,000 keys, a few milliseconds of the server) while steps find less
 * than an eighth of what is missing. The next step is then expected to find half of it at
 * most, so the page does not become much larger than its limit.
 */
final class LockListing {

	private static final int LARGEST_STEP = 10_000;

	private static final int GROWTH = 4;

	/**
	 * After which a page with a lock is enough.
	 */
	private static final long ENOUGH_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

	/**
	 * After which a page without one is enough, too: its caller waits for it.
	 */
	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final String ENDS = "0";

	/**
	 * How a cursor ends that goes on with the next server of a cluster, which may have
	 * many locks where the one before had few.
	 */
	private static final String FIRST_OF_NEXT_SERVER = "-0";

	private final LockRuntime runtime;

	private final Function<HoldInfo, HeldLock> describe;

	private final Filter filter;

	private final int limit;

	private final long startNanos;

	/**
	 * By key: while the server moves its keys it may tell of one twice.
	 */
	private final Map<String, HeldLock> found = new LinkedHashMap<>();

	LockListing(LockRuntime runtime, Function<HoldInfo, HeldLock> describe, Filter filter, int limit) {
		this.runtime = runtime;
		this.describe = describe;
		this.filter = filter;
		this.limit = limit;
		this.startNanos = runtime.engine().now();
	}

	/**
	 * Makes the page.
	 * @param cursor where to go on; 0 to start
	 */
	Page from(String cursor) {
		String at = cursor;
		int step = this.limit;
		do {
			LockPage page = this.runtime.server().list(at, step, this.filter.prefix());
			int before = this.found.size();
			add(page);
			at = page.next();
			if (at.endsWith(FIRST_OF_NEXT_SERVER)) {
				step = this.limit;
			}
			else if ((this.found.size() - before) * 2 * GROWTH < this.limit - this.found.size()) {
				step = Math.min(step * GROWTH, LARGEST_STEP);
			}
		}
		while (!ENDS.equals(at) && !isEnough());
		List<HeldLock> oldestFirst = this.found.values()
			.stream()
			.sorted(Comparator.comparing(HeldLock::since))
			.toList();
		return new Page(oldestFirst, ENDS.equals(at) ? null : at);
	}

	private void add(LockPage page) {
		for (List<String> keys : page.parts()) {
			for (HoldInfo held : this.runtime.server().describe(keys, false)) {
				HeldLock lock = this.describe.apply(held);
				if (matches(lock)) {
					this.found.put(held.key(), lock);
				}
			}
		}
	}

	private boolean matches(HeldLock lock) {
		String holder = this.filter.holder();
		boolean ofHolder = holder == null || holder.equals(lock.client()) || holder.equals(lock.application())
				|| holder.equals(lock.host());
		return ofHolder && lock.name().startsWith(this.filter.prefix())
				&& (this.filter.type() == null || this.filter.type() == lock.type())
				&& lock.age().compareTo(this.filter.minAge()) >= 0;
	}

	private boolean isEnough() {
		long passed = this.runtime.engine().now() - this.startNanos;
		return this.found.size() >= this.limit || passed >= LONGEST_NANOS
				|| (passed >= ENOUGH_NANOS && !this.found.isEmpty());
	}

}
