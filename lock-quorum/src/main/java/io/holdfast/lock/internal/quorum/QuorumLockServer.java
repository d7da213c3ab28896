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

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockPage;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockReply.State;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.PendingReleaseQueue;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.Topology;
import io.holdfast.lock.internal.server.WaiterInfo;
import io.holdfast.lock.internal.single.RedisLockServer;

/**
 * Several independent servers, of which a majority decides.
 */
public final class QuorumLockServer implements LockServer {

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
	 * next majority shares a server with that one, whose token is larger then. A server that
	 * comes to support the hold later takes the tokens up with it (QuorumRenewal). If all of them
	 * have forgotten the lock, tokens are moments of their clocks, as on a single server.
	 *
	 * Why nothing is left behind. Each server has eight threads of its own, and a lock
	 * always maps to the same one, so a release never overtakes what it undoes. An attempt
	 * that fails is released everywhere but where it was refused, and the next one has another
	 * id, which that release cannot meet. QuorumRelease deals with
	 * votes that got no answer.
	 *
	 * What a minority of bad servers can do: nothing, if they refuse; if they hang, an attempt
	 * waits for them only while the others do not decide it, and for the timeout at most in each of
	 * its two steps, the votes and the raise.
	 *
	 * Nobody waits in a queue, because those of several servers would not agree. Whoever is
	 * refused asks again after a pause of random length.
	 */
	// @formatter:on

	private final QuorumMembers members;

	private final LongSupplier nanoTime;

	private final QuorumRelease release;

	private final QuorumRenewal renewal;

	private final QuorumDirectory directory;

	/**
	 * Create the servers.
	 * @param holds whether this client holds a lock, by its key, with a request
	 */
	QuorumLockServer(List<RedisLockServer> servers, ServerSettings settings, QuorumSettings quorum,
			LongSupplier nanoTime, PendingReleaseQueue pendingReleases, BiPredicate<String, String> holds) {
		this.members = new QuorumMembers(servers, settings, quorum, nanoTime);
		this.nanoTime = nanoTime;
		this.release = new QuorumRelease(this.members, pendingReleases);
		this.renewal = new QuorumRenewal(this.members, this.release, nanoTime, holds);
		this.directory = new QuorumDirectory(this.members, settings.keys());
	}

	@Override
	public LockReply acquire(String key, AcquireCommand command, boolean waits, long deadlineNanos) {
		String id = command.id();
		QuorumCall<LockReply> votes = new QuorumCall<>(this.members, key);
		LockReply reply = null;
		try {
			reply = acquire(key, id, command.request(), votes);
			return reply;
		}
		finally {
			if (reply == null || !reply.holds()) {
				this.release.withdraw(key, id, votes);
			}
		}
	}

	private LockReply acquire(String key, String id, LockRequest request, QuorumCall<LockReply> votes) {
		long sent = this.nanoTime.getAsLong();
		votes
			.send((server) -> true, (server) -> this.members.scripts().vote(server, key, id, request),
					(server, ex) -> this.release.unanswered(server, id, ex))
			.await(this::isDecided);
		if (votes.count(LockReply::holds) < this.members.majority()) {
			return refused(votes, sent);
		}
		LockReply hold = this.members.hold(votes.answers(), sent);
		QuorumCall<LockReply> raised = this.members.raise(key, id, hold.token(), hold.last());
		if (raised.count(LockReply::holds) < this.members.majority()) {
			throw forgotten(key, raised);
		}
		return hold;
	}

	/**
	 * A majority granted the lock, so it is not another's.
	 */
	private LockServerException forgotten(String key, QuorumCall<LockReply> raised) {
		if (raised.answers().size() < this.members.majority()) {
			return raised.tooFew(0);
		}
		return this.members.failure(key, Reason.UNAVAILABLE,
				"a majority of its Redis servers granted it, but it was over, or forgotten, before its token was written",
				null);
	}

	/**
	 * Whether a majority names one request, or it is clear that none will.
	 */
	private boolean isDecided(QuorumCall<LockReply> votes) {
		long most = Math.max(votes.count(LockReply::holds), mostNamed(votes));
		int failed = votes.failed() + votes.count((vote) -> !vote.knows());
		long open = (long) this.members.servers().size() - votes.answers().size() - votes.failed();
		return most >= this.members.majority() || failed > this.members.minority()
				|| most + open < this.members.majority();
	}

	/**
	 * How many servers name the other request that most of them name.
	 */
	private static long mostNamed(QuorumCall<LockReply> votes) {
		return votes.answers()
			.stream()
			.map(LockReply::holder)
			.filter(Objects::nonNull)
			.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
			.values()
			.stream()
			.max(Comparator.naturalOrder())
			.orElse(0L);
	}

	/**
	 * Tells why there was no majority. Several clients may have a server or two each:
	 * another has the lock only if a majority names one request.
	 */
	private LockReply refused(QuorumCall<LockReply> votes, long sentNanos) {
		int knowing = votes.count(LockReply::knows);
		if (this.members.servers().size() - knowing > this.members.minority()) {
			throw votes.tooFew(votes.answers().size() - knowing);
		}
		if (votes.count((vote) -> vote.state() == State.LATE) > 0) {
			return this.members.without(State.LATE, sentNanos);
		}
		boolean held = mostNamed(votes) >= this.members.majority();
		return this.members.without(held ? State.NONE : State.SPLIT, sentNanos);
	}

	@Override
	public ReleaseReply release(String key, ReleaseCommand command) {
		return this.release.release(key, command.id());
	}

	@Override
	public void release(String key, String id) {
		this.release.withdraw(key, id, new QuorumCall<>(this.members, key));
	}

	@Override
	public List<LockReply> renew(List<Renewal> renewals) {
		return this.renewal.renew(renewals);
	}

	@Override
	public boolean evict(String key, String id) {
		return this.members.askAll(key, (server) -> server.evict(key, id)).count((each) -> each) > 0;
	}

	@Override
	public LockPage list(String cursor, int count, String namePrefix) {
		return this.directory.list(cursor, count, namePrefix);
	}

	@Override
	public List<HoldInfo> describe(List<String> keys, boolean strict) {
		return this.directory.describe(keys, strict);
	}

	@Override
	public List<WaiterInfo> waiters(String key, int limit) {
		return List.of();
	}

	@Override
	public List<Outcome<List<LockReply>>> renewEach(List<List<Renewal>> groups) {
		return this.renewal.keepEach(groups);
	}

	@Override
	public boolean echo(String key) {
		// Nobody waits for messages.
		return false;
	}

	@Override
	public Duration longestRequest() {
		return this.members.servers().get(0).longestRequest();
	}

	@Override
	public Topology topology() {
		return Topology.ONE_NODE;
	}

	@Override
	public void close() {
		this.members.close();
	}

}
