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

/**
 * Makes sure that a caller has stack left for what must not stop half-way. Who has not
 * gets the {@code StackOverflowError} now, before anything has changed. What the driver
 * needs on top may still overflow: that is caught where it is called, and the caller has
 * this reserve to say so.
 */
final class StackReserve {

	/**
	 * Each level passes 32 numbers on the stack: about 12 KiB in all, however the method
	 * is compiled.
	 */
	private static final int LEVELS = 48;

	private StackReserve() {
	}

	static void check() {
		descend(LEVELS, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
				27, 28, 29, 30, 31);
	}

	private static long descend(int level, long a, long b, long c, long d, long e, long f, long g, long h, long i,
			long j, long k, long l, long m, long n, long o, long p, long q, long r, long s, long t, long u, long v,
			long w, long x, long y, long z, long aa, long bb, long cc, long dd, long ee) {
		return (level == 0) ? a : 1 + descend(level - 1, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v,
				w, x, y, z, aa, bb, cc, dd, ee, a);
	}

}
