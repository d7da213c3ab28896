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

/**
 * Names of the locks. Threads share few of them; some are wanted once, by one call.
 */
final class LockNumbers {

	private static final String SHARED = "shared-";

	private static final String SINGLE = "single-";

	private LockNumbers() {
	}

	static String name(long number) {
		return isSingle(number) ? SINGLE + Long.toString(number) : SHARED + Long.toString(number);
	}

	static long number(String name) {
		return Long.parseLong(name.substring(name.indexOf('-') + 1));
	}

	/**
	 * A lock for one call.
	 */
	static long single(int process, int count) {
		return ((long) process << 32) | count;
	}

	static boolean isSingle(long number) {
		return number >> 32 != 0;
	}

	static String singlePattern() {
		return SINGLE + "*";
	}

}
