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

package io.holdfast.lock.sample;

/**
 * The payment provider has seen a newer token for this order: whoever asks is no longer
 * the owner of its lock, and may not know it yet.
 */
class StaleTokenException extends RuntimeException {

	private final long token;

	private final long newest;

	StaleTokenException(String order, long token, long newest) {
		super("Order %s: stale token %d, the provider has seen %d".formatted(order, token, newest));
		this.token = token;
		this.newest = newest;
	}

	long token() {
		return this.token;
	}

	long newest() {
		return this.newest;
	}

}
