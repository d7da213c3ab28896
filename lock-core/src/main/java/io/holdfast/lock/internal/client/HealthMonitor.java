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
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.EngineView;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.Topology;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * What a client knows of its server: acquisitions, releases and batches of renewals
 * report here how they went; no other request does. Only while somebody wants to know,
 * and nobody else asks, a thread of the renewals does. Thread-safe.
 */
final class HealthMonitor {

	/*
	 * Each field is written as a whole and none depends on another, so threads need no
	 * lock. Where an answer and a failure meet, either may be the last one; the next call
	 * puts that right. Nothing that decides over a lock reads any of this.
	 *
	 * An outage begins with a failure and ends with an answer. It counts when failures
	 * are five seconds apart with no answer between them: one call that timed out says
	 * nothing. A refusal is an answer, but no lock, so it counts for acquisitions only
	 * and nothing but an acquisition ends it; that one key is no lock, or is damaged,
	 * says nothing of the others and does not count. A failure counts for a minute: if
	 * nobody has asked since, the server may be back, and a refusal may have been about
	 * that one lock.
	 */

	private final LimitedLog logger = new LimitedLog(HealthMonitor.class);

	/**
	 * A lock that nobody takes.
	 */
	private static final String PROBE_LOCK = "holdfast-health";

	private static final Duration DEAF = Duration.ofSeconds(3);

	private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long PROBE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long PROBE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * Answers that come faster are one, so that threads do not write to the same place
	 * all the time.
	 */
	private static final long RESOLUTION_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockRuntime runtime;

	private final AtomicBoolean probing = new AtomicBoolean();

	/** Nothing yet if negative; by {@link #now()}, as all times here. */
	private volatile long answeredNanos = -1;

	private volatile @Nullable Outage outage;

	/**
	 * The latest error that nobody expects, of which nothing has succeeded since.
	 */
	private volatile @Nullable Throwable unexpected;

	/**
	 * Since when no message has come through; only meaningful while none does.
	 */
	private volatile long deafSinceNanos;

	/**
	 * When somebody wanted to know.
	 */
	private volatile long askedNanos = -MINUTE_NANOS;

	/**
	 * When the latest probe began.
	 */
	private volatile long probedNanos;

	private final long startedNanos;

	HealthMonitor(LockRuntime runtime) {
		this.runtime = runtime;
		this.startedNanos = runtime.nanoTime();
	}

	private long now() {
		return this.runtime.nanoTime() - this.startedNanos;
	}

	/**
	 * The server answered. Costs next to nothing.
	 */
	void answered() {
		Outage present = this.outage;
		if (present != null && !present.isRefusal()) {
			this.outage = null;
		}
		if (this.unexpected != null) {
			this.unexpected = null;
		}
		long now = now();
		if (this.answeredNanos < 0 || now - this.answeredNanos >= RESOLUTION_NANOS) {
			this.answeredNanos = now;
		}
	}

	/**
	 * The server answered to somebody who wants a lock.
	 */
	void acquisitionAnswered() {
		if (this.outage != null) {
			this.outage = null;
		}
		answered();
	}

	/**
	 * The server failed.
	 */
	void failed(LockServerException failure) {
		if (failure.reason() == Reason.REFUSED) {
			answered();
		}
		else {
			begin(failure);
		}
	}

	/**
	 * The server failed somebody who wants a lock.
	 */
	void acquisitionFailed(LockServerException failure) {
		if (failure.reason() == Reason.REFUSED) {
			answered();
		}
		if (!RedisErrors.isAboutOneKey(failure)) {
			begin(failure);
		}
	}

	/**
	 * Something happened that nobody expects. It counts at once.
	 */
	void failed(Throwable thrown) {
		this.unexpected = thrown;
	}

	private void begin(LockServerException failure) {
		Error met = RedisErrors.errorIn(failure);
		if (met != null) {
			failed(met);
		}
		Outage present = outage();
		this.outage = new Outage((present != null) ? present.sinceNanos() : now(), now(), failure);
	}

	/**
	 * Time has passed: has the server asked if nobody else does, and somebody wants to
	 * know.
	 */
	void tick() {
		long now = now();
		if (this.runtime.hearsMessages()) {
			this.deafSinceNanos = now;
		}
		if (now - this.askedNanos >= MINUTE_NANOS || now - this.probedNanos < PROBE_INTERVAL_NANOS) {
			return;
		}
		Outage present = outage();
		boolean unknown = (present != null) ? !present.isRefusal()
				: this.answeredNanos < 0 || now - this.answeredNanos >= PROBE_AFTER_NANOS;
		if (unknown && this.probing.compareAndSet(false, true)) {
			this.probedNanos = now;
			try {
				this.runtime.executeInBackground(Topology.ONLY_NODE, this::probe);
			}
			catch (RuntimeException | Error ex) {
				// The machine may have no thread left. Renewals matter more.
				this.probing.set(false);
				this.logger.warnOfError("The health probe failed", ex);
			}
		}
	}

	private void probe() {
		try {
			this.runtime.server().describe(List.of(this.runtime.keys().lock(PROBE_LOCK)), false);
			answered();
		}
		catch (Throwable ex) {
			failed(RedisErrors.classify(PROBE_LOCK, ex));
			this.logger.warnOfError("The health probe failed", ex);
		}
		finally {
			this.probing.set(false);
		}
	}

	/**
	 * What is known now; for the next minute a probe keeps it fresh.
	 */
	LockClientHealth read() {
		this.askedNanos = now();
		long answered = this.answeredNanos;
		EngineView view = this.runtime.engine().view();
		int late = view.late();
		Outage present = outage();
		Throwable broken = this.runtime.engine().broken();
		Throwable met = (broken != null) ? broken : this.unexpected;
		Duration down = subscriptionDownFor();
		Status status = (met != null) ? Status.OUT_OF_SERVICE : status(present, late > 0, down);
		String failure = (present != null) ? describe(present.latest()) : null;
		return new LockClientHealth(status, view.held(), late, (answered >= 0) ? since(answered) : null, down,
				(present != null) ? since(present.sinceNanos()) : null, (met != null) ? met.toString() : failure);
	}

	/**
	 * For how long no message has come through; {@code null} while they do, or the client
	 * is closed.
	 */
	@Nullable Duration subscriptionDownFor() {
		boolean deaf = !this.runtime.engine().isClosed() && !this.runtime.hearsMessages();
		return deaf ? since(this.deafSinceNanos) : null;
	}

	private Duration since(long nanos) {
		return Duration.ofNanos(now() - nanos);
	}

	private @Nullable Outage outage() {
		Outage present = this.outage;
		return (present != null && now() - present.latestNanos() < MINUTE_NANOS) ? present : null;
	}

	private Status status(@Nullable Outage present, boolean late, @Nullable Duration down) {
		if (this.runtime.engine().isClosed()
				|| (present != null && present.latestNanos() - present.sinceNanos() >= OUTAGE_NANOS)) {
			return Status.OUT_OF_SERVICE;
		}
		if (late) {
			return Status.RENEWALS_LATE;
		}
		return (down != null && down.compareTo(DEAF) >= 0) ? Status.SUBSCRIPTION_DOWN : Status.UP;
	}

	/**
	 * Without the name of the lock, which may say something of a user.
	 */
	static String describe(LockServerException failure) {
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
	 */
	private record Outage(long sinceNanos, long latestNanos, LockServerException latest) {

		boolean isRefusal() {
			return this.latest.reason() == Reason.REFUSED;
		}
	}

}
