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

import io.holdfast.lock.LockServerException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the server answers what is sent for one request. What it did belongs to the
 * request, not to the waiter who asked: so all its waiters end together when nothing was
 * answered for the waiter timeout, whoever sent the commands. Guarded by the
 * {@link LocalLock}.
 */
final class ServerHealth {

	private final long patienceNanos;

	/**
	 * Whether a command without an answer was sent since the latest answer, and when the
	 * first one was.
	 */
	private boolean unanswered;

	private long sinceNanos;

	/**
	 * What the latest failure was; {@code null} while the first command without an answer
	 * is still on its way.
	 */
	private @Nullable LockServerException failure;

	private boolean silent;

	ServerHealth(long patienceNanos) {
		this.patienceNanos = patienceNanos;
	}

	void asked(long nowNanos) {
		if (!this.unanswered) {
			this.unanswered = true;
			this.sinceNanos = nowNanos;
		}
	}

	void answered() {
		this.unanswered = false;
		this.failure = null;
	}

	void failed(LockServerException because) {
		failed(because, true);
	}

	/**
	 * Takes in a failure.
	 * @param withoutAnswer whether the server did not answer; if it did, others were
	 * missing
	 */
	void failed(LockServerException because, boolean withoutAnswer) {
		this.failure = because;
		this.silent = withoutAnswer;
	}

	/**
	 * Forgets a command that nobody waits for any more.
	 */
	void restart() {
		this.unanswered = this.failure != null;
	}

	@Nullable LockServerException failure() {
		return this.failure;
	}

	boolean isUnanswered() {
		return this.unanswered;
	}

	/**
	 * Whether the latest command failed, or one on its way got no answer for too long.
	 */
	boolean isAway(long nowNanos) {
		return this.failure != null || isHopeless(nowNanos);
	}

	/**
	 * Whether the server would probably not answer one more command.
	 */
	boolean isSilent(long nowNanos) {
		return (this.failure != null && this.silent) || isHopeless(nowNanos);
	}

	/**
	 * Whether it makes no sense to go on.
	 */
	boolean isHopeless(long nowNanos) {
		return this.unanswered && Time.isReached(hopelessNanos(), nowNanos);
	}

	/**
	 * When it will make no sense any more to go on.
	 */
	long hopelessNanos() {
		return this.sinceNanos + this.patienceNanos;
	}

}
