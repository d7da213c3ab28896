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

package io.holdfast.lock.internal.memory;

import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Wish;

/**
 * A request that waits for a lock, and later holds it. Not thread-safe.
 */
final class MemoryRequest {

	final Ask ask;

	final String client;

	Wish wish;

	/**
	 * For how long its place in the queue lasts without a sign of life.
	 */
	long timeoutMillis;

	/**
	 * When its place is lost without a sign of life.
	 */
	long aliveMillis;

	long untilMillis;

	/**
	 * When its present owner got it.
	 */
	long sinceMillis;

	long token;

	/**
	 * The latest token that its client may give out.
	 */
	long last;

	/**
	 * Its own number among all that were granted.
	 */
	long stamp;

	/**
	 * How many callers wait behind its place.
	 */
	int callers;

	MemoryRequest(MemoryCall call, Ask ask) {
		this.ask = ask;
		this.client = call.client();
		this.wish = ask.wish();
		stay(call, ask.callers());
	}

	String id() {
		return this.ask.id();
	}

	/**
	 * Takes in a sign of life.
	 */
	void stay(MemoryCall call, int waiting) {
		this.callers = waiting;
		this.timeoutMillis = call.timeoutMillis();
		this.aliveMillis = call.millis() + this.timeoutMillis;
	}

	boolean isDead(MemoryCall call) {
		return this.aliveMillis <= call.millis();
	}

	boolean isOver(MemoryCall call) {
		return this.untilMillis <= call.millis();
	}

}
