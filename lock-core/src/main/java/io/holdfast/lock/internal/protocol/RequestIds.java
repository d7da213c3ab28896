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

package io.holdfast.lock.internal.protocol;

import java.security.SecureRandom;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Draws ids that no other request has, here or elsewhere: the layout of the scripts, a
 * colon, and 63 random bits, which are always 16 characters. The steps are those of
 * Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014), which
 * cost far less than a {@link SecureRandom} for each; that one gives the start. The time
 * goes in as well, so that even two clones of one machine never act for each other.
 */
public final class RequestIds {

	/**
	 * The layout of what lies in Redis, with which every id begins.
	 */
	public static final String LAYOUT = "3";

	private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

	private static final AtomicLong sequence = new AtomicLong(new SecureRandom().nextLong());

	private RequestIds() {
	}

	public static String next() {
		return LAYOUT + ":" + random();
	}

	/**
	 * Draws 16 characters.
	 */
	public static String random() {
		long time = new SplittableRandom(System.nanoTime()).nextLong();
		long bits = new SplittableRandom(sequence.getAndAdd(GOLDEN_GAMMA) + time).nextLong();
		return Long.toHexString(bits | Long.MIN_VALUE);
	}

}
