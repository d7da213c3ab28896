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

package io.holdfast.lock.internal.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.internal.engine.PendingReleases.Lane;
import io.holdfast.lock.internal.engine.PendingReleases.Pending;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What is pending while a server is away, and what is kept of it. */
class PendingReleasesTests {

	private static final int BOUND = 10_000;

	private final AtomicLong clock = new AtomicLong();

	private final PendingReleases pending = new PendingReleases(this.clock::get, (key) -> "");

	@Test
	void fullLaneDropsWhatTheServerHasAnsweredOnceAndNotWhatWasNeverSent() {
		for (int i = 0; i < BOUND; i++) {
			add("answered" + i);
		}
		Lane lane = lane();
		this.pending.next(lane, BOUND).forEach((each) -> this.pending.answered(lane, each));
		this.pending.rest(lane);

		add("new");

		assertThat(this.pending.size()).isEqualTo(BOUND);
		assertThat(next(lane())).isEqualTo("new");
	}

	@Test
	void fullLaneKeepsTheLatest() {
		for (int i = 0; i <= BOUND; i++) {
			add("id" + i);
		}

		assertThat(this.pending.size()).isEqualTo(BOUND);
		assertThat(next(lane())).isEqualTo("id1");
	}

	@Test
	void fullLaneDropsWhatTheServerHasAnsweredOnceAndNotWhatItRefused() {
		add("refused");
		Lane lane = lane();
		this.pending.refused(lane, this.pending.next(lane, 1).get(0), false);
		this.pending.rest(lane);
		this.clock.set(Duration.ofMinutes(2).toNanos());
		for (int i = 1; i < BOUND; i++) {
			add("answered" + i);
		}
		lane = lane();
		for (Pending each : this.pending.next(lane, BOUND - 1)) {
			this.pending.answered(lane, each);
		}
		this.pending.rest(lane);

		add("new");

		assertThat(this.pending.size()).isEqualTo(BOUND);
		assertThat(this.pending.next(lane(), BOUND)).extracting(Pending::id).containsExactly("new", "refused");
	}

	@Test
	void releaseThatComesWhileItsLaneEndsIsToldOf() {
		AtomicInteger wakeUps = new AtomicInteger();
		this.pending.onAdd(wakeUps::incrementAndGet);
		add("first");
		Lane lane = lane();
		this.pending.next(lane, 1).forEach((each) -> this.pending.answered(lane, each));
		assertThat(this.pending.next(lane, 1)).isEmpty();

		add("second");
		int before = wakeUps.get();
		this.pending.done(lane);

		assertThat(wakeUps).hasValueGreaterThan(before);
		assertThat(next(lane())).isEqualTo("second");
	}

	private String next(Lane lane) {
		return this.pending.next(lane, 1).get(0).id();
	}

	private void add(String id) {
		this.pending.add(null, "p:lock:a", id);
	}

	private Lane lane() {
		return this.pending.takeDue(this.clock.get()).get(0);
	}

}
