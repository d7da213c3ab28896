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

package io.holdfast.lock.internal.notice;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.ObserverCalls;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** Everybody who observes a client is told everything. */
class ObserversTests {

	@Test
	void everyCallReachesEveryObserver() throws Exception {
		ObserverCalls one = new ObserverCalls();
		ObserverCalls other = new ObserverCalls();
		Observers all = new Observers(List.of(one.observer(), other.observer()));

		List<String> called = ObserverCalls.callAll(all);

		Awaitility.await().atMost(TestThreads.LONG).until(all::isDone);
		assertThat(called).contains("deadlocked", "lost GONE");
		assertThat(one.calls()).containsExactlyInAnyOrderElementsOf(called);
		assertThat(other.calls()).containsExactlyInAnyOrderElementsOf(called);
		all.close();
	}

	@ParameterizedTest
	@EnumSource
	void logOfALossSaysWhetherAnotherMayBeAtWork(Cause cause) {
		Observers all = new Observers(List.of());
		String whoHasIt = switch (cause) {
			case EXPIRED, GONE, FORCED -> "another holder may be at work while its owner still is";
			case MAX_HOLD, CLOSED, ERROR -> "others get it when its owner gives it back";
		};
		try (LogCapture log = LogCapture.open()) {
			all.tellOwner(new LockLoss("order", false, 7, Instant.now(), cause, Duration.ofSeconds(3)), () -> null);

			assertThat(log.messages(Level.WARN)).singleElement()
				.asString()
				.startsWith("Lock 'order' with fencing token 7 was lost (" + cause + ") after 3s: ")
				.contains(whoHasIt);
		}
		all.close();
	}

	/** As a mock that knows no answer. */
	@Test
	@SuppressWarnings("NullAway")
	void observerThatFollowsNoAttemptIsNone() {
		Observers all = new Observers(List.of(new LockObserver() {
			@Override
			public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
				return null;
			}
		}));

		LockObserver.Attempt attempt = all.wanted("a", null, false, LockMode.EXCLUSIVE);

		assertThatNoException().isThrownBy(() -> attempt.acquired(LockObserver.Acquisition.FIRST_ATTEMPT, 1));
	}

}
