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

import java.util.concurrent.CompletableFuture;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.protocol.Reply;

/**
 * Gives back what calls got, on the thread of the owner.
 *
 * @param runtime the client's parts
 */
record Releaser(LockRuntime runtime) {

	/**
	 * Sees that an owner may go on.
	 * @throws LockLostException if the grant is lost
	 */
	void check(Grant grant) {
		expire(grant);
		if (grant.loss() != null) {
			throw lost(grant);
		}
	}

	/**
	 * Asks the server for a grant, and waits for the answer.
	 */
	void confirm(Grant grant) {
		CompletableFuture<Reply> answer = this.runtime.performer.ask(grant, (now) -> grant.state().confirm(grant, now));
		if (answer != null) {
			// How it failed, others are told.
			answer.exceptionally((failure) -> null).join();
		}
	}

	/**
	 * Sees whether a grant is over; its release goes in the background.
	 */
	void expire(Grant grant) {
		this.runtime.performer.tell(grant.state(), (state, now) -> state.expire(grant, now));
	}

	/**
	 * Gives back one acquisition. The last one passes the lock on: to a caller of this
	 * client if it may, else to the server.
	 * @throws LockLostException if the grant was lost; it counts as given back
	 * @throws LockServerException if the server did not answer; it counts as given back
	 */
	void release(Grant grant, boolean read) {
		CompletableFuture<Reply> answer = this.runtime.performer.ask(grant,
				(now) -> grant.state().unlock(grant, read, now));
		if (grant.loss() != null) {
			throw lost(grant);
		}
		if (!grant.isUnlocked()) {
			return;
		}
		if (answer == null) {
			released(grant, LockObserver.Release.PASSED_ON);
			return;
		}
		Reply reply;
		try {
			reply = answer.join();
		}
		catch (RuntimeException ex) {
			released(grant, LockObserver.Release.PENDING);
			throw this.runtime.errors.notReleased(grant, ex);
		}
		if (reply.word() == Reply.Word.GONE) {
			this.runtime.context.lose(grant, Cause.GONE);
			this.runtime.watchdog.wake();
			throw lost(grant);
		}
		released(grant, LockObserver.Release.RETURNED);
	}

	private static LockLostException lost(Grant grant) {
		return new LockLostException(Call.of(grant).lossOf(grant));
	}

	void released(Grant grant, LockObserver.Release how) {
		Want want = Call.of(grant).want;
		if (want.wish().maxWaiters() > 0) {
			this.runtime.holdTimes.add(want, this.runtime.now() - grant.sinceNanos());
		}
		LockObserver.Attempt attempt = Call.of(grant).owned();
		if (attempt != LockObserver.Attempt.UNOBSERVED) {
			attempt.released(how, this.runtime.now() - grant.sinceNanos());
		}
	}

	/**
	 * Gives back a grant that its owner never gets.
	 */
	void releaseQuietly(Grant grant, boolean read) {
		try {
			release(grant, read);
		}
		catch (LockException ex) {
			// Lost, or still to be released in the background.
		}
	}

}
