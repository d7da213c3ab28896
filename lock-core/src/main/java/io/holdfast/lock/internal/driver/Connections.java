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

package io.holdfast.lock.internal.driver;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * What all connections have in common.
 */
final class Connections {

	/** How often connections are made anew while a demoted master answers. */
	static final long ANEW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private Connections() {
	}

	/**
	 * Runs a command on a connection and closes that. How it closes changes nothing about
	 * what the command did.
	 */
	static <T extends @Nullable Object> T use(RedisConnection connection, Function<RedisConnection, T> command) {
		try {
			return command.apply(connection);
		}
		finally {
			try {
				connection.close();
			}
			catch (RuntimeException ex) {
				// What the command did counts.
			}
		}
	}

	/**
	 * Lets something happen once in a while only.
	 * @param lastNanos when it happened last
	 * @return whether it may happen now
	 */
	static boolean isDue(AtomicLong lastNanos, long intervalNanos) {
		long now = System.nanoTime();
		long last = lastNanos.get();
		return now - last >= intervalNanos && lastNanos.compareAndSet(last, now);
	}

	/**
	 * The shorter of two times, of which the second may be 0 for none.
	 */
	static Duration shorter(Duration one, Duration other) {
		return (other.isZero() || other.isNegative() || one.compareTo(other) < 0) ? one : other;
	}

}
