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

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.redis.RedisLockServer;
import org.jspecify.annotations.Nullable;

/**
 * Gives requests up on the servers of a quorum.
 */
final class QuorumRelease {

	// @formatter:off
	/*
	 * Algorithm. A vote that got no answer may still be carried out. While its request has a
	 * hold that is no harm, and nothing may undo it: a renewal may have counted the server. When
	 * the request is given up, the server is told so at once, and once more when the vote can come
	 * no more. A release is asked by the thread that asked the votes for it, so it finds every vote
	 * sent, and its answer missed or not. A server that does not answer a release is told again
	 * until it does, together with others; of more than a thousand that one server has missed, some
	 * are left to end with their leases.
	 */
	// @formatter:on

	private static final int MOST = 1000;

	static final long VALIDITY_NANOS = TimeUnit.MILLISECONDS.toNanos(5500);

	/** So few that a server is not busy with one script for long. */
	private static final int BATCH = 100;

	private final QuorumMembers members;

	/** The votes without answer of requests that were not given up. */
	private final Map<Unanswered, Long> unanswered = new ConcurrentHashMap<>();

	/** The latest requests that were given up. */
	private final Map<String, Boolean> given = Collections.synchronizedMap(new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
			return size() > MOST;
		}

	});

	/** What each server has to be told again, and from when on. */
	private final Map<RedisLockServer, Map<Release, Long>> missed = new ConcurrentHashMap<>();

	private final AtomicBoolean scheduled = new AtomicBoolean();

	private volatile boolean closed;

	QuorumRelease(QuorumMembers members) {
		this.members = members;
	}

	/**
	 * Takes in that a server did not answer a vote.
	 */
	void unanswered(RedisLockServer server, String id, LockServerException failure) {
		if (failure.reason() != Reason.UNREACHABLE && failure.reason() != Reason.REFUSED) {
			long now = System.nanoTime();
			if (this.unanswered.size() >= MOST) {
				// A vote that is old enough can come no more.
				this.unanswered.values().removeIf((sinceNanos) -> now - sinceNanos > VALIDITY_NANOS);
			}
			this.unanswered.put(new Unanswered(server, id), now);
		}
	}

	boolean wasGivenUp(String id) {
		return this.given.containsKey(id);
	}

	/**
	 * Gives requests up, each for itself, but sends those of one stripe together.
	 */
	List<CompletableFuture<Reply>> release(List<Release> releases) {
		releases.forEach((each) -> this.given.put(each.id(), true));
		List<Asked> asked = releases.stream().map((each) -> new Asked(each, poll(each.key()))).toList();
		asked.stream()
			.collect(Collectors.groupingBy((each) -> QuorumMembers.stripeOf(each.release.key())))
			.values()
			.forEach(this::ask);
		return asked.stream().map((each) -> each.poll.over.thenApply((votes) -> counted(votes))).toList();
	}

	private Poll<Boolean> poll(String key) {
		return new Poll<>(this.members, key, false, (votes) -> votes.count((had) -> had) >= this.members.majority()
				|| votes.count((had) -> !had) > this.members.minority());
	}

	private void ask(List<Asked> together) {
		for (RedisLockServer server : this.members.servers) {
			this.members.tellInTime(server, together.get(0).release.key(), together.get(0).poll.timeoutNanos,
					() -> send(server, together),
					(failure) -> together.forEach((each) -> answered(server, each, null, failure)));
		}
	}

	private void send(RedisLockServer server, List<Asked> together) {
		List<Release> releases = together.stream().map(Asked::release).toList();
		// For a single one a caller may wait: it goes as its question went.
		List<CompletableFuture<Reply>> answers = (together.size() > 1) ? server.sendTogether(releases)
				: List.of(server.send(releases.get(0)));
		for (int i = 0; i < together.size(); i++) {
			Asked each = together.get(i);
			CompletableFuture<Reply> unused = answers.get(i)
				.whenComplete((reply, failure) -> answered(server, each, reply, (LockServerException) failure));
		}
	}

	private void answered(RedisLockServer server, Asked asked, @Nullable Reply reply,
			@Nullable LockServerException failure) {
		asked.poll.add(server, (reply != null) ? reply.word() == Word.RELEASED : null, failure);
		givenUp(server, asked.release, reply != null);
	}

	private Reply counted(Poll<Boolean> votes) {
		boolean had = votes.count((each) -> each) >= this.members.majority();
		if (!had && votes.count((each) -> !each) <= this.members.minority()) {
			throw votes.tooFew(0);
		}
		return new Reply(had ? Word.RELEASED : Word.GONE, 0, 0, 0, false, 0, null);
	}

	/**
	 * Gives a request up where it may have had success.
	 */
	void withdraw(String key, String id, Poll<Vote> votes) {
		Release release = new Release(key, id, 0, null);
		for (RedisLockServer server : this.members.servers) {
			Vote vote = votes.answer(server);
			// Where it was not reached, the vote for it was to come first.
			if ((vote == null || vote.holds()) && !votes.isUnreachable(server)) {
				this.members.tell(server, key,
						() -> givenUp(server, release, !server.send(release).isCompletedExceptionally()),
						(failure) -> givenUp(server, release, false));
			}
		}
	}

	/** Tells a server again later that had no answer, or that a vote may reach yet. */
	private void givenUp(RedisLockServer server, Release release, boolean answered) {
		if (this.unanswered.remove(new Unanswered(server, release.id())) != null || !answered) {
			Map<Release, Long> due = this.missed.computeIfAbsent(server, (added) -> new ConcurrentHashMap<>());
			if (due.size() < MOST) {
				due.put(release, System.nanoTime() + VALIDITY_NANOS);
				schedule();
			}
		}
	}

	private void schedule() {
		if (!this.closed && this.scheduled.compareAndSet(false, true)) {
			try {
				CompletableFuture.delayedExecutor(VALIDITY_NANOS / 2, TimeUnit.NANOSECONDS, Runnable::run)
					.execute(this::tellMissed);
			}
			catch (RuntimeException | Error ex) {
				this.scheduled.set(false);
				throw ex;
			}
		}
	}

	private void tellMissed() {
		try {
			this.missed.forEach(this::tellMissed);
		}
		finally {
			this.scheduled.set(false);
			if (this.missed.values().stream().anyMatch((missed) -> !missed.isEmpty())) {
				schedule();
			}
		}
	}

	private void tellMissed(RedisLockServer server, Map<Release, Long> missed) {
		long now = System.nanoTime();
		List<Release> due = missed.entrySet()
			.stream()
			.filter((each) -> each.getValue() - now <= 0)
			.limit(BATCH)
			.map(Map.Entry::getKey)
			.toList();
		if (due.isEmpty() || this.closed) {
			return;
		}
		// Not again while it is under way; and if it fails, others come first.
		Long next = now + VALIDITY_NANOS;
		due.forEach((each) -> missed.replace(each, next));
		this.members.tell(server, due.get(0).key(), () -> {
			List<CompletableFuture<Reply>> answers = server.sendTogether(due);
			boolean answered = false;
			for (int i = 0; i < due.size(); i++) {
				answered |= !answers.get(i).isCompletedExceptionally() && missed.remove(due.get(i), next);
			}
			if (answered) {
				tellMissed(server, missed);
			}
		}, (failure) -> {
			// It is told again.
		});
	}

	/**
	 * What servers still miss ends with its lease.
	 */
	void close() {
		this.closed = true;
		this.missed.clear();
	}

	private record Asked(Release release, Poll<Boolean> poll) {
	}

	private record Unanswered(RedisLockServer server, String id) {
	}

}
