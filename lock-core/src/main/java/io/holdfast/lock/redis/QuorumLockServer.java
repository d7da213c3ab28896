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
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.redis.ScriptRunner.Outcome;
import io.holdfast.lock.redis.Standing.State;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Several independent servers, of which a majority decides.
 */
final class QuorumLockServer implements LockServer {

	// @formatter:off
	/*
	 * Algorithm: Redlock (Redis documentation, "Distributed Locks with Redis"), with fencing
	 * tokens and without its dependence on servers that remember.
	 *
	 * Why there is one holder. A request holds if a majority of the servers say that it does.
	 * Two majorities share a server, and that grants to one request at a time. A hold is
	 * believed for as long as the majority's leases last, counted from before the first server
	 * was asked. A server that was started within the restart guard, and so may have forgotten
	 * a hold, does not vote; no lease is longer than the guard.
	 *
	 * Why tokens grow. The largest token of the majority, and the last one of the block that
	 * the client gets, are written to a majority of the servers before the grant is used. The
	 * next majority shares a server with that one, whose token is larger then. If all of them
	 * have forgotten the lock, tokens are moments of their clocks, as on a single server.
	 *
	 * Why nothing is left behind. Each server is asked by several threads, and all that is
	 * about one lock by the same one, so a release never overtakes what it undoes. An attempt
	 * that fails is released everywhere but where it was refused. What got no answer goes to
	 * Leftovers, for that server only.
	 *
	 * What a minority of bad servers can do: nothing, if they refuse; if they hang, an attempt
	 * waits for them only while the others do not decide it, and for the timeout at most.
	 *
	 * Nobody waits in a queue, because those of several servers would not agree. Whoever is
	 * refused asks again after a pause of random length (Contender).
	 */
	// @formatter:on

	private final QuorumMembers members;

	private final LockKeys keys;

	private final QuorumSettings quorum;

	private final LongSupplier nanoTime;

	private final Leftovers leftovers;

	QuorumLockServer(List<RedisConnectionFactory> connectionFactories, Settings settings, QuorumSettings quorum,
			LongSupplier nanoTime, Leftovers leftovers) {
		this.members = new QuorumMembers(
				connectionFactories.stream().map((each) -> new RedisLockServer(each, settings, nanoTime)).toList(),
				settings.keys(), quorum);
		this.keys = settings.keys();
		this.quorum = quorum;
		this.nanoTime = nanoTime;
		this.leftovers = leftovers;
	}

	@Override
	public Standing acquire(String key, Question question, boolean waits, long deadlineNanos, boolean interruptible) {
		String id = question.id();
		Ballot<Standing> votes = this.members.ballot();
		Standing standing = null;
		try {
			standing = acquire(key, id, question.wish(), votes, interruptible);
			return standing;
		}
		finally {
			if (standing == null || !holds(standing)) {
				withdraw(key, id, votes);
			}
		}
	}

	private Standing acquire(String key, String id, Wish wish, Ballot<Standing> votes, boolean interruptible) {
		long sent = this.nanoTime.getAsLong();
		long guardSeconds = this.quorum.restartGuard().toSeconds();
		this.members.ask(votes, key, (server) -> server.vote(key, id, wish, guardSeconds), (server, ex) -> {
			if (ex.reason() != Reason.UNREACHABLE) {
				leave(server, key, id, ex);
			}
		}, this::isDecided, interruptible);
		if (votes.count(QuorumLockServer::holds) < this.members.majority()) {
			return refused(key, votes, sent);
		}
		long token = votes.answers()
			.stream()
			.filter(QuorumLockServer::holds)
			.mapToLong(Standing::token)
			.max()
			.orElseThrow();
		long last = token + wish.block() - 1;
		Ballot<Standing> raised = raise(key, id, token, last, interruptible);
		if (raised.count(QuorumLockServer::holds) < this.members.majority()) {
			throw forgotten(key, raised);
		}
		return new Standing(State.HOLDS, leftOf(votes.answers()), token, last, false, 0, millis(), sent);
	}

	/**
	 * A majority granted the lock, so it is not another's.
	 */
	private LockServerException forgotten(String key, Ballot<Standing> raised) {
		if (raised.answers().size() < this.members.majority()) {
			return this.members.tooFew(key, raised, 0);
		}
		String name = this.keys.nameOf(key);
		return new LockServerException(name, Reason.UNAVAILABLE, "Lock '" + name
				+ "': a majority of its Redis servers granted it, but it was over, or forgotten, before its token was written",
				null);
	}

