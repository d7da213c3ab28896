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

package io.holdfast.lock.internal.single;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the hash of a lock says. Reading it checks that its queue hangs together and that
 * nothing is left of requests that have gone. Fields that are absent are {@code null}.
 *
 * @param hold the request that holds the lock or held it last
 * @param until when that hold ends, in milliseconds
 * @param since when it began, in milliseconds, if its token does not tell
 * @param client whose it is, or was
 * @param mode the kind of the hold and the order for which it asked
 * @param last the last fencing token that was given out
 * @param released the latest holds that were released before
 * @param queue the places of those who wait, in order
 */
record MutexState(@Nullable String hold, @Nullable Long until, @Nullable Long since, @Nullable String client,
		@Nullable String mode, long token, long last, List<String> released, @Nullable Long lost, List<Place> queue) {

	static final MutexState NOTHING = new MutexState(null, null, null, null, null, 0, 0, List.of(), null, List.of());

	/**
	 * Read a hash, as it is stored.
	 */
	static MutexState of(Map<String, String> hash) {
		Map<String, String> left = new TreeMap<>(hash);
		List<Place> queue = takeQueue(left);
		String owner = left.remove("owner");
		long token = number(left.remove("token"), 0L);
		String hold = left.remove("hold");
		String id = "2:".equals(hold) ? null : withoutMark(hold);
		MutexState state = new MutexState(id, number(ofLayout(left.remove("until")), null),
				number(left.remove("since"), null), (owner != null) ? owner.substring(3) : null,
				(owner != null) ? owner.substring(0, 2) : null, token, Math.max(token, number(left.remove("last"), 0L)),
				words(left.remove("released")), number(left.remove("lost"), null), queue);
		// What only a repeat of the same script reads.
		left.remove("forced");
		assertThat(left).as("fields that say nothing").isEmpty();
		boolean marked = hold != null && hold.endsWith(" +");
		assertThat(marked || (queue.isEmpty() && state.last() == token && state.since() == null)).as("mark").isTrue();
		assertThat(marked && state.until() == null).as("mark of a hold that is over").isFalse();
		return state;
	}

	private static @Nullable String withoutMark(@Nullable String hold) {
		return (hold != null && hold.endsWith(" +")) ? hold.substring(0, hold.length() - 2) : hold;
	}

	private static @Nullable String ofLayout(@Nullable String until) {
		if (until != null) {
			assertThat(until).startsWith("2:");
		}
		return (until != null) ? until.substring(2) : null;
	}

	private static List<Place> takeQueue(Map<String, String> hash) {
		List<Place> queue = new ArrayList<>();
		String previous = "-";
		long number = 0;
		String id = hash.getOrDefault("head", "-");
		while (!id.equals("-")) {
			String text = hash.remove("w:" + id);
			assertThat(text).as("place of %s behind %s", id, previous).isNotNull();
			String[] words = text.split(" ", 9);
			// The first one may point back to one that is gone.
			if (!queue.isEmpty()) {
				assertThat(words[0]).as("what stands before %s", id).isEqualTo(previous);
			}
			assertThat(Long.parseLong(words[2])).as("number of %s", id).isGreaterThan(number);
			number = Long.parseLong(words[2]);
			queue.add(new Place(id, Long.parseLong(words[3]), Long.parseLong(words[4]), Integer.parseInt(words[5]),
					Integer.parseInt(words[6]), words[7], words[8]));
			previous = id;
			id = words[1];
		}
		assertThat(hash.getOrDefault("tail", "-")).as("tail").isEqualTo(previous);
		hash.keySet().removeAll(List.of("head", "tail"));
		return queue;
	}

	private static @Nullable Long number(@Nullable String text, @Nullable Long absent) {
		return (text != null) ? Long.valueOf(text) : absent;
	}

	private static List<String> words(@Nullable String text) {
		return (text != null) ? Arrays.asList(text.split(" ", -1)) : List.of();
	}

	boolean isHeldAt(long millis) {
		return this.until != null && this.until > millis;
	}

	/**
	 * Who waits, in order.
	 */
	List<String> waiters() {
		return this.queue.stream().map(Place::id).toList();
	}

	/**
	 * When nothing in it matters any more, in milliseconds.
	 */
	long usedUntil() {
		long latest = (this.until != null) ? this.until : 0;
		return this.queue.stream().mapToLong(Place::alive).reduce(latest, Math::max);
	}

	/**
	 * A place in the queue.
	 *
	 * @param id the request
	 * @param alive when it is lost without a sign of life, in milliseconds
	 * @param lease how long the hold shall last
	 * @param block how many tokens are wanted
	 * @param timeout how long it lasts without a sign of life, in milliseconds
	 * @param mode the kind of the hold and the order for which it asked
	 * @param client whose it is
	 */
	record Place(String id, long alive, long lease, int block, long timeout, String mode, String client) {

		Place stayingUntil(long millis) {
			return new Place(this.id, millis, this.lease, this.block, this.timeout, this.mode, this.client);
		}

	}

}
