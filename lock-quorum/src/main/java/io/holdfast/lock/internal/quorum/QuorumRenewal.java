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

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.redis.RedisLockServer;

/**
 * Renews holds on the servers of a quorum, and has those that lack one take it up.
 */
final class QuorumRenewal {

	// @formatter:off
	/*
	 * Algorithm. A renewal asks all servers. It counts what they say they have, and the hold is
	 * believed for as long as a majority's leases last, from before the first was asked. Where a
	 * majority holds, those that answered without the hold, or without its latest token, are
	 * told to take it up: they started empty, were away, or another request had them. Nobody
	 * waits for that. What came of it, the next renewal sees.
	 *
	 * Why there is still one holder. A server takes up nothing that another request holds there,
	 * and nothing within the restart guard, like any vote: it supports one request at a time.
	 *
	 * Why tokens still grow. A server takes up a hold and its tokens in one step, and a majority
	 * has named these just before. So the tokens outlive each of the servers that got them first.
	 * A client gets more tokens only when a majority has written them.
	 *
	 * Why nothing is left behind. Whether the hold was released is looked at on the thread that
	 * sends the vote, just before. A release that comes later is sent by the same thread and
	 * undoes it. A vote that gets no answer is QuorumRelease's.
	 */
	// @formatter:on

	private final QuorumMembers members;

	private final QuorumRelease release;

	QuorumRenewal(QuorumMembers members, QuorumRelease release) {
		this.members = members;
		this.release = release;
	}

	/**
	 * Renews, each for itself, but sends them together.
	 */
	List<CompletableFuture<Reply>> renew(List<Renew> renewals) {
		long sent = System.nanoTime();
		List<Renew> plain = renewals.stream()
			.map((each) -> new Renew(each.key(), each.id(), each.leaseMillis(), 0, 0, each.ownedMillis(), ""))
			.toList();
		List<Poll<Vote>> polls = renewals.stream()
			.map((each) -> new Poll<>(this.members, each.key(), true, this.members::isDecided))
			.toList();
		for (RedisLockServer server : this.members.servers) {
			if (!renewals.isEmpty()) {
				this.members.tell(server, renewals.get(0).key(), () -> send(server, plain, polls),
						(failure) -> polls.forEach((poll) -> poll.add(server, null, failure)));
			}
		}
		return IntStream.range(0, renewals.size())
			.mapToObj((i) -> polls.get(i).over.thenCompose((poll) -> counted(renewals.get(i), poll, sent)))
			.toList();
	}

	private void send(RedisLockServer server, List<Renew> renewals, List<Poll<Vote>> polls) {
		List<CompletableFuture<Reply>> answers = server.sendTogether(renewals);
		for (int i = 0; i < polls.size(); i++) {
			Poll<Vote> poll = polls.get(i);
			CompletableFuture<Reply> unused = answers.get(i)
				.whenComplete((reply,
						failure) -> poll.add(server, (reply != null)
								? new Vote(reply.word(), reply.leftMillis(), reply.token(), reply.last(), "") : null,
								(LockServerException) failure));
		}
	}

	private CompletableFuture<Reply> counted(Renew renewal, Poll<Vote> votes, long sentNanos) {
		int held = votes.count(Vote::holds);
		if (held >= this.members.majority()) {
			Vote hold = this.members.hold(votes.answers());
			takeUp(renewal, votes, hold, sentNanos);
			return withTokens(renewal, votes, hold);
		}
		if (votes.answers().size() - held <= this.members.minority()) {
			throw votes.tooFew(0);
		}
		return CompletableFuture.completedFuture(new Reply(Word.NONE, 0, 0, 0, false, 0, null));
	}

	/**
	 * Adds the tokens that a renewal asks for: moments that have passed, and one at
	 * least.
	 */
	private CompletableFuture<Reply> withTokens(Renew renewal, Poll<Vote> votes, Vote hold) {
		if (renewal.block() == 0) {
			return CompletableFuture
				.completedFuture(new Reply(Word.HOLDS, hold.leftMillis(), hold.token(), 0, false, 0, null));
		}
		long now = System.nanoTime();
		long micros = this.members.servers.stream()
			.filter((each) -> votes.answer(each) != null)
			.mapToLong((each) -> TimeUnit.MILLISECONDS.toMicros(each.serverMillis(renewal.key(), now)))
			.max()
			.orElse(0);
		long last = Math.max(hold.last() + 1, Math.min(hold.last() + renewal.block(), micros));
		return this.members.raise(renewal.key(), renewal.id(),
				new Vote(Word.HOLDS, hold.leftMillis(), hold.token(), last, ""));
	}

	private void takeUp(Renew renewal, Poll<Vote> votes, Vote hold, long sentNanos) {
		for (RedisLockServer server : this.members.servers) {
			Vote vote = votes.answer(server);
			if (vote != null && (!vote.holds() || vote.last() < hold.last())) {
				this.members.tell(server, renewal.key(), () -> {
					if (!this.release.wasGivenUp(renewal.id())) {
						this.members.scripts.takeUp(server, renewal.key(), renewal.id(), hold, renewal.leaseMillis(),
								server.serverMillis(renewal.key(), sentNanos + QuorumRelease.VALIDITY_NANOS));
					}
				}, (failure) -> this.release.unanswered(server, renewal.id(), failure));
			}
		}
	}

}