	private Ballot<Standing> raise(String key, String id, long token, long last, boolean interruptible) {
		Ballot<Standing> raised = this.members.ballot();
		this.members.ask(raised, key, (server) -> server.raise(key, id, token, last), QuorumMembers::leaveNothing,
				this::isDecided, interruptible);
		return raised;
	}

	/**
	 * Whether a majority holds, or it is clear that and why none does.
	 */
	private boolean isDecided(Ballot<Standing> votes) {
		int knowing = votes.count(QuorumLockServer::knows);
		int held = votes.count(QuorumLockServer::holds);
		int failed = votes.failed() + votes.answers().size() - knowing;
		return held >= this.members.majority() || knowing - held > this.members.minority()
				|| failed > this.members.minority();
	}

	/**
	 * Whether the server knows who holds the lock.
	 */
	private static boolean knows(Standing vote) {
		return vote.state() != State.STARTING;
	}

	/**
	 * How long a majority holds at least.
	 */
	private long leftOf(List<Standing> standings) {
		return standings.stream()
			.filter(QuorumLockServer::holds)
			.map(Standing::leftMillis)
			.sorted(Comparator.reverseOrder())
			.skip(this.members.majority() - 1L)
			.findFirst()
			.orElse(0L);
	}

	private Standing refused(String key, Ballot<Standing> votes, long sentNanos) {
		int knowing = votes.count(QuorumLockServer::knows);
		if (this.members.servers().size() - knowing > this.members.minority()) {
			throw this.members.tooFew(key, votes, votes.answers().size() - knowing);
		}
		boolean late = votes.count((vote) -> vote.state() == State.LATE) > 0;
		return new Standing(late ? State.LATE : State.NONE, 0, 0, 0, false, 0, millis(), sentNanos);
	}

	/**
	 * Undoes an attempt where it may have had success, without waiting for that.
	 */
	private void withdraw(String key, String id, Ballot<Standing> votes) {
		this.members.tell(key, (server) -> !votes.hasAnswer(server, (vote) -> !holds(vote)),
				(server) -> server.release(key, id), (server, ex) -> leave(server, key, id, ex));
	}

	private void leave(RedisLockServer server, String key, String id, LockServerException failure) {
		if (failure.reason() != Reason.REFUSED) {
			this.leftovers.add(server, key, id);
		}
	}

	@Override
	public Released release(String key, Departure departure) {
		String id = departure.id();
		Departure alone = new Departure(id, 0, "", null);
		Ballot<Boolean> released = this.members.ballot();
		this.members.ask(released, key, (server) -> server.release(key, alone).had(),
				(server, ex) -> leave(server, key, id, ex),
				(votes) -> votes.count((had) -> had) >= this.members.majority()
						|| votes.count((had) -> !had) > this.members.minority(),
				false);
		boolean had = released.count((each) -> each) >= this.members.majority();
		if (!had && released.count((each) -> !each) <= this.members.minority()) {
			throw this.members.tooFew(key, released, 0);
		}
		return new Released(had, null);
	}

	@Override
	public void release(String key, String id) {
		withdraw(key, id, new Ballot<>(0));
	}

	@Override
	public List<Standing> renew(List<Sign> signs) {
		long sent = this.nanoTime.getAsLong();
		String key = signs.get(0).key();
		List<Sign> signals = signs.stream()
			.map((sign) -> new Sign(sign.key(), sign.id(), sign.leaseMillis(), 0))
			.toList();
		Ballot<List<Standing>> ballot = this.members.askAll(key, (server) -> server.renew(signals));
		List<Standing> standings = new ArrayList<>(signs.size());
		for (int i = 0; i < signs.size(); i++) {
			int at = i;
			Standing standing = decide(ballot.answers().stream().map((answer) -> answer.get(at)).toList(), sent);
			standings.add(withTokens(signs.get(i), standing));
		}
		return standings;
	}

	/**
	 * Adds the tokens that a sign of life asks for.
	 */
	private Standing withTokens(Sign sign, Standing standing) {
		if (sign.block() == 0 || !holds(standing)) {
			return standing;
		}
		long last = standing.last() + sign.block();
		Ballot<Standing> raised = raise(sign.key(), sign.id(), 0, last, false);
		if (raised.count(QuorumLockServer::holds) < this.members.majority()) {
			throw this.members.tooFew(sign.key(), raised, 0);
		}
		return new Standing(State.HOLDS, standing.leftMillis(), standing.token(), last, false, 0, millis(),
				standing.sentNanos());
	}

