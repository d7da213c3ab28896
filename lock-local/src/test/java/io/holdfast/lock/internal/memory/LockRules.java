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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.holdfast.lock.internal.redis.LockHash;
import io.holdfast.lock.internal.redis.LockHash.Hold;
import io.holdfast.lock.internal.redis.LockHash.Place;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What may never happen to a lock, whatever is asked: rules that need no model of it.
 */
final class LockRules {

	/**
	 * The largest token ever given, even if the data was lost since.
	 */
	private long spent;

	private final Map<String, Long> stamps = new HashMap<>();

	/**
	 * All data is lost, and with it who held the lock.
	 */
	void forget() {
		this.stamps.clear();
	}

	/**
	 * One request was carried out.
	 */
	void check(LockHash before, String request, String answer, LockHash after, long now) {
		checkHolds(after, now);
		assertHoldsAreKept(before, request, after, now);
		assertGrantedInOrder(before, request, after, now);
		assertQueueKeepsItsOrder(before, request, after, now);
		assertAnswerIsTrue(before, request, answer, after, now);
		assertIsBounded(before, request, answer, after, now);
	}

	/**
	 * Who does not wait behind many joins only where fewer wait, and is refused only
	 * where they do.
	 */
	private static void assertIsBounded(LockHash before, String request, String answer, LockHash after, long now) {
		String[] words = request.split(" ", -1);
		if (words[0].matches("acquire\\d+") && !before.waiters().contains(words[1])) {
			int most = Integer.parseInt(words[0].substring("acquire".length()));
			int others = after.queue()
				.stream()
				.filter((place) -> !place.id().equals(words[1]) && place.alive() > now)
				.mapToInt(Place::callers)
				.sum();
			assertThat(others).as("who wait beside it").satisfies((count) -> {
				if (answer.contains(" FULL ")) {
					assertThat(count).isGreaterThanOrEqualTo(most);
				}
				else if (after.waiters().contains(words[1]) && !words[7].equals("0")) {
					assertThat(count).isLessThan(most);
				}
			});
		}
	}

	/**
	 * Who may hold a lock at once, and what tokens they have.
	 */
	void checkHolds(LockHash lock, long now) {
		List<Hold> holds = lock.holdsAt(now);
		Set<Character> kinds = holds.stream().map((each) -> each.mode().charAt(0)).collect(Collectors.toSet());
		assertThat(kinds).as("kinds that hold together").hasSizeLessThanOrEqualTo(1);
		if (kinds.contains('x')) {
			assertThat(holds).hasSize(1);
		}
		else if (kinds.contains('s')) {
			assertThat(holds.stream().map(Hold::token).distinct()).as("tokens of readers").hasSize(1);
		}
		assertThat(holds.stream().mapToInt(Hold::units).sum()).as("units in use")
			.isLessThanOrEqualTo(holds.stream()
				.mapToInt((each) -> each.isA('s') ? Integer.MAX_VALUE : each.limit())
				.max()
				.orElse(Integer.MAX_VALUE));
		for (Hold hold : holds) {
			Long known = this.stamps.put(hold.id(), hold.stamp());
			if (known == null || known != hold.stamp()) {
				assertThat(hold.stamp()).as("new stamp").isGreaterThan(this.spent);
				this.spent = hold.last();
			}
		}
		this.spent = Math.max(this.spent, lock.last());
	}

	private static void assertHoldsAreKept(LockHash before, String request, LockHash after, long now) {
		if (request.startsWith("evict")) {
			return;
		}
		for (Hold hold : before.holdsAt(now)) {
			if (!hold.id().equals(givenUp(request))) {
				assertThat(after.holdsAt(now)).as("who still holds")
					.anyMatch((each) -> each.id().equals(hold.id()) && each.until() >= hold.until());
			}
		}
	}

	/**
	 * The request that a release is for.
	 */
	private static String givenUp(String request) {
		return request.startsWith("release ") ? request.split(" ", -1)[1] : "";
	}

	/**
	 * Nobody is overtaken but by readers, and no fair request by anybody.
	 */
	private static void assertGrantedInOrder(LockHash before, String request, LockHash after, long now) {
		Set<String> had = new HashSet<>(before.holders());
		List<Place> passed = new ArrayList<>();
		for (Place place : before.queue()) {
			Hold granted = after.holds()
				.stream()
				.filter((each) -> each.id().equals(place.id()) && !had.contains(each.id()))
				.findFirst()
				.orElse(null);
			if (granted == null) {
				boolean there = after.waiters().contains(place.id());
				if (there && place.alive() > now && !place.id().equals(givenUp(request))) {
					passed.add(place);
				}
			}
			else if (!passed.isEmpty()) {
				assertThat(granted.isA('s') && !place.isFair()).as(place.id() + " overtakes").isTrue();
				assertThat(passed).as("who are overtaken by " + place.id()).noneMatch(Place::isFair);
			}
		}
	}

	private static void assertQueueKeepsItsOrder(LockHash before, String request, LockHash after, long now) {
		List<String> stayed = new ArrayList<>(before.waiters());
		stayed.retainAll(after.waiters());
		List<String> joined = new ArrayList<>(after.waiters());
		joined.removeAll(stayed);
		assertThat(joined).as("who joined").hasSizeLessThanOrEqualTo(1).allMatch(request::contains);
		stayed.addAll(joined);
		assertThat(after.waiters()).isEqualTo(stayed);
		assertThat(before.queue().stream().filter((place) -> !stayed.contains(place.id()))).as("who left")
			.allMatch((place) -> after.holders().contains(place.id()) || place.alive() <= now
					|| place.id().equals(givenUp(request)) || !waits(request, place.id()));
	}

	/**
	 * Whether it stays although it is not granted, as far as this request says.
	 */
	private static boolean waits(String request, String id) {
		String[] words = request.split(" ", -1);
		return !(words[0].startsWith("acquire") && words[1].equals(id) && words[7].equals("0"));
	}

	private static void assertAnswerIsTrue(LockHash before, String request, String answer, LockHash after, long now) {
		String[] asked = request.split(" ", -1);
		// The answer to a release is about the request that comes after it.
		String id = (asked[0].equals("release") && asked.length > 3) ? asked[3] : (asked.length > 1) ? asked[1] : "";
		if (answer.contains(" HOLDS ")) {
			assertThat(answer.contains(" HOLDS 0 ") ? after.holds() : after.holdsAt(now)).anyMatch(
					(each) -> each.id().equals(id) && answer.contains(" " + each.token() + " " + each.last() + " "));
		}
		else if (answer.contains(" WAITS ")) {
			assertThat(after.waiters()).contains(id);
		}
		else if (!asked[0].equals("evict")) {
			assertThat(after.waiters()).doesNotContain(id);
			assertThat(after.holdsAt(now)).noneMatch((each) -> each.id().equals(id));
		}
		if (answer.contains(" GONE") && before.released().contains(asked[1])) {
			assertThat(answer).as("released before").contains("RELEASED");
		}
	}

}
