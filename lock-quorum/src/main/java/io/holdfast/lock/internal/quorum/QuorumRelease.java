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

package io.holdfast.lock.internal.quorum;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.PendingReleaseQueue;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.single.RedisLockServer;

/**
 * Gives requests up on the servers of a quorum.
 */
final class QuorumRelease {

	// @formatter:off
	/*
	 * Algorithm. A vote that got no answer may still be carried out. While its request has a
	 * hold that is no harm, and nothing may undo it: a renewal may have counted the server. When
	 * the request is given up, the server is told so at once, and once more, as a pending release,
	 * when the vote can come no more. The release of a lock is asked by the thread that asked the
	 * votes for it, so it finds every vote sent, and its answer missed or not.
	 */
	// @formatter:on

	private static final int MAX_UNANSWERED = 1000;

	private static final long VALIDITY_NANOS = TimeUnit.MILLISECONDS.toNanos(LockServer.REQUEST_VALIDITY_MILLIS + 500);

	private final QuorumMembers members;

	private final PendingReleaseQueue pendingReleases;

	/**
	 * The votes without answer of requests that were not given up.
	 */
	private final Map<Vote, Long> unanswered = new ConcurrentHashMap<>();

	QuorumRelease(QuorumMembers members, PendingReleaseQueue pendingReleases) {
		this.members = members;
		this.pendingReleases = pendingReleases;
	}

	/**
	 * Takes in that a server did not answer a vote.
	 */
	void unanswered(RedisLockServer server, String id, LockServerException failure) {
		if (failure.reason() != Reason.UNREACHABLE && failure.reason() != Reason.REFUSED) {
			long now = System.nanoTime();
			if (this.unanswered.size() >= MAX_UNANSWERED) {
				// A vote that is old enough can come no more.
				this.unanswered.values().removeIf((sinceNanos) -> now - sinceNanos > VALIDITY_NANOS);
			}
			this.unanswered.put(new Vote(server, id), now);
		}
	}

	/**
	 * Gives a request up, and waits for as many answers as it takes.
	 */
	ReleaseReply release(String key, String id) {
		QuorumCall<Boolean> released = new QuorumCall<Boolean>(this.members, key);
		released.send((server) -> true, (server) -> giveUp(server, key, id), (server, ex) -> leave(server, key, id))
			.await((votes) -> votes.count((had) -> had) >= this.members.majority()
					|| votes.count((had) -> !had) > this.members.minority());
		boolean had = released.count((each) -> each) >= this.members.majority();
		if (!had && released.count((each) -> !each) <= this.members.minority()) {
			throw released.tooFew(0);
		}
		return new ReleaseReply(had, null);
	}

	/**
	 * Gives a request up where it may have had success, without waiting for that.
	 */
	void withdraw(String key, String id, QuorumCall<LockReply> votes) {
		this.members.tell(key, (server) -> !votes.hasAnswer(server, (vote) -> !vote.holds()), (server) -> {
			// Where the vote for it was to come first.
			if (!votes.isUnreachable(server)) {
				giveUp(server, key, id);
			}
		}, (server, ex) -> leave(server, key, id));
	}

	private boolean giveUp(RedisLockServer server, String key, String id) {
		boolean had = server.release(key, ReleaseCommand.of(id)).had();
		if (this.unanswered.remove(new Vote(server, id)) != null) {
			this.pendingReleases.add(server, key, id);
		}
		return had;
	}

	private void leave(RedisLockServer server, String key, String id) {
		this.unanswered.remove(new Vote(server, id));
		this.pendingReleases.add(server, key, id);
	}

	private record Vote(RedisLockServer server, String id) {
	}

}
