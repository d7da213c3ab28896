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

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.internal.protocol.Wish;
import org.jspecify.annotations.Nullable;

/**
 * Who wants one lock in this client, and which requests ask for it or hold it. Guarded by
 * the monitor of the lock.
 */
final class Claims {

	final LockState state;

	final Owners owners = new Owners(this);

	final Silence silence = new Silence();

	private final Context context;

	/** The lines in which several callers may stand. */
	List<Line> lines = List.of();

	private Map<String, Request> requests = Map.of();

	int waiting;

	/** In the order in which they began. */
	List<Hold> holders = List.of();

	Claims(LockState state) {
		this.state = state;
		this.context = state.context;
	}

	boolean isEmpty() {
		return this.requests.isEmpty() && this.owners.isEmpty();
	}

	@Nullable Request request(String id) {
		return this.requests.get(id);
	}

	Collection<Request> requests() {
		return List.copyOf(this.requests.values());
	}

	/**
	 * Silence ends all waits at once, whoever has sent the command that makes it long.
	 */
	void endIfSilent(long now, Effects out) {
		if (this.silence.isLongerThan(this.context.settings.waiterNanos(), now)) {
			lines().forEach((line) -> line.settle(now, out));
		}
	}

	void add(Request request) {
		this.requests = Few.plus(this.requests, request.id, request);
	}

	// Lines

	/**
	 * Adds a waiter, unless its owner has the lock already or can never get it.
	 */
	void want(Waiter waiter, long now, Effects out) {
		Verdict known = this.context.isClosed() ? Verdict.Simple.CLOSED : this.owners.reenter(waiter, now, out);
		if (known != null) {
			waiter.end(known, out);
			return;
		}
		int most = waiter.isTimeUp(now) ? 0 : waiter.wish.maxWaiters();
		int queued = (most == 0 || this.waiting < most) ? -1
				: lines().stream().mapToInt((line) -> line.queued(now)).sum();
		if (queued >= most) {
			waiter.end(new Verdict.Full(queued), out);
			return;
		}
		for (Hold hold : this.holders) {
			if (hold.wish.excludes(waiter.wish)) {
				// Readers that come later stand behind it.
				hold.open = false;
			}
		}
		Line line = line(waiter.wish, waiter.leaseMillis, waiter.watched);
		line.add(waiter);
		line.settle(now, out);
	}

	private Line line(Wish wish, long leaseMillis, boolean watched) {
		boolean shareable = Line.isShareable(wish, watched);
		if (shareable) {
			for (Line line : this.lines) {
				if (line.wish.equals(wish) && line.leaseMillis == leaseMillis) {
					return line;
				}
			}
		}
		Line line = new Line(this, wish, leaseMillis, watched);
		if (shareable) {
			this.lines = Few.plus(this.lines, line);
		}
		return line;
	}

	/**
	 * All lines, also those in which one caller stands alone: each has a request.
	 */
	Set<Line> lines() {
		Set<Line> all = new LinkedHashSet<>(this.lines);
		this.requests.values().forEach((request) -> all.add(request.line));
		return all;
	}

	/**
	 * Whether an owner of this client excludes a wish, which is known without the server.
	 */
	boolean exclude(Wish wish, long now) {
		for (Hold hold : this.holders) {
			if (hold.wish.excludes(wish) && !hold.grants.isEmpty() && !hold.isOver(now)) {
				return true;
			}
		}
		return false;
	}

	// Holds

	/**
	 * Whether a hold is no older than one of this client that it excludes.
	 */
	boolean isNews(Hold hold) {
		return this.holders.stream().noneMatch((held) -> held.wish.excludes(hold.wish) && held.stamp > hold.stamp);
	}

	/**
	 * Adds a hold, and ends those of this client that it excludes.
	 */
	void begin(Hold newer, long now, Effects out) {
		for (Hold held : List.copyOf(this.holders)) {
			if (held.wish.excludes(newer.wish)) {
				lose(held, Cause.GONE, now, out);
				held.request.line.settle(now, out);
			}
		}
		this.holders = Few.plus(this.holders, newer);
	}

	/** The owner of an exclusive hold reads on. */
	void downgrade(Hold hold, long now, Effects out) {
		Request request = hold.request;
		Line writers = request.line;
		Line readers = line(Wish.shared(false), hold.leaseMillis, hold.watched);
		writers.held = Few.minus(writers.held, hold);
		readers.held = Few.plus(readers.held, hold);
		request.line = readers;
		// It reads from the moment this is sent. Others enter once its token is known.
		hold.wish = readers.wish;
		hold.open = false;
		hold.downgrading = true;
		request.send(now, out);
		writers.settle(now, out);
		readers.settle(now, out);
	}

	/** The owners of a hold have lost it. */
	void lose(Hold hold, Cause cause, long now, Effects out) {
		hold.lose(cause);
		hold.grants = List.of();
		giveUp(hold.request, null, now, out);
	}

	/**
	 * Gives up whatever no owner has, who could give it back. What an owner has stays in
	 * Redis until it unlocks, or its lease is over.
	 */
	void end(Cause cause, long now, Effects out) {
		for (Request request : requests()) {
			Hold hold = request.hold();
			if (hold == null || hold.grants.isEmpty()) {
				giveUp(request, null, now, out);
			}
			else if (hold.isOrphaned()) {
				// Nobody is told, but others may have a view of it.
				hold.grants.forEach((grant) -> {
					grant.loss = cause;
					this.owners.forget(grant);
				});
				giveUp(request, null, now, out);
			}
			else {
				hold.lose(cause);
				remove(request);
			}
		}
	}

	// Requests

	/**
	 * Another request takes the place of one that came to nothing.
	 */
	void replace(Request request, Verdict word, long due, long now, Effects out) {
		Line line = request.line;
		Request next = line.ask(word, due);
		next.heard = request.heard;
		// In one script if it is due, or it might find the other one. That counts nobody.
		boolean together = Context.isReached(due, now) && this.context.settings.queues() && line.wish.maxWaiters() == 0;
		giveUp(request, together ? next : null, now, out);
	}

	/**
	 * What no owner has leaves the map only here: it is owed before anything is sent.
	 */
	void giveUp(Request request, @Nullable Request next, long now, Effects out) {
		if (request.traffic.mayBeInRedis()) {
			out.add(new Effects.Send(this.state, request.owe(next, now)));
		}
		remove(request);
	}

	void remove(Request request) {
		request.schedule.stop();
		this.requests = Few.minus(this.requests, request.id);
		Hold hold = request.hold();
		if (hold != null) {
			this.holders = Few.minus(this.holders, hold);
			request.line.held = Few.minus(request.line.held, hold);
		}
		if (request.line.asking == request) {
			request.line.asking = null;
		}
	}

}
