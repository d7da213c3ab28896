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

package io.holdfast.lock.internal.client;

import java.time.Duration;

import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockDirectory.ClientReport;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a client says of itself as words, and reads what came from elsewhere. There
 * is no name of a lock in it.
 * <p>
 * A later version may add words at the end, which this one ignores. It must not add a
 * status or a reason: a client that does not know it cannot read the report, and shows
 * the other client as silent.
 */
final class ReportText {

	/**
	 * Longer than any that this version writes.
	 */
	private static final int MAX_LENGTH = 1000;

	private static final String NONE = "-";

	private static final int WORDS = 11;

	private ReportText() {
	}

	static String write(ClientReport report) {
		LockClientHealth health = report.health();
		String failure = health.failure();
		return String.join(" ", health.status().name(), Integer.toString(health.held()),
				Integer.toString(report.waiting()), Integer.toString(health.overdueRenewals()),
				write(report.renewalLag()), Integer.toString(report.pendingReleases()),
				Long.toString(report.resubscriptions()), write(health.lastAnswer()),
				write(health.subscriptionDownFor()), write(health.unavailableFor()),
				// The rest may have blanks in it, and is as long as Redis likes.
				(failure != null) ? failure.split("\\W", 2)[0] : NONE);
	}

	private static String write(@Nullable Duration time) {
		return (time != null) ? Long.toString(time.toMillis()) : NONE;
	}

	/**
	 * Reads words that may come from anywhere. Those behind the ones that this version
	 * knows do not count.
	 * @throws IllegalArgumentException if no client has written them
	 */
	static ClientReport read(String text) {
		String[] words = (text.length() <= MAX_LENGTH) ? text.split(" ", -1) : new String[0];
		if (words.length < WORDS) {
			throw new IllegalArgumentException("Not a client's report");
		}
		LockClientHealth health = new LockClientHealth(Status.valueOf(words[0]), count(words[1]), count(words[3]),
				time(words[7]), time(words[8]), time(words[9]),
				words[10].equals(NONE) ? null : Reason.valueOf(words[10]).name());
		Duration lag = time(words[4]);
		return new ClientReport(health, count(words[2]), (lag != null) ? lag : Duration.ZERO, count(words[5]),
				number(words[6]));
	}

	private static int count(String word) {
		return Math.toIntExact(Math.min(number(word), Integer.MAX_VALUE));
	}

	private static @Nullable Duration time(String word) {
		return word.equals(NONE) ? null : Duration.ofMillis(number(word));
	}

	private static long number(String word) {
		long number = Long.parseLong(word);
		if (number < 0) {
			throw new IllegalArgumentException("Not a client's report: " + word);
		}
		return number;
	}

}
