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

import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.PendingReleases;
import io.holdfast.lock.internal.engine.PendingReleases.Lane;
import io.holdfast.lock.internal.engine.PendingReleases.Pending;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.RedisErrors;

/**
 * Sends pending releases, those of each server on a thread of its own.
 */
public final class PendingReleaseSender {

	private final LimitedLog logger = new LimitedLog(PendingReleaseSender.class);

	private final PendingReleases pending;

	private final LockServer server;

	private final NodeExecutors executors = new NodeExecutors("holdfast-errand-", 1);

	public PendingReleaseSender(PendingReleases pending, LockServer server) {
		this.pending = pending;
		this.server = server;
	}

	/**
	 * Has what is due sent.
	 */
	void sendDue(long nowNanos) {
		for (Lane lane : this.pending.takeDue(nowNanos)) {
			try {
				this.executors.execute(lane.target(), () -> send(lane));
			}
			catch (RuntimeException | Error ex) {
				this.pending.rest(lane);
				this.logger.warnOfError("Releases wait", ex);
			}
		}
	}

	/**
	 * Sends what there is, on this thread, once.
	 */
	public void sendAll() {
		this.pending.takeAll().forEach(this::send);
	}

	private void send(Lane lane) {
		try {
			for (Pending next = this.pending.next(lane); next != null; next = this.pending.next(lane)) {
				send(lane, next);
			}
		}
		finally {
			this.pending.rest(lane);
		}
	}

	/**
	 * A refusal is no answer: the right may come back.
	 */
	private void send(Lane lane, Pending release) {
		LockServer target = (release.server() != null) ? release.server() : this.server;
		try {
			target.release(release.key(), release.id());
			this.pending.answered(lane, release);
		}
		catch (Throwable ex) {
			if (RedisErrors.classify("", ex).reason() == Reason.REFUSED) {
				this.pending.refused(lane, release);
			}
			else {
				this.pending.unanswered(lane, release);
			}
			this.logger.warnOfError("A release failed and is tried again", ex);
		}
	}

	void close() {
		this.executors.close();
	}

}
