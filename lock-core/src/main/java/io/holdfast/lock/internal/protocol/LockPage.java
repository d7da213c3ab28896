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

import java.util.ArrayList;
import java.util.List;

/**
 * A page of locks.
 *
 * @param next the cursor of the next page, or 0 at the end
 * @param keys locks, held or not
 */
public record LockPage(String next, List<String> keys) {

	/**
	 * How many locks are described in one call at most: a server does nothing else
	 * meanwhile.
	 */
	private static final int PART = 500;

	/**
	 * Its keys in parts that can be described in one call.
	 */
	public List<List<String>> parts() {
		List<List<String>> parts = new ArrayList<>();
		for (int from = 0; from < this.keys.size(); from += PART) {
			parts.add(this.keys.subList(from, Math.min(from + PART, this.keys.size())));
		}
		return parts;
	}

}
