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

package io.holdfast.lock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.redis.LockServer.Sign;
import io.holdfast.lock.redis.RedisLockServer.Claim;
import io.holdfast.lock.redis.Standing.State;

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

	private final long guardSeconds;

	private final LongSupplier nanoTime;

	private final BiPredicate<String, String> holds;

	QuorumRenewal(QuorumMembers members, QuorumRelease release, QuorumSettings quorum, LongSupplier nanoTime,
			BiPredicate<String, String> holds) {
		this.members = members;
		this.release = release;
		this.guardSeconds = quorum.restartGuardSeconds();
		this.nanoTime = nanoTime;
		this.holds = holds;
	}

	List<Standing> renew(List<Sign> signs) {
		long sent = this.nanoTime.getAsLong();
		return standings(signs, ask(signs), sent);
	}

	/**
	 * Renews, and has servers that lack a hold take it up.
	 */
	List<Standing> keep(List<Sign> signs) {
		long sent = this.nanoTime.getAsLong();
		Ballot<List<Standing>> ballot = ask(signs);
		List<Standing> standings = standings(signs, ballot, sent);
		for (RedisLockServer server : this.members.servers()) {
			List<Claim> lacking = IntStream.range(0, signs.size())
				.filter((at) -> signs.get(at).prolongs() && standings.get(at).holds())
				.filter((at) -> ballot.hasAnswer(server, (answer) -> lacks(answer.get(at), standings.get(at))))
				.mapToObj((at) -> claim(signs.get(at), standings.get(at)))
				.toList();
			QuorumMembers.together(lacking, Claim::key)
				.forEach((claims) -> this.members.tell(claims.get(0).key(), server::equals,
						(unused) -> takeUp(server, claims), QuorumMembers::leaveNothing));
		}
		return standings;
	}

	private static boolean lacks(Standing answer, Standing hold) {
		return !answer.holds() || answer.last() < hold.last();
	}

	private static Claim claim(Sign sign, Standing hold) {
		return new Claim(sign.key(), sign.id(), sign.leaseMillis(), hold.token(), hold.last());
	}

	private void takeUp(RedisLockServer server, List<Claim> claims) {
		List<Claim> wanted = claims.stream().filter((claim) -> this.holds.test(claim.key(), claim.id())).toList();
		if (wanted.isEmpty()) {
			return;
		}
		try {
			server.takeUp(wanted, this.guardSeconds);
		}
		catch (LockServerException ex) {
			wanted.forEach((claim) -> this.release.unanswered(server, claim.id(), ex));
		}
	}

	private Ballot<List<Standing>> ask(List<Sign> signs) {
		List<Sign> signals = signs.stream()
			.map((sign) -> new Sign(sign.key(), sign.id(), sign.leaseMillis(), 0))
			.toList();
		return this.members.askAll(signs.get(0).key(), (server) -> server.renew(signals));
	}

	private List<Standing> standings(List<Sign> signs, Ballot<List<Standing>> ballot, long sentNanos) {
		List<Standing> standings = new ArrayList<>(signs.size());
		for (int i = 0; i < signs.size(); i++) {
			int at = i;
			List<Standing> answers = ballot.answers().stream().map((answer) -> answer.get(at)).toList();
			long clock = answers.stream().mapToLong(Standing::serverMillis).max().orElse(0);
			standings.add(withTokens(signs.get(i), decide(answers, sentNanos), TimeUnit.MILLISECONDS.toMicros(clock)));
		}
		return standings;
	}

	/**
	 * Adds the tokens that a sign of life asks for: moments that have passed, and one at
	 * least.
	 */
	private Standing withTokens(Sign sign, Standing standing, long nowMicros) {
		if (sign.block() == 0 || !standing.holds()) {
			return standing;
		}
		long last = Math.max(standing.last() + 1, Math.min(standing.last() + sign.block(), nowMicros));
		Ballot<Standing> raised = this.members.raise(sign.key(), sign.id(), 0, last, false);
		if (raised.count(Standing::holds) < this.members.majority()) {
			throw this.members.tooFew(sign.key(), raised, 0);
		}
		return new Standing(State.HOLDS, standing.leftMillis(), standing.token(), last, false, 0, "", millis(),
				standing.sentNanos());
	}

	private Standing decide(List<Standing> standings, long sentNanos) {
		List<Standing> held = standings.stream().filter(Standing::holds).toList();
		State state = (held.size() >= this.members.majority()) ? State.HOLDS
				: (standings.size() - held.size() > this.members.minority()) ? State.NONE : State.UNKNOWN;
		if (state != State.HOLDS) {
			return new Standing(state, 0, 0, 0, false, 0, "", millis(), sentNanos);
		}
		long token = held.stream().mapToLong(Standing::token).max().orElseThrow();
		long last = held.stream().mapToLong(Standing::last).max().orElseThrow();
		return new Standing(state, this.members.leftOf(held), token, last, false, 0, "", millis(), sentNanos);
	}

	/**
	 * A time that only orders answers: the servers' clocks differ.
	 */
	private long millis() {
		return TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong());
	}

}
