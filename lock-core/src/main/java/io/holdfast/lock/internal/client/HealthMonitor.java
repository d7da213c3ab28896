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
import io.holdfast.lock.internal.server.ErrorLog;
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

	private static final ErrorLog errors = new ErrorLog(HealthMonitor.class);

	/**
	 * A lock that nobody takes.
	 */
	private static final String PROBE_LOCK = "holdfast-health";

	private static final String PROBE_FAILED = "The health probe failed";

	private static final Duration DEAF = Duration.ofSeconds(3);

	private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long FAILURE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long PROBE_WHILE_READ_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long PROBE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long PROBE_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * Answers that come faster are one, so that threads do not write to the same place
	 * all the time.
	 */
	private static final long ANSWER_RESOLUTION_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final LockRuntime runtime;

	private final long startedNanos;

	private final AtomicBoolean probing = new AtomicBoolean();

	private volatile boolean answered;

	private volatile long answeredNanos;

	private volatile @Nullable Outage outage;

	/**
	 * Since when no message has come through; only meaningful while none does.
	 */
	private volatile long deafSinceNanos;

	/**
	 * Whether and when somebody wanted to know.
	 */
	private volatile boolean asked;

	private volatile long askedNanos;

	/**
	 * When the latest probe began.
	 */
	private volatile long probedNanos;

	HealthMonitor(LockRuntime runtime) {
		this.runtime = runtime;
		this.startedNanos = runtime.nanoTime();
		this.deafSinceNanos = this.startedNanos;
		this.probedNanos = this.startedNanos;
	}

	/**
	 * The server answered. Costs next to nothing.
	 */
	void answered() {
		Outage present = this.outage;
		if (present != null && !present.isRefusal()) {
			this.outage = null;
		}
		long now = this.runtime.nanoTime();
		if (!this.answered || now - this.answeredNanos >= ANSWER_RESOLUTION_NANOS) {
			this.answeredNanos = now;
			this.answered = true;
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

	private void begin(LockServerException failure) {
		try {
			long now = this.runtime.nanoTime();
			Outage present = outage(now);
			this.outage = new Outage((present != null) ? present.sinceNanos() : now, now, failure);
		}
		catch (Throwable ex) {
			// What the caller does next matters more, and there may be no memory.
		}
	}

	/**
	 * Time has passed: has the server asked if nobody else does, and somebody wants to
	 * know.
	 */
	void tick() {
		long now = this.runtime.nanoTime();
		if (this.runtime.hearsMessages()) {
			this.deafSinceNanos = now;
		}
		boolean wanted = this.asked && now - this.askedNanos < PROBE_WHILE_READ_NANOS;
		if (wanted && needsProbe(now) && now - this.probedNanos >= PROBE_INTERVAL_NANOS
				&& this.probing.compareAndSet(false, true)) {
			this.probedNanos = now;
			try {
				this.runtime.executeInBackground(Topology.ONLY_NODE, this::probe);
			}
			catch (RuntimeException | Error ex) {
				// The machine may have no thread left. Renewals matter more.
				this.probing.set(false);
				errors.warn(PROBE_FAILED, ex);
			}
		}
	}

	private boolean needsProbe(long nowNanos) {
		Outage present = outage(nowNanos);
		return (present != null) ? !present.isRefusal()
				: !this.answered || nowNanos - this.answeredNanos >= PROBE_AFTER_NANOS;
	}

	private void probe() {
		try {
			this.runtime.server().describe(List.of(this.runtime.keys().lock(PROBE_LOCK)), false);
			answered();
		}
		catch (Throwable ex) {
			failed(RedisErrors.classify(PROBE_LOCK, ex));
			errors.warn(PROBE_FAILED, ex);
		}
		finally {
			this.probing.set(false);
		}
	}

	/**
	 * What is known now; for the next minute a probe keeps it fresh.
	 */
	LockClientHealth read() {
		long now = this.runtime.nanoTime();
		this.askedNanos = now;
		this.asked = true;
		boolean closed = this.runtime.engine().isClosed();
		EngineView view = this.runtime.engine().view();
		int late = view.late();
		Outage present = outage(now);
		Duration down = subscriptionDownFor();
		return new LockClientHealth(status(closed, present, late > 0, down), view.held(), late,
				this.answered ? since(this.answeredNanos, now) : null, down,
				(present != null) ? since(present.sinceNanos(), now) : null,
				(present != null) ? describe(present.latest()) : null);
	}

	/**
	 * For how long no message has come through; {@code null} while they do, or the client
	 * is closed.
	 */
	@Nullable Duration subscriptionDownFor() {
		boolean deaf = !this.runtime.engine().isClosed() && !this.runtime.hearsMessages();
		return deaf ? since(this.deafSinceNanos, this.runtime.nanoTime()) : null;
	}

	private @Nullable Outage outage(long nowNanos) {
		Outage present = this.outage;
		return (present != null && nowNanos - present.latestNanos() < FAILURE_NANOS) ? present : null;
	}

	private static Status status(boolean closed, @Nullable Outage present, boolean late, @Nullable Duration down) {
		if (closed || (present != null && present.latestNanos() - present.sinceNanos() >= OUTAGE_NANOS)) {
			return Status.OUT_OF_SERVICE;
		}
		if (late) {
			return Status.RENEWALS_LATE;
		}
		return (down != null && down.compareTo(DEAF) >= 0) ? Status.SUBSCRIPTION_DOWN : Status.UP;
	}

	private static Duration since(long nanos, long nowNanos) {
		return Duration.ofNanos(Math.max(nowNanos - nanos, 0));
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
