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

import java.util.Set;
import java.util.function.Consumer;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * One name in this client while it is used, and the monitor of all that belongs to it.
 * Each input records a fact, then lets its line settle, which alone decides who is next.
 * What is to be done is returned and done outside of the monitor.
 * <p>
 * If anything unexpected is thrown in the monitor, the lock is discarded: it leaves the
 * table, its waiters and owners are told, what nobody has is owed, and what owners have
 * stays in Redis until they unlock, or its lease ends. New callers get a new state. If
 * that throws, too, as where the stack is used up, the watchdog does it.
 */
public final class LockState {

	final Context context;

	private final String name;

	private final LockTable table;

	private final Claims claims;

	private volatile boolean waitedFor;

	private boolean retired;

	/** What was thrown, and what is to be done, until it is discarded for that. */
	private @Nullable Throwable error;

	private @Nullable Effects undone;

	/** What callers are told since it was discarded. */
	private @Nullable Verdict torn;

	LockState(Context context, String name, LockTable table) {
		this.context = context;
		this.name = name;
		this.table = table;
		this.claims = new Claims(this);
	}

	public String name() {
		return this.name;
	}

	String key() {
		return this.context.keys.apply(this.name);
	}

	/** A caller wants the lock; {@code null} if this is not its state any more. */
	@Nullable synchronized Effects want(Waiter waiter, long now) {
		if (this.retired) {
			return null;
		}
		Effects out = on(now, (todo) -> {
			if (this.torn == null) {
				this.claims.want(waiter, now, todo);
			}
		});
		if (this.torn != null && !waiter.isOver()) {
			waiter.end(this.torn, out);
		}
		return out;
	}

	/** A waiter's time is up, or it was cancelled or interrupted. */
	public Effects timeUp(Waiter waiter, boolean cancelled, long now) {
		return on(now, (out) -> {
			waiter.cancelled |= cancelled;
			Line line = waiter.line;
			if (!waiter.isOver() && line != null) {
				line.settle(now, out);
			}
		});
	}

	/** An owner unlocks what it has locked to read, or otherwise. */
	public Effects unlock(Grant grant, boolean read, long now) {
		return on(now, (out) -> this.claims.owners.unlock(grant, read, now, out));
	}

	/** Sees whether a grant is over. */
	public Effects expire(Grant grant, long now) {
		return on(now, (out) -> this.claims.owners.expire(grant, now, out));
	}

	/** An owner that has entered again wants a longer lease, or the first renewal. */
	public Effects extend(Grant grant, long leaseMillis, boolean watched, long now) {
		return on(now, (out) -> this.claims.owners.extend(grant, leaseMillis, watched, now, out));
	}

	/** An owner wants to be sure. */
	public Effects confirm(Grant grant, long now) {
		return on(now, (out) -> this.claims.owners.confirm(grant, now, out));
	}

	/** A loss is not remembered any more. */
	public Effects forget(Grant grant, long now) {
		return on(now, (out) -> this.claims.owners.forget(grant));
	}

	/** A command was answered. */
	public Effects answered(Command command, Reply reply, long now) {
		return on(now, (out) -> {
			this.claims.silence.answered();
			if (!(command instanceof Command.Release release)) {
				answered(command, reply, now, out);
				return;
			}
			this.context.owed().answered(release.id(), reply.sentNanos());
			if (release.next() != null && reply.next() != null) {
				answered(release.next(), reply.next(), now, out);
			}
		});
	}

	private void answered(Command command, Reply reply, long now, Effects out) {
		boolean present = about(command.id(), now, out, (request) -> request.answered(command, reply, now, out));
		if (!present && command instanceof Command.Ask ask) {
			Command.Release release = this.context.owed().answered(ask, reply.word().has(), now);
			if (release != null) {
				out.add(new Effects.Send(this, release));
			}
		}
	}

	/** A command failed that was sent at some time. */
	public Effects failed(Command command, LockServerException failure, long sentNanos, long now) {
		return on(now, (out) -> {
			this.context.owed().failed(command, now);
			Command asked = (command instanceof Command.Release release) ? release.next() : command;
			if (asked != null) {
				about(asked.id(), now, out, (request) -> request.failed(asked, failure, sentNanos, now, out));
				this.context.owed().failed(asked, now);
				this.claims.endIfSilent(now, out);
			}
		});
	}

