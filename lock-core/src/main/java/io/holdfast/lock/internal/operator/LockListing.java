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

package io.holdfast.lock.internal.operator;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockDirectory.Page;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.LockPage;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import org.jspecify.annotations.Nullable;

/**
 * Makes pages of holds by scanning the server's keys.
 * <p>
 * Adaptive {@code SCAN}: starts with as many keys as the limit, and multiplies the step
 * by four (at most 10,000 keys, a few milliseconds of the server) while steps find less
 * than an eighth of what is missing. The next step is then expected to find half of it at
 * most, so the page does not become much larger than its limit.
 *
 * @param server whose keys to scan
 * @param nanoTime the clock
 * @param describe describes a hold
 */
record LockListing(ServerDirectory server, LongSupplier nanoTime, Function<HoldInfo, HeldLock> describe) {

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

	/**
	 * Makes a page.
	 * @param cursor where to go on; {@code null} to start
	 */
	Page page(@Nullable String cursor, int limit, Filter filter) {
		long start = this.nanoTime.getAsLong();
		// While the server moves its keys it may tell of one twice.
		Map<String, HeldLock> found = new LinkedHashMap<>();
		String at = (cursor != null) ? cursor : "0";
		int step = limit;
		do {
			LockPage page = this.server.list(at, step, filter.prefix());
			int before = found.size();
			add(page, filter, found);
			at = page.next();
			if (at.endsWith(FIRST_OF_NEXT_SERVER)) {
				step = limit;
			}
			else if ((found.size() - before) * 2 * GROWTH < limit - found.size()) {
				step = Math.min(step * GROWTH, LARGEST_STEP);
			}
		}
		while (!ENDS.equals(at) && found.size() < limit
				&& this.nanoTime.getAsLong() - start < (found.isEmpty() ? LONGEST_NANOS : ENOUGH_NANOS));
		List<HeldLock> oldestFirst = found.values().stream().sorted(Comparator.comparing(HeldLock::since)).toList();
		return new Page(oldestFirst, ENDS.equals(at) ? null : at);
	}

	private void add(LockPage page, Filter filter, Map<String, HeldLock> found) {
		for (List<String> keys : page.parts()) {
			for (HoldInfo held : this.server.describe(keys, false)) {
				HeldLock lock = this.describe.apply(held);
				if (matches(lock, filter)) {
					found.put(held.key() + ' ' + held.id(), lock);
				}
			}
		}
	}

	private static boolean matches(HeldLock lock, Filter filter) {
		String holder = filter.holder();
		boolean ofHolder = holder == null || List.of(lock.client(), lock.application(), lock.host()).contains(holder);
		return ofHolder && lock.name().startsWith(filter.prefix())
				&& (filter.fair() == null || filter.fair() == lock.fair())
				&& lock.age().compareTo(filter.minAge()) >= 0;
	}

}
