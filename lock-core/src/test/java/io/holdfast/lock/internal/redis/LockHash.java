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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the hash of a lock says. Reading it checks that it hangs together and that nothing
 * is left of requests that have gone.
 *
 * @param holds who holds it, in the order of their stamps; may be over
 * @param queue who waits, in order
 * @param last the latest stamp
 * @param lost up to which stamp holds may have ended without a release
 * @param released the latest holds that were released, as far as they are stored
 * @param usedUntil when the latest hold ends that it knows of; 0 if none
 */
public record LockHash(List<Hold> holds, List<Place> queue, long last, @Nullable Long lost, List<String> released,
		long usedUntil) {

	/**
	 * Reads a hash, as it is stored.
	 */
	public static LockHash of(Map<String, String> hash) {
		Map<String, String> left = new TreeMap<>(hash);
		if (left.isEmpty()) {
			return new LockHash(List.of(), List.of(), 0, null, List.of(), 0);
		}
		List<Place> queue = takeQueue(left);
		String hold = left.remove("hold");
		boolean marked = hold.endsWith(" +");
		String id = marked ? hold.substring(0, hold.length() - 2) : hold;
		String until = left.remove("until");
		String group = left.remove("group");
		String owner = left.remove("owner");
		String since = left.remove("since");
		long token = Long.parseLong(left.remove("token"));
		String latest = left.remove("last");
		long last = (latest != null) ? Long.parseLong(latest) : token;
		assertThat(latest).as("last").isNotEqualTo(Long.toString(token));
		List<String> released = new ArrayList<>(List.of(left.getOrDefault("released", "").split(" ")));
		released.remove("");
		left.remove("released");
		String lost = left.remove("lost");
		// What only a repeat of the same script reads.
		left.remove("forced");
		List<Hold> holds = new ArrayList<>();
		if (group != null) {
			assertThat(id).isEqualTo("3:");
			assertThat(owner).isNull();
			holds.addAll(takeMembers(left, group, token));
		}
		else if (until != null) {
			holds.add(new Hold(id, moment(until), 1, 1, token, token, last, owner.substring(0, 2), owner.substring(3)));
		}
		else if (!id.equals("3:")) {
			released.add(0, id);
		}
		assertThat(left).as("fields that say nothing").isEmpty();
		assertThat(marked || (queue.isEmpty() && group == null && latest == null && since == null)).as("mark").isTrue();
		assertThat(marked && until == null).as("mark of a hold that is over").isFalse();
		assertThat(holds).allMatch((each) -> each.until() <= moment(until));
		return new LockHash(holds, queue, last, (lost != null) ? Long.valueOf(lost) : null, released,
				(until != null) ? moment(until) : 0);
	}

	private static long moment(String text) {
		assertThat(text).startsWith("3:");
		return Long.parseLong(text.substring(2));
	}

	private static List<Hold> takeMembers(Map<String, String> hash, String group, long token) {
		List<Hold> holds = new ArrayList<>();
		for (String field : List.copyOf(hash.keySet())) {
			if (field.startsWith("h:")) {
				String[] words = hash.remove(field).split(" ", 7);
				long stamp = Long.parseLong(words[3]);
				holds.add(new Hold(field.substring(2), Long.parseLong(words[0]), Integer.parseInt(words[1]),
						Integer.parseInt(words[2]), group.startsWith("s") ? token : stamp, stamp,
						stamp + Long.parseLong(words[4]), words[5], words[6]));
			}
		}
		holds.sort(Comparator.comparing(Hold::stamp));
		String[] words = group.split(" ", -1);
		assertThat(holds).isNotEmpty().allMatch((each) -> each.mode().startsWith(words[0]));
		assertThat(holds.stream().mapToInt(Hold::units).sum()).isEqualTo(Integer.parseInt(words[1]));
		assertThat(holds).as("due").allMatch((each) -> each.until() >= Long.parseLong(words[2]));
		return holds;
	}

	private static List<Place> takeQueue(Map<String, String> hash) {
		List<Place> queue = new ArrayList<>();
		Set<String> seen = new HashSet<>();
		String previous = "-";
		String id = hash.getOrDefault("head", "-");
		while (!id.equals("-")) {
			assertThat(seen.add(id)).isTrue();
			String[] words = hash.remove("w:" + id).split(" ", 11);
			if (!previous.equals("-")) {
				assertThat(words[0]).as("before " + id).isEqualTo(previous);
			}
			queue.add(new Place(id, Long.parseLong(words[9]), Long.parseLong(words[2]), Long.parseLong(words[4]),
					Integer.parseInt(words[5]), Integer.parseInt(words[6]), Integer.parseInt(words[7]),
					Integer.parseInt(words[8]), words[3], words[10]));
			previous = id;
			id = words[1];
		}
		assertThat(hash.getOrDefault("tail", "-")).as("tail").isEqualTo(previous);
		hash.keySet().removeAll(List.of("head", "tail"));
		return queue;
	}

	/**
	 * Who holds it at a moment, in the order of their stamps.
	 */
	public List<Hold> holdsAt(long millis) {
		return this.holds.stream().filter((each) -> each.until() > millis).toList();
	}

	public List<String> holders() {
		return this.holds.stream().map(Hold::id).toList();
	}

	/**
	 * Who waits, in order.
	 */
	public List<String> waiters() {
		return this.queue.stream().map(Place::id).toList();
	}

	/**
	 * A request that holds the lock.
	 *
	 * @param until when that ends, in milliseconds
	 * @param token its first fencing token
	 * @param stamp its own number
	 * @param last its last token, or its stamp
	 * @param mode kind and order
	 */
	public record Hold(String id, long until, int units, int limit, long token, long stamp, long last, String mode,
			String client) {

		public boolean isA(char kind) {
			return this.mode.charAt(0) == kind;
		}

	}

	/**
	 * A place in the queue.
	 *
	 * @param alive when it is lost without a sign of life, in milliseconds
	 * @param timeout for how long it lasts without one
	 * @param mode kind and order
	 */
	public record Place(String id, long alive, long timeout, long lease, int units, int limit, int block, int callers,
			String mode, String client) {

		public boolean isFair() {
			return this.mode.charAt(1) == 'f';
		}

	}

}
