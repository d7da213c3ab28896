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

package io.holdfast.lock.benchmarks.libraries;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * One way to lock, as its users would set it up.
 */
public interface Library {

	/**
	 * Returns the name by which it is chosen and shown.
	 * @return the name
	 */
	String name();

	/**
	 * Returns what it can do beyond locking and unlocking.
	 * @return its traits
	 */
	Set<Trait> traits();

	/**
	 * Connects to Redis.
	 * @param redis where that is
	 * @param threads how many threads will lock; there are connections enough for them
	 * @return what locks
	 */
	Session open(RedisAddress redis, int threads);

	/**
	 * How many commands its clients sent, of the calls that Redis counted. Redis also
	 * counts the calls inside scripts, so each library says what it sends; the scenario
	 * {@code commands} shows whether that is true.
	 * @param calls what Redis counted
	 * @return the number of commands
	 */
	default long commandsSent(Calls calls) {
		return calls.of("eval", "evalsha", "subscribe", "psubscribe", "unsubscribe", "punsubscribe");
	}

	/**
	 * What a library can do beyond locking and unlocking.
	 */
	enum Trait {

		/** Its lock waits until the key is free. */
		WAITS,

		/** It grants in the order of arrival. */
		FAIR,

		/** It renews what it holds. */
		RENEWS,

		/** A thread may lock again what it holds. */
		NESTS,

		/** It has locks that many read and one writes. */
		READS,

		/** It has permits that end with a lease. */
		PERMITS,

		/** Set up for renewal alone, because its default renews nothing. */
		ONLY_RENEWS

	}

	/**
	 * The lock clients of one process.
	 */
	interface Session {

		/**
		 * Locks a key, waiting for as long as it takes. A library that does not wait
		 * throws if the key is not free.
		 * @param key the key
		 * @return the hold, for this thread to unlock
		 */
		Hold lock(String key);

		/**
		 * Locks a key to read, with {@link Trait#READS}.
		 * @param key the key
		 * @return the hold, for this thread to unlock
		 */
		default Hold read(String key) {
			throw new UnsupportedOperationException("It has no readers");
		}

		/**
		 * Locks a key to write, with {@link Trait#READS}.
		 * @param key the key
		 * @return the hold, for this thread to unlock
		 */
		default Hold write(String key) {
			throw new UnsupportedOperationException("It has no writers");
		}

		/**
		 * Acquires a permit, with {@link Trait#PERMITS}.
		 * @param key the key
		 * @param limit how many there are
		 * @return the permit, to be given back
		 */
		default Hold permit(String key, int limit) {
			throw new UnsupportedOperationException("It has no permits");
		}

	}

	/**
	 * A key that is locked.
	 */
	interface Hold {

		/**
		 * Unlocks the key.
		 */
		void unlock();

	}

	/**
	 * How often Redis ran each command.
	 *
	 * @param byCommand the calls, by command in lower case
	 */
	record Calls(Map<String, Long> byCommand) {

		/**
		 * Returns how often some commands ran.
		 * @param commands their names in lower case
		 * @return the sum
		 */
		public long of(String... commands) {
			long sum = 0;
			for (String command : commands) {
				sum += this.byCommand.getOrDefault(command, 0L);
			}
			return sum;
		}

		/**
		 * Returns the calls between two moments.
		 * @param before those until the first one
		 * @return the difference
		 */
		public Calls since(Calls before) {
			Map<String, Long> delta = new HashMap<>();
			this.byCommand.forEach((command, count) -> delta.put(command, count - before.of(command)));
			return new Calls(delta);
		}

	}

	/**
	 * Where Redis is.
	 *
	 * @param host its host
	 * @param port its port
	 */
	record RedisAddress(String host, int port) {
	}

}
