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

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.PendingReleases;
import io.holdfast.lock.internal.engine.PendingReleases.Lane;
import io.holdfast.lock.internal.engine.PendingReleases.Pending;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.Owed;
import io.holdfast.lock.internal.server.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * Sends pending releases in batches, those of each server on a thread of its own.
 */
public final class PendingReleaseSender {

	private final LimitedLog logger = new LimitedLog(PendingReleaseSender.class);

	/**
	 * So few that the server is not busy with one script for long.
	 */
	private static final int BATCH = 100;

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
	public void sendDue(long nowNanos) {
		send(this.pending.takeDue(nowNanos));
	}

	/**
	 * Has what there is sent, as the client is being closed.
	 */
	void sendAll() {
		send(this.pending.takeAll());
	}

	/**
	 * Sends what there is on the calling thread, after the client was closed.
	 */
	void sendNow() {
		this.pending.takeAll().forEach(this::send);
	}

	private void send(List<Lane> lanes) {
		for (Lane lane : lanes) {
			try {
				this.executors.execute(lane.target(), () -> send(lane));
			}
			catch (RuntimeException | Error ex) {
				this.pending.rest(lane);
				this.logger.warnOfError("Releases wait", ex);
			}
		}
	}

	private void send(Lane lane) {
		try {
			List<Pending> batch = this.pending.next(lane, BATCH);
			while (!batch.isEmpty()) {
				send(lane, batch);
				batch = this.pending.next(lane, BATCH);
			}
		}
		finally {
			this.pending.done(lane);
		}
	}

	private void send(Lane lane, List<Pending> batch) {
		LockServer server = batch.get(0).server();
		try {
			Map<Owed, LockServerException> failures = ((server != null) ? server : this.server)
				.releaseEach(batch.stream().map(Pending::owed).toList());
			sent(lane, batch, (each) -> failures.get(each.owed()));
		}
		catch (Throwable ex) {
			LockServerException failure = RedisErrors.classify("", ex);
			sent(lane, batch, (each) -> failure);
			this.logger.warnOfError("Releases failed and are tried again", ex);
		}
	}

	private void sent(Lane lane, List<Pending> batch, Function<Pending, @Nullable LockServerException> failures) {
		// Backwards, as what is unanswered goes to the front.
		for (int i = batch.size() - 1; i >= 0; i--) {
			sent(lane, batch.get(i), failures.apply(batch.get(i)));
		}
	}

	/**
	 * A refusal is no answer: the right may come back.
	 */
	private void sent(Lane lane, Pending release, @Nullable LockServerException failure) {
		if (failure == null) {
			this.pending.answered(lane, release);
		}
		else if (failure.reason() == Reason.REFUSED) {
			this.pending.refused(lane, release, RedisErrors.mayPassAlone(failure));
		}
		else {
			this.pending.unanswered(lane, release);
		}
	}

	/**
	 * Ends its threads, and says how much is left.
	 */
	void close() {
		this.executors.close();
		int left = this.pending.unanswered();
		if (left > 0) {
			this.logger
				.warn(left + " releases were not answered before the client was closed. What is not released ends "
						+ "with its lease");
		}
	}

}