	private Standing decide(List<Standing> standings, long sentNanos) {
		List<Standing> held = standings.stream().filter(QuorumLockServer::holds).toList();
		State state = (held.size() >= this.members.majority()) ? State.HOLDS
				: (standings.size() - held.size() > this.members.minority()) ? State.NONE : State.UNKNOWN;
		if (state != State.HOLDS) {
			return new Standing(state, 0, 0, 0, false, 0, millis(), sentNanos);
		}
		long token = held.stream().mapToLong(Standing::token).max().orElseThrow();
		long last = held.stream().mapToLong(Standing::last).max().orElseThrow();
		return new Standing(state, leftOf(held), token, last, false, 0, millis(), sentNanos);
	}

	@Override
	public boolean evict(String key, String id) {
		return this.members.askAll(key, (server) -> server.evict(key, id)).count((each) -> each) > 0;
	}

	/**
	 * Goes through the servers one after another: the cursor is the number of one and its
	 * own cursor. A lock is told of with the first server that knows its hold.
	 */
	@Override
	public Found list(String cursor, int count) {
		int at = "0".equals(cursor) ? 0 : Character.digit(cursor.charAt(0), 10) - 1;
		String from = "0".equals(cursor) ? cursor : cursor.substring(1);
		if (at < 0 || at >= this.members.servers().size() || from.isEmpty()) {
			throw new IllegalArgumentException("Not a cursor of a page: " + cursor);
		}
		String nextServer = (at + 1 < this.members.servers().size()) ? (at + 2) + "0" : "0";
		try {
			Found found = this.members.servers().get(at).list(from, count);
			return new Found("0".equals(found.next()) ? nextServer : (at + 1) + found.next(),
					found.keys().isEmpty() ? List.of() : firstKnownTo(at, found.keys()));
		}
		catch (LockServerException ex) {
			return new Found(nextServer, List.of());
		}
	}

	private List<String> firstKnownTo(int at, List<String> keys) {
		Ballot<List<Held>> described = this.members.askAll(keys.get(0), (server) -> server.describe(keys));
		return decide(described.answers()).stream().filter((hold) -> {
			Predicate<List<Held>> knows = (answer) -> answer.stream().anyMatch((each) -> isSame(hold, each));
			return this.members.servers().subList(0, at).stream().noneMatch((each) -> described.hasAnswer(each, knows));
		}).map(Held::key).toList();
	}

	@Override
	public List<Held> describe(List<String> keys) {
		return decide(this.members.askAll(keys.get(0), (server) -> server.describe(keys)).answers());
	}

	/**
	 * The holds that a majority knows of, each with the lease of which a majority is
	 * left.
	 */
	private List<Held> decide(List<List<Held>> answers) {
		Map<String, List<Held>> byRequest = answers.stream()
			.flatMap(List::stream)
			.collect(Collectors.groupingBy(Held::id, LinkedHashMap::new, Collectors.toList()));
		return byRequest.values()
			.stream()
			.filter((same) -> same.size() >= this.members.majority())
			.map((same) -> same.stream()
				.sorted(Comparator.comparingLong(Held::leftMillis).reversed())
				.skip(this.members.majority() - 1L)
				.findFirst()
				.orElseThrow())
			.toList();
	}

	private static boolean isSame(Held one, Held other) {
		return one.id().equals(other.id());
	}

	@Override
	public List<Queued> waiters(String key, int limit) {
		return List.of();
	}

	@Override
	public Confirmation confirm(Sign sign, boolean interruptible) {
		return new Confirmation(renew(List.of(sign)).get(0), null);
	}

	@Override
	public List<Outcome<List<Standing>>> renewEach(List<List<Sign>> groups) {
		List<Outcome<List<Standing>>> outcomes = new ArrayList<>(groups.size());
		for (List<Sign> group : groups) {
			try {
				outcomes.add(new Outcome<>(renew(group), null));
			}
			catch (LockServerException ex) {
				outcomes.add(new Outcome<>(null, ex));
			}
		}
		return outcomes;
	}

	@Override
	public boolean echo(String key) {
		// Nobody waits for messages.
		return false;
	}

	@Override
	public Nodes nodes() {
		return Nodes.NO_CLUSTER;
	}

	@Override
	public void close() {
		this.members.close();
	}

	private static boolean holds(Standing standing) {
		return standing.state() == State.HOLDS;
	}

	/**
	 * A time that only orders answers: the servers' clocks differ.
	 */
	private long millis() {
		return TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong());
	}

}
