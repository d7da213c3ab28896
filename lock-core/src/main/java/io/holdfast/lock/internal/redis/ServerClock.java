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

package io.holdfast.lock.internal.redis;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Estimates the clock of each server from the times in its answers, so that a request can
 * carry a deadline in the server's time. The estimate lags by the network delay of the
 * answer, and never leads by more than the clocks' drift since. A server whose clock was
 * set, or another node of a cluster, makes it wrong once: the script refuses as late, and
 * that answer corrects it.
 */
final class ServerClock {

	/** Server milliseconds minus local monotonic milliseconds, by node. */
	private final ConcurrentMap<String, Long> offsets = new ConcurrentHashMap<>();

	private final UnaryOperator<String> nodeOf;

	private final Consumer<String> ask;

	/**
	 * Create the clock.
	 * @param nodeOf which server has a lock
	 * @param ask asks that server for its time, to be learned
	 */
	ServerClock(UnaryOperator<String> nodeOf, Consumer<String> ask) {
		this.nodeOf = nodeOf;
		this.ask = ask;
	}

	/**
	 * Takes in what the server of a lock has just answered.
	 */
	void learn(String key, long serverMillis) {
		String node = this.nodeOf.apply(key);
		Long offset = serverMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
		// All threads would wait for each other to write the same.
		if (!offset.equals(this.offsets.get(node))) {
			this.offsets.put(node, offset);
		}
	}

	/**
	 * The time of the server of a lock at a local time.
	 */
	long millisAt(String key, long nanos) {
		String node = this.nodeOf.apply(key);
		if (!this.offsets.containsKey(node)) {
			this.ask.accept(key);
		}
		return TimeUnit.NANOSECONDS.toMillis(nanos) + this.offsets.getOrDefault(node, 0L);
	}

}