	/** A timer is due. */
	public Effects due(Timers.Timer timer, long now) {
		return on(now, (out) -> {
			if (!this.context.timers().isSet(timer)) {
				timer.fire(now, out);
			}
		});
	}

	/** A message says that a request holds the lock. */
	public Effects granted(String id, Reply message, long now) {
		return on(now, (out) -> about(id, now, out, (request) -> request.stage.granted(request, message, now, out)));
	}

	/** A message says that others wait for what a request holds. */
	public Effects awaited(String id, long now) {
		return on(now, (out) -> about(id, now, out, Request::awaited));
	}

	/** A message says that the hold of a request was ended by force. */
	public Effects forced(String id, long now) {
		return on(now, (out) -> about(id, now, out, (request) -> request.stage.forced(request, now, out)));
	}

	/** Messages may have been missed. */
	public Effects missedMessages(long now) {
		return on(now, (out) -> this.claims.requests().forEach((request) -> request.missedMessages(now)));
	}

	/** No messages arrive: those who wait ask often from now on. */
	public Effects deaf(long now) {
		return on(now,
				(out) -> this.claims.requests()
					.stream()
					.filter((each) -> each.hold() == null)
					.forEach((each) -> each.missedMessages(now)));
	}

	/** The client is closed. */
	public Effects close(long now) {
		return on(now, (out) -> {
			Set<Line> lines = this.claims.lines();
			this.claims.end(Cause.CLOSED, now, out);
			lines.forEach((line) -> line.settle(now, out));
		});
	}

	/** A request that was given up hears nothing any more: what it may have is owed. */
	private boolean about(String id, long now, Effects out, Consumer<Request> input) {
		Request request = this.claims.request(id);
		if (request != null) {
			input.accept(request);
			request.line.settle(now, out);
		}
		return request != null;
	}

	private synchronized Effects on(long now, Consumer<Effects> input) {
		Effects out = (this.undone != null) ? this.undone : new Effects();
		if (this.error != null) {
			discard(this.error, now, out);
		}
		try {
			input.accept(out);
			waited(this.claims.waiting > 0);
			if (this.claims.isEmpty()) {
				retire();
			}
		}
		catch (Throwable ex) {
			this.error = ex;
			this.undone = out;
			this.context.torn = true;
			discard(ex, now, out);
		}
		return out;
	}

	private void waited(boolean isWaitedFor) {
		if (isWaitedFor != this.waitedFor) {
			this.waitedFor = isWaitedFor;
			// How long the server has been silent counts from the next question.
			this.claims.silence.answered();
		}
	}

	/** Discards it where that failed before. */
	public Effects discardIfTorn(long now) {
		return on(now, (out) -> {
		});
	}

	private void discard(Throwable error, long now, Effects out) {
		Verdict failed = Verdict.Failed.of(this.name, error);
		this.torn = failed;
		this.claims.lines().forEach((line) -> line.endAll(failed, out));
		this.claims.end(Cause.ERROR, now, out);
		waited(false);
		out.add(new Effects.Discarded(this, error));
		retire();
		this.error = null;
		this.undone = null;
	}

	/** If it is torn this is done once more, when its owners have unlocked. */
	private void retire() {
		this.table.retired(this, !this.claims.owners.isEmpty());
		this.retired = true;
	}

	/** What an owner has to unlock, lost or not: the latest of what it has lost. */
	public synchronized @Nullable Grant grant(Object owner) {
		return this.claims.owners.latest(owner);
	}

	public synchronized @Nullable Grant holder(long now) {
		return this.claims.owners.holder(now);
	}

	public synchronized LockView view() {
		return LockView.of(this.name, this.claims);
	}

	public boolean isWaitedFor() {
		return this.waitedFor;
	}

	/** Has what a request holds, or will hold, not passed on any more. */
	public synchronized void pin(String id) {
		Request request = this.claims.request(id);
		if (request != null) {
			request.pinned = true;
		}
	}

}
