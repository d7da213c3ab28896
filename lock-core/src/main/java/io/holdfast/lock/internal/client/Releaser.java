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

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.Release;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.ReleaseReply;

/**
 * Gives back what {@link BlockingAcquire} got, on the thread of its owner.
 */
final class Releaser {

	private final LockRuntime runtime;

	private final LockEngine engine;

	Releaser(LockRuntime runtime) {
		this.runtime = runtime;
		this.engine = runtime.engine();
	}

	/**
	 * Gives back one acquisition. The last one passes the lock on: to a caller of this
	 * client if it may, else to the server.
	 * @throws LockLostException if the grant was lost; it counts as given back
	 * @throws LockServerException if the server did not answer; it counts as given back
	 */
	void release(Grant grant) {
		Release.Result result = giveBack(grant);
		Release release = result.release();
		if (release == null) {
			if (result.passedOn()) {
				released(grant, LockObserver.Release.PASSED_ON);
			}
			return;
		}
		boolean had;
		try {
			had = send(release);
		}
		catch (LockServerException ex) {
			released(grant, LockObserver.Release.PENDING);
			throw this.runtime.errors().notReleased(grant, ex);
		}
		if (!had) {
			throw new LockLostException(this.engine.gone(grant));
		}
		released(grant, LockObserver.Release.RETURNED);
	}

	private Release.Result giveBack(Grant grant) {
		try {
			return this.engine.release(grant);
		}
		catch (LockLostException ex) {
			this.runtime.releaseLate();
			throw ex;
		}
		catch (Error ex) {
			this.engine.discard(grant, ex);
			throw ex;
		}
	}

	private void released(Grant grant, LockObserver.Release how) {
		LockObserver.Attempt attempt = grant.attempt();
		if (attempt != LockObserver.Attempt.UNOBSERVED) {
			attempt.released(how, this.engine.now() - grant.sinceNanos());
		}
	}

	/**
	 * Gives back a grant that its owner never gets.
	 */
	void releaseQuietly(Grant grant) {
		try {
			release(grant);
		}
		catch (LockException ex) {
			// Lost, or still to be released in the background.
		}
	}

	/**
	 * Gives up a place that nobody waits in any more.
	 */
	void sendQuietly(Release release) {
		try {
			send(release);
		}
		catch (LockServerException ex) {
			// It goes on in the background, and the caller has its answer without this.
		}
	}

	/**
	 * Tells the server to release a request. For local waiters it joins the queue again
	 * in the same step; if they all leave meanwhile, gives that up, too.
	 * @return whether the server knew the request
	 */
	private boolean send(Release release) {
		ReleaseReply reply;
		Release next;
		try {
			reply = this.runtime.server().release(release.key(), release.command());
			this.runtime.health().answered();
			next = this.engine.released(release, reply);
		}
		catch (Throwable ex) {
			// Whatever it is, the waiters must not wait for an answer any more.
			throw failed(release, ex);
		}
		if (next != null) {
			sendQuietly(next);
		}
		return reply.had();
	}

	private LockServerException failed(Release release, Throwable thrown) {
		try {
			LockServerException failure = RedisErrors.classify(this.runtime.keys().nameOf(release.key()), thrown);
			this.engine.releaseFailed(release, failure);
			this.runtime.health().failed(failure);
			return failure;
		}
		catch (Error ex) {
			this.engine.discard(release, ex);
			throw ex;
		}
	}

}
