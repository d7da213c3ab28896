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

package io.holdfast.lock.internal.operator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Whether locks can be acquired, as far as a client knows from those who try. Asks
 * nobody. Thread-safe.
 */
public final class HealthMonitor {

	/*
	 * An outage begins with an acquisition that fails, and ends with one that is
	 * answered. Where the latest failure was no answer, it ends with whatever reaches the
	 * same server: a renewal, a release (one that is owed is tried again and again), or
	 * without a cluster a new subscription. So it ends soon, also where nobody is sent
	 * here meanwhile. It counts when failures are five seconds apart with no answer
	 * between them: one call that timed out says nothing. It is forgotten a minute after
	 * the latest failure: if nobody has tried since, the server may be back. Failures
	 * about a single key (not a lock, or damaged) are ignored: they say nothing about
	 * other locks.
	 *
	 * The outage is written as a whole, so threads need no lock. Where an answer and a
	 * failure meet, either may be the last one; the next call puts that right. Nothing
	 * that decides over a lock reads any of this.
	 */

	private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final Duration DEAF = Duration.ofSeconds(3);

	private final EngineView view;

	private final UnaryOperator<String> nodeOf;

	private volatile @Nullable Outage outage;

	/**
	 * Create the monitor.
	 * @param nodeOf which server has a key
	 */
	public HealthMonitor(EngineView view, UnaryOperator<String> nodeOf) {
		this.view = view;
		this.nodeOf = nodeOf;
	}

	/**
	 * The server answered to somebody who wants a lock. Costs next to nothing.
	 */
	public void answered() {
		if (this.outage != null) {
			this.outage = null;
		}
	}

	/**
	 * A server was reached, by whatever. It may still refuse locks.
	 * @param key what was asked about
	 */
	public void reached(String key) {
		if (this.outage != null) {
			reachedNode(this.nodeOf.apply(key));
		}
	}

	/**
	 * A node was reached, as by a new subscription where there is no cluster.
	 */
	public void reachedNode(String node) {
		Outage present = this.outage;
		if (present != null && isUnanswered(present.latest()) && node.equals(this.nodeOf.apply(present.key()))) {
			this.outage = null;
		}
	}

	/**
	 * A server failed somebody who wants a lock.
	 * @param key what was asked for
	 */
	public void failed(String key, LockServerException failure) {
		if (!isAboutOneKey(failure)) {
			Outage present = outage();
			long now = this.view.now();
			this.outage = new Outage((present != null) ? present.sinceNanos() : now, now, failure, key);
		}
	}

	/**
	 * What is known now.
	 */
	public LockClientHealth read() {
		Outage present = outage();
		String failure = (present != null) ? describe(present.latest()) : null;
		Duration down = this.view.subscriptionDownFor();
		return new LockClientHealth(status(present), this.view.held(), this.view.unsure(), down.isZero() ? null : down,
				(present != null) ? Duration.ofNanos(this.view.now() - present.sinceNanos()) : null, failure);
	}

	private Status status(@Nullable Outage present) {
		if (this.view.context().isClosed()
				|| (present != null && present.latestNanos() - present.sinceNanos() >= OUTAGE_NANOS)) {
			return Status.OUT_OF_SERVICE;
		}
		if (this.view.isRenewalLate()) {
			return Status.RENEWALS_LATE;
		}
		return (this.view.subscriptionDownFor().compareTo(DEAF) >= 0) ? Status.SUBSCRIPTION_DOWN : Status.UP;
	}

	private @Nullable Outage outage() {
		Outage present = this.outage;
		return (present != null && this.view.now() - present.latestNanos() < FORGOTTEN_NANOS) ? present : null;
	}

	private static boolean isUnanswered(LockServerException failure) {
		return failure.reason() == Reason.TIMED_OUT || failure.reason() == Reason.UNREACHABLE;
	}

	private static boolean isAboutOneKey(LockServerException failure) {
		String said = String.valueOf(NestedExceptionUtils.getMostSpecificCause(failure).getMessage());
		return failure.reason() == Reason.REFUSED
				&& Stream.of("WRONGTYPE", "LAYOUT", "DAMAGED").anyMatch(said::contains);
	}

	/**
	 * Without the name of the lock, which may say something of a user.
	 */
	private static String describe(LockServerException failure) {
		Throwable cause = failure.getCause();
		String reason = failure.reason().name();
		return (cause != null) ? reason + ": " + NestedExceptionUtils.getMostSpecificCause(cause).getMessage() : reason;
	}

	/**
	 * Failures without an answer between them.
	 *
	 * @param sinceNanos when the first one was
	 * @param latestNanos when the latest one was
	 * @param latest the latest one
	 * @param key what was asked for then
	 */
	private record Outage(long sinceNanos, long latestNanos, LockServerException latest, String key) {
	}

}
