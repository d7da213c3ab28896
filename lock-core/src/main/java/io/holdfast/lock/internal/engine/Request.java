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

package io.holdfast.lock.internal.engine;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.Stage.Asking;
import io.holdfast.lock.internal.engine.Stage.Idle;
import io.holdfast.lock.internal.engine.Stage.Queued;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * One id in Redis: what was sent about it, what of that may still run, and its
 * {@link Stage}. Guarded by the monitor of the lock.
 */
final class Request {

	final String id;

	Line line;

	/** What the server said last. */
	Verdict word = Verdict.Simple.UNKNOWN;

	/** When the question was sent that was answered with the word. */
	long heard;

	final Claims claims;

	final Context context;

	Stage stage;

	final Traffic traffic;

	final Tie tie;

	/** When messages may have been missed last. */
	private long missed = Context.NEVER;

	private boolean othersWait;

	/** Whether its hold stays with its owner, as somebody is ending it by force. */
	boolean pinned;

	final Schedule schedule;

	Request(Line line, String id, long due) {
		this.line = line;
		this.claims = line.claims;
		this.context = line.context;
		this.id = id;
		this.traffic = new Traffic();
		this.tie = new Tie(this.context, line.watched);
		this.stage = new Idle(due);
		this.schedule = new Schedule(this);
	}

	/** What its owners may use, or {@code null}. */
	@Nullable Hold hold() {
		return (this.stage instanceof Held held) ? held.hold() : null;
	}

	boolean isQueued() {
		return this.stage instanceof Queued;
	}

	/** Owes what it may have in Redis. Answers its release, with the next question. */
	Command.Release owe(@Nullable Request next, long now) {
		Hold has = this.stage.hold();
		long stamp = (has != null) ? has.stamp : 0;
		long until = (has != null) ? has.untilNanos() : now + this.context.settings.unheardNanos(this.line.leaseMillis);
		Command.Release release = new Command.Release(this.claims.state.key(), this.id, stamp, null);
		this.context.owed()
			.add(release, until, this.traffic.doubtfulUntil(), this.traffic.doubtfulBefore(),
					this.stage instanceof Asking && this.traffic.isUnderWay(), now);
		return (next != null) ? new Command.Release(release.key(), this.id, stamp, next.ask(now)) : release;
	}

	/** Sends the question if it is time. */
	void askIfDue(long now, Effects out) {
		if (this.stage instanceof Idle idle) {
			if (Context.isReached(idle.due(), now)) {
				send(now, out);
			}
			else {
				this.schedule.workAt(idle.due());
			}
		}
	}

	/** The question, for a release to take along. */
	Command.Ask ask(long now) {
		if (this.stage instanceof Idle) {
			this.stage = new Asking(now);
		}
		long until = now + this.context.settings.validityNanos();
		this.traffic.asked(now, until);
		this.schedule.lookAgain(now);
		return new Command.Ask(this.claims.state.key(), this.id, this.line.wish, this.line.leaseMillis,
				this.line.block(1), this.line.callers(now), until, this.tie.first());
	}

	void send(long now, Effects out) {
		if (this.stage instanceof Idle || this.stage instanceof Asking) {
			out.add(new Effects.Send(this.claims.state, ask(now)));
			return;
		}
		this.traffic.sent(now);
		this.schedule.lookAgain(now);
		Hold has = this.stage.hold();
		// Whoever waits only says that it lives: it may hold the lock when that arrives.
		out.add(new Effects.Send(this.claims.state,
				(has != null && has.downgrading) ? new Command.Downgrade(this.claims.state.key(), this.id)
						: renewal((has != null) ? has.leaseMillis : 1, now)));
	}

	private Command renewal(long leaseMillis, long now) {
		Hold has = hold();
		return new Command.Renew(this.claims.state.key(), this.id, leaseMillis, (has != null) ? this.line.block(0) : 0,
				this.line.callers(now), (has != null) ? has.ownedMillis(now) : 0,
				((has != null) ? has.watched : this.line.watched) ? this.tie.next() : "");
	}

	/** Asks for a longer lease of what it holds. */
	void extend(long leaseMillis, long now, Effects out) {
		this.traffic.sent(now);
		this.schedule.lookAgain(now);
		out.add(new Effects.Send(this.claims.state, renewal(leaseMillis, now)));
	}

