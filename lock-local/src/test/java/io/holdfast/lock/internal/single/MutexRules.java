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
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.holdfast.lock.internal.single.MutexState.Place;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What may never happen to a lock, whatever is asked: rules that need no model of it.
 */
final class MutexRules {

	private final Set<String> released = new HashSet<>();

	/**
	 * The largest token ever given, even if the data was lost since.
	 */
	private long spent;

	void check(MutexState before, String request, String answer, MutexState after, long now) {
		List<String> given = givenUp(request);
		boolean ends = request.startsWith("evict") || (before.hold() != null && given.contains(before.hold()));
		// What is left of a hold that is over is its last token.
		boolean over = after.until() == null && after.token() == before.last();
		if (after.token() != before.token() && !over) {
			assertThat(after.token()).as("new token").isGreaterThan(this.spent);
			assertThat(ends || !before.isHeldAt(now)).as("no second holder").isTrue();
			assertGrantedInOrder(before, request, after.hold(), now);
		}
		else if (after.isHeldAt(now)) {
			assertThat(after.hold()).isEqualTo(before.hold());
			assertThat(after.until()).as("hold is not shortened").isGreaterThanOrEqualTo(before.until());
		}
		assertThat(ends || !before.isHeldAt(now) || after.isHeldAt(now)).as("hold is not lost").isTrue();
		assertThat(after.last()).isGreaterThanOrEqualTo(before.last());
		this.spent = Math.max(this.spent, after.last());
		assertQueueKeepsItsOrder(before, request, after, now);
		if (before.until() != null && ends && !given.isEmpty()) {
			this.released.add(before.hold());
			// One that was handed the lock by another one of the same call.
			before.waiters().stream().filter(given::contains).forEach(this.released::add);
		}
		assertAnswerIsTrue(request, answer, after, now);
	}

	/**
	 * The requests that a release is for.
	 */
	private static List<String> givenUp(String request) {
		return request.startsWith("release ") ? List.of(request.split(" ", -1)[1].split(",", -1)) : List.of();
	}

	private static void assertGrantedInOrder(MutexState before, String request, String to, long now) {
		assertThat(before.queue().stream().takeWhile((place) -> !place.id().equals(to)))
			.as("those who are passed over for %s", to)
			.allMatch((place) -> place.alive() <= now || givenUp(request).contains(place.id()));
	}

	private static void assertQueueKeepsItsOrder(MutexState before, String request, MutexState after, long now) {
		List<String> stayed = new ArrayList<>(before.waiters());
		stayed.retainAll(after.waiters());
		List<String> joined = new ArrayList<>(after.waiters());
		joined.removeAll(stayed);
		assertThat(joined).as("who joined").hasSizeLessThanOrEqualTo(1).allMatch(request::contains);
		stayed.addAll(joined);
		assertThat(after.waiters()).isEqualTo(stayed);
		assertThat(before.queue().stream().filter((place) -> !stayed.contains(place.id()))).as("who left")
			.allMatch((place) -> left(place, request, after, now));
	}

	private static boolean left(Place place, String request, MutexState after, long now) {
		return place.id().equals(after.hold()) || place.alive() <= now || givenUp(request).contains(place.id());
	}

	private void assertAnswerIsTrue(String request, String answer, MutexState after, long now) {
		String[] asked = request.split(" ", -1);
		// The answer to a release is about the request that comes after it.
		String id = (asked[0].equals("release") && asked.length > 3) ? asked[3] : asked[1];
		if (answer.contains(" HOLDS ")) {
			assertThat(after.isHeldAt(now)).isTrue();
			assertThat(after.hold()).isEqualTo(id);
			assertThat(answer).contains(" " + after.token() + " ");
		}
		else if (answer.contains(" WAITS ")) {
			assertThat(after.waiters()).contains(id);
		}
		if (answer.contains(" RELEASED")) {
			assertThat(this.released).as("released before").contains(givenUp(request).get(0));
		}
	}

}
