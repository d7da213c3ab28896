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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.holdfast.lock.chaos.History.LastGrant;

/**
 * P6 to P8 of locks that one call wanted once: what the server has given to nobody else
 * can be compared with what that call was told.
 */
final class SingleCheck {

	/**
	 * How well the server's time can be compared with ours.
	 */
	private static final Duration CLOCKS = Duration.ofMillis(200);

	private final History history;

	private final Promises promises;

	private final FaultWindows windows;

	private final Map<Integer, Long> deaths;

	private final Findings findings;

	private final Map<Long, Attempt> attempts = new HashMap<>();

	SingleCheck(History history, Promises promises, FaultWindows windows, Map<Integer, Long> deaths,
			Findings findings) {
		this.history = history;
		this.promises = promises;
		this.windows = windows;
		this.deaths = deaths;
		this.findings = findings;
	}

	void check() {
		for (Attempt attempt : this.history.attempts()) {
			if (LockNumbers.isSingle(attempt.lock())) {
				this.attempts.put(attempt.lock(), attempt);
				if (attempt.outcome() == Outcome.REFUSED) {
					this.findings.add(Property.P8, attempt.lock(), attempt.ended(),
							"nobody else wanted it: " + attempt);
				}
			}
		}
		this.history.lastGrants().forEach(this::check);
	}

	private void check(LastGrant grant) {
		Attempt attempt = this.attempts.get(grant.lock());
		if (attempt == null) {
			return;
		}
		long death = this.deaths.getOrDefault(attempt.process(), Long.MAX_VALUE);
		long ended = (attempt.ended() != 0) ? attempt.ended() : Math.min(death, this.history.until());
		boolean released = attempt.release() == Outcome.DONE;
		if (grant.grantedAt() > ended + this.promises.validity().plus(CLOCKS).toNanos()) {
			this.findings.add(Property.P7, grant.lock(), grant.grantedAt(), "granted after the end of " + attempt);
		}
		else if (released && grant.token() > attempt.token() && !this.promises.topology().votes()) {
			this.findings.add(Property.P7, grant.lock(), grant.grantedAt(),
					"granted again with token " + grant.token() + " to " + attempt);
		}
		boolean over = attempt.ended() != 0 && (!attempt.granted() || attempt.releaseEnded() != 0);
		long from = Math.max(attempt.ended(), attempt.releaseEnded());
		// A master that fails takes with it what it has not sent to a replica.
		boolean lost = this.windows.lostData(from, from + this.promises.slack().toNanos());
		if (over && !lost && grant.held() && death == Long.MAX_VALUE && this.windows.faultFreeNanos(from,
				grant.at()) > this.promises.validity().toNanos() + this.promises.attemptNanos()) {
			this.findings.add(Property.P6, grant.lock(), grant.at(), "still held after the end of " + attempt);
		}
	}

}