	void answered(Command command, Reply reply, long now, Effects out) {
		this.traffic.answered(command);
		if (isQueued() && reply.word() != Reply.Word.HOLDS && reply.sentNanos() - this.heard < 0) {
			// It has got its place since.
			return;
		}
		if (this.traffic.outcome(reply.sentNanos())) {
			this.schedule.answered();
		}
		switch (reply.word()) {
			case HOLDS -> this.stage.holds(this, command, reply, now, out);
			case WAITS -> this.stage.waits(this, reply, now, out);
			case NONE -> this.stage.none(this, command, reply, now, out);
			case FULL -> full(reply);
			case LATE -> this.stage.late(this, Verdict.Simple.UNKNOWN,
					this.context.settings.queues() ? now : now + this.context.jitter.getAsLong(), now, out);
			case SPLIT -> this.stage.late(this, new Verdict.Failed(null, true, false),
					now + this.context.jitter.getAsLong(), now, out);
			case RELEASED, LEFT, GONE -> {
				// Of a release, which asks about nothing.
			}
		}
	}

	/** Too many wait, unless a later question has it wait. */
	private void full(Reply reply) {
		if (this.stage.hold() == null && !this.traffic.isUnderWay()) {
			this.traffic.absent();
			this.word = new Verdict.Full((int) reply.last());
		}
	}

	void failed(Command command, LockServerException failure, long sentNanos, long now, Effects out) {
		this.traffic.outcome(sentNanos);
		if (changedNothing(failure)) {
			this.traffic.answered(command);
		}
		if (failure.reason() != Reason.REFUSED) {
			this.claims.silence.noAnswer(now);
		}
		this.stage.failed(this, failure, now, out);
	}

	/**
	 * Whether a command that failed so was certainly not carried out. What will not be
	 * now may have been at an earlier attempt, and some servers of a quorum may have.
	 */
	boolean changedNothing(LockServerException failure) {
		return this.context.settings.queues()
				&& (failure.reason() == Reason.REFUSED || failure.reason() == Reason.UNREACHABLE);
	}

	void awaited() {
		this.othersWait = true;
		Hold hold = hold();
		if (hold != null) {
			hold.noteOthers(true);
		}
	}

	void missedMessages(long now) {
		this.missed = now;
		this.stage.missedMessages(this, now);
	}

	/** Its owners may begin. */
	void begin(Hold hold, long now, Effects out) {
		Held held = new Held(hold);
		this.stage = held;
		// What is under way asks about the place in the queue. A renewal does not wait
		// for it.
		this.traffic.forget();
		if (this.othersWait) {
			hold.noteOthers(true);
		}
		this.line.asking = null;
		this.line.held = Few.plus(this.line.held, hold);
		this.line.tries = 0;
		this.schedule.stop();
		held.schedule(this, now);
		this.claims.begin(hold, now, out);
	}

	/** It has a place in the queue. */
	void queue(Reply reply, long now) {
		this.word = Verdict.Simple.OTHER;
		this.heard = reply.sentNanos();
		this.line.tries = 0;
		this.stage = new Queued(reply.last());
		if (!this.traffic.isUnderWay()) {
			boolean mayHaveMissed = this.missed != Context.NEVER && this.missed - reply.sentNanos() >= 0;
			long every = this.context.hears() ? this.context.settings.waiterNanos() / 3 : Context.Settings.RETRY_NANOS;
			this.schedule.workAt(mayHaveMissed ? now : Schedule.soonerTogether(reply.sentNanos(), every, every));
		}
	}

	/** It has come to nothing, and nobody knows who has the lock. */
	void startOver(Verdict newWord, long soonest, long now, Effects out) {
		if (this.stage.hold() == null) {
			this.traffic.absent();
		}
		this.line.tries++;
		// A lease that is shorter than the way to the server comes to nothing each time.
		long due = (this.line.tries < Line.TRIES) ? soonest : soonest + Context.Settings.RETRY_NANOS;
		this.claims.replace(this, newWord, due, now, out);
	}

	/** What waiters are told, until something better is known. */
	void fails(LockServerException failure, boolean endsAll, long now) {
		if (hold() == null) {
			this.word = new Verdict.Failed(failure, false, endsAll);
		}
		this.schedule.workNext(now + Context.Settings.RETRY_NANOS);
	}

	/** Its next command is due. */
	void work(long now, Effects out) {
		long sent = this.traffic.forget();
		if (sent != Context.NEVER) {
			this.claims.silence.noAnswer(now);
			if (hold() == null) {
				this.word = new Verdict.Failed(new LockServerException(this.claims.state.name(), Reason.TIMED_OUT,
						"Redis did not answer: a command has had no outcome for too long", null), false, false);
			}
		}
		this.stage.work(this, now, out);
	}

}
