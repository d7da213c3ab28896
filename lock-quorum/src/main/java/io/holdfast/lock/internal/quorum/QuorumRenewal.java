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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.single.RedisLockServer;

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
	 *
	 * Why nothing is left behind. Whether the hold is still wanted is asked on the thread that
	 * sends the vote, just before. A release that comes later is sent by the same thread and
	 * undoes it. A vote that gets no answer is QuorumRelease's.
	 */
	// @formatter:on

	private final QuorumMembers members;

	private final QuorumRelease release;

	private final LongSupplier nanoTime;

	private final BiPredicate<String, String> holds;

	QuorumRenewal(QuorumMembers members, QuorumRelease release, LongSupplier nanoTime,
			BiPredicate<String, String> holds) {
		this.members = members;
		this.release = release;
		this.nanoTime = nanoTime;
		this.holds = holds;
	}

	List<LockReply> renew(List<Renewal> renewals) {
		long sent = this.nanoTime.getAsLong();
		return replies(renewals, send(renewals), sent);
	}

	/**
	 * Renews, and has servers that lack a hold take it up. All groups are sent before the
	 * first is waited for, so that a server that does not answer delays them together.
	 */
	List<Outcome<List<LockReply>>> keepEach(List<List<Renewal>> groups) {
		long sent = this.nanoTime.getAsLong();
		List<QuorumCall<List<LockReply>>> calls = groups.stream().map(this::send).toList();
		List<Outcome<List<LockReply>>> outcomes = new ArrayList<>(groups.size());
		for (int i = 0; i < groups.size(); i++) {
			try {
				outcomes.add(new Outcome<>(keep(groups.get(i), calls.get(i), sent), null));
			}
			catch (LockServerException ex) {
				outcomes.add(new Outcome<>(null, ex));
			}
		}
		return outcomes;
	}

	private List<LockReply> keep(List<Renewal> renewals, QuorumCall<List<LockReply>> call, long sentNanos) {
		List<LockReply> replies = replies(renewals, call, sentNanos);
		for (RedisLockServer server : this.members.servers()) {
			List<Claim> lacking = IntStream.range(0, renewals.size())
				.filter((at) -> renewals.get(at).prolongs() && replies.get(at).holds())
				.filter((at) -> call.hasAnswer(server, (answer) -> lacks(answer.get(at), replies.get(at))))
				.mapToObj((at) -> claim(renewals.get(at), replies.get(at)))
				.toList();
			QuorumMembers.group(lacking, Claim::key)
				.forEach((claims) -> this.members.tell(claims.get(0).key(), server::equals,
						(unused) -> takeUp(server, claims), QuorumMembers::leaveNothing));
		}
		return replies;
	}

	private static boolean lacks(LockReply answer, LockReply hold) {
		return !answer.holds() || answer.last() < hold.last();
	}

	private static Claim claim(Renewal renewal, LockReply hold) {
		return new Claim(renewal.key(), renewal.id(), renewal.leaseMillis(), hold.token(), hold.last());
	}

	private void takeUp(RedisLockServer server, List<Claim> claims) {
		List<Claim> wanted = claims.stream().filter((claim) -> this.holds.test(claim.key(), claim.id())).toList();
		if (wanted.isEmpty()) {
			return;
		}
		try {
			this.members.scripts().takeUp(server, wanted);
		}
		catch (LockServerException ex) {
			wanted.forEach((claim) -> this.release.unanswered(server, claim.id(), ex));
		}
	}

	private QuorumCall<List<LockReply>> send(List<Renewal> renewals) {
		List<Renewal> plain = renewals.stream()
			.map((renewal) -> new Renewal(renewal.key(), renewal.id(), renewal.leaseMillis(), 0))
			.toList();
		return this.members.send(renewals.get(0).key(), (server) -> server.renew(plain));
	}

	private List<LockReply> replies(List<Renewal> renewals, QuorumCall<List<LockReply>> call, long sentNanos) {
		call.awaitAll((votes) -> isHeld(votes, renewals.size())).requireMajority();
		List<LockReply> replies = new ArrayList<>(renewals.size());
		for (int i = 0; i < renewals.size(); i++) {
			int at = i;
			List<LockReply> answers = call.answers().stream().map((answer) -> answer.get(at)).toList();
			long clock = answers.stream().mapToLong(LockReply::serverMillis).max().orElse(0);
			replies.add(withTokens(renewals.get(i), decide(answers, sentNanos), TimeUnit.MILLISECONDS.toMicros(clock)));
		}
		return replies;
	}

	/**
	 * Whether a majority has every hold.
	 */
	private boolean isHeld(QuorumCall<List<LockReply>> votes, int renewals) {
		return IntStream.range(0, renewals)
			.allMatch((at) -> votes.count((answer) -> answer.get(at).holds()) >= this.members.majority());
	}

	/**
	 * Adds the tokens that a renewal asks for: moments that have passed, and one at
	 * least.
	 */
	private LockReply withTokens(Renewal renewal, LockReply reply, long nowMicros) {
		if (renewal.block() == 0 || !reply.holds()) {
			return reply;
		}
		long last = Math.max(reply.last() + 1, Math.min(reply.last() + renewal.block(), nowMicros));
		QuorumCall<LockReply> raised = this.members.raise(renewal.key(), renewal.id(), 0, last);
		if (raised.count(LockReply::holds) < this.members.majority()) {
			throw raised.tooFew(0);
		}
		return new LockReply(State.HOLDS, reply.leftMillis(), reply.token(), last, false, 0, reply.serverMillis(),
				reply.sentNanos());
	}

	private LockReply decide(List<LockReply> replies, long sentNanos) {
		long held = replies.stream().filter(LockReply::holds).count();
		if (held >= this.members.majority()) {
			return this.members.hold(replies, sentNanos);
		}
		return this.members.without((replies.size() - held > this.members.minority()) ? State.NONE : State.UNKNOWN,
				sentNanos);
	}

}
