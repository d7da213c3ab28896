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
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Release;
import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.RedisLockServer;

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
	 * next majority shares a server with that one, whose token is larger then. A server that
	 * comes to support the hold later takes the tokens up with it (QuorumRenewal). If all of them
	 * have forgotten the lock, tokens are moments of their clocks, as on a single server.
	 *
	 * Why nothing is left behind. Each server has eight threads of its own, and a lock
	 * always maps to the same one, so a release never overtakes what it undoes. An attempt
	 * that fails is released everywhere but where it was refused, and the next one has another
	 * id, which that release cannot meet. QuorumRelease deals with votes that got no answer.
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

	/** The votes, and what their tokens are raised to. */
	private final Duration commandTimeout;

	private final QuorumRelease release;

	private final QuorumRenewal renewal;

	private final QuorumDirectory directory;

	QuorumLockServer(List<RedisLockServer> servers, ServerSettings settings, QuorumSettings quorum) {
		this.members = new QuorumMembers(servers, settings, quorum);
		this.commandTimeout = quorum.timeout().multipliedBy(2);
		this.release = new QuorumRelease(this.members);
		this.renewal = new QuorumRenewal(this.members, this.release);
		this.directory = new QuorumDirectory(this.members, settings.keys());
	}

	@Override
	public CompletableFuture<Reply> send(Command command) {
		if (command instanceof Ask ask) {
			return ask(ask);
		}
		if (command instanceof Release given) {
			return this.release.release(List.of(given)).get(0);
		}
		return (command instanceof Renew renew) ? this.renewal.renew(List.of(renew)).get(0) : CompletableFuture
			.failedFuture(this.members.failure(command.key(), Reason.REFUSED, "a quorum has no shared locks", null));
	}

	@Override
	public List<CompletableFuture<Reply>> sendTogether(List<? extends Command> commands) {
		Iterator<CompletableFuture<Reply>> renewed = this.renewal.renew(of(Renew.class, commands)).iterator();
		Iterator<CompletableFuture<Reply>> released = this.release.release(of(Release.class, commands)).iterator();
		return commands.stream()
			.map((each) -> (each instanceof Renew) ? renewed.next()
					: (each instanceof Release) ? released.next() : send(each))
			.toList();
	}

	private static <C extends Command> List<C> of(Class<C> type, List<? extends Command> commands) {
		return commands.stream().filter(type::isInstance).map(type::cast).toList();
	}

	private CompletableFuture<Reply> ask(Ask ask) {
		Poll<Vote> votes = new Poll<>(this.members, ask.key(), false, this::isDecided);
		this.members.ask(votes, ask.key(), (server) -> this.members.scripts.vote(server, ask),
				(server, failure) -> this.release.unanswered(server, ask.id(), failure));
		return votes.over.thenCompose((unused) -> counted(ask, votes)).whenComplete((reply, failure) -> {
			if (reply == null || reply.word() != Word.HOLDS) {
				this.release.withdraw(ask.key(), ask.id(), votes);
			}
		});
	}

	private CompletableFuture<Reply> counted(Ask ask, Poll<Vote> votes) {
		return (votes.count(Vote::holds) < this.members.majority()) ? CompletableFuture.completedFuture(refused(votes))
				: this.members.raise(ask.key(), ask.id(), this.members.hold(votes.answers()));
	}

	/**
	 * Whether a majority names one request, or it is clear that none will.
	 */
	private boolean isDecided(Poll<Vote> votes) {
		long most = Math.max(votes.count(Vote::holds), mostNamed(votes));
		int failed = votes.failed() + votes.count((vote) -> !vote.knows());
		long open = (long) this.members.servers.size() - votes.answers().size() - votes.failed();
		return most >= this.members.majority() || failed > this.members.minority()
				|| most + open < this.members.majority();
	}

	/**
	 * How many servers name the other request that most of them name.
	 */
	private static long mostNamed(Poll<Vote> votes) {
		return votes.answers()
			.stream()
			.filter((vote) -> !vote.holder().isEmpty())
			.mapToLong((vote) -> votes.count((each) -> each.holder().equals(vote.holder())))
			.max()
			.orElse(0);
	}

	/**
	 * Tells why there was no majority. Several clients may have a server or two each:
	 * another has the lock only if a majority names one request.
	 */
	private Reply refused(Poll<Vote> votes) {
		int knowing = votes.count(Vote::knows);
		if (this.members.servers.size() - knowing > this.members.minority()) {
			throw votes.tooFew(votes.answers().size() - knowing);
		}
		Word word = (mostNamed(votes) >= this.members.majority()) ? Word.NONE
				: (votes.count((vote) -> vote.word() == Word.LATE) > 0) ? Word.LATE : Word.SPLIT;
		return new Reply(word, 0, 0, 0, false, 0, null);
	}

	@Override
	public boolean queues() {
		return false;
	}

	@Override
	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	@Override
	public ServerDirectory directory() {
		return this.directory;
	}

	@Override
	public void close() {
		this.release.close();
		this.members.servers.forEach(RedisLockServer::close);
	}

}
