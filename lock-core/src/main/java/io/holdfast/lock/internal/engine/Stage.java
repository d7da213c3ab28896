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
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Where a request stands, and how it takes what happens to it. Each stage has only what
 * it needs, and reacts to what it names; a request that holds nothing is replaced by
 * another one when it has come to nothing.
 */
sealed interface Stage permits Stage.Idle, Stage.Asking, Stage.Queued, Unproven, Held {

	/**
	 * What it has in Redis, as far as is known.
	 */
	default @Nullable Hold hold() {
		return null;
	}

	/**
	 * It has been granted what it asked for. If too little of that is left for an owner
	 * to begin, or maybe nothing, a renewal is to prove it first.
	 * @param fromNanos from when on it may be believed
	 */
	default void begin(Request request, Reply reply, long fromNanos, long now, Effects out) {
		request.word = Verdict.Simple.UNKNOWN;
		Hold hold = new Hold(request, reply, fromNanos, now);
		request.stage = new Unproven(hold);
		boolean proved = this instanceof Unproven;
		if (!request.claims.isNews(hold) || (proved && !hold.isSure(now))) {
			request.startOver(Verdict.Simple.UNKNOWN, now, now, out);
		}
		else if (proved || hold.isEnough(now, request.context.settings)) {
			request.begin(hold, now, out);
		}
		else {
			request.send(now, out);
		}
	}

	/**
	 * Its next command is due, unless nobody waits any more: then it is about to be given
	 * up.
	 */
	default void work(Request request, long now, Effects out) {
		if (request.line.hasWaiters()) {
			request.send(now, out);
		}
	}

	/**
	 * The server says that it holds the lock.
	 */
	default void holds(Request request, Command command, Reply reply, long now, Effects out) {
		begin(request, reply, reply.sentNanos(), now, out);
	}

	/**
	 * The server says that it waits.
	 */
	default void waits(Request request, Reply reply, long now, Effects out) {
		request.queue(reply, now);
	}

	/**
	 * The server says that it has nothing.
	 */
	default void none(Request request, Command command, Reply reply, long now, Effects out) {
		late(request, Verdict.Simple.UNKNOWN, now, now, out);
	}

	/**
	 * The server says that it has nothing, and not who has.
	 * @param due when to try again
	 */
	default void late(Request request, Verdict word, long due, long now, Effects out) {
		if (!request.traffic.isUnderWay()) {
			request.startOver(word, due, now, out);
		}
	}

	/**
	 * A command was not carried out, or had no answer.
	 */
	default void failed(Request request, LockServerException failure, long now, Effects out) {
		request.fails(failure, false, now);
	}

	/**
	 * A message says that it holds the lock.
	 */
	default void granted(Request request, Reply message, long now, Effects out) {
	}

	/**
	 * An operator has ended what it has.
	 */
	default void forced(Request request, long now, Effects out) {
		request.startOver(Verdict.Simple.UNKNOWN, now, now, out);
	}

	/**
	 * Messages may have been missed.
	 */
	default void missedMessages(Request request, long now) {
		request.schedule.workNext(now);
	}

	/**
	 * It has not been sent.
	 *
	 * @param due when it will be
	 */
	record Idle(long due) implements Stage {

		@Override
		public void missedMessages(Request request, long now) {
		}

	}

	/**
	 * It was sent, and the server has not said how it stands.
	 *
	 * @param since when it was sent first
	 */
	record Asking(long since) implements Stage {

		/**
		 * Without a queue it is another request that asks again: the first question may
		 * yet be withdrawn, from where the second one was granted.
		 */
		@Override
		public void work(Request request, long now, Effects out) {
			if (request.context.settings.queues() || !request.line.hasWaiters()) {
				Stage.super.work(request, now, out);
			}
			else {
				request.claims.replace(request, request.word, now, now, out);
			}
		}

		@Override
		public void none(Request request, Command command, Reply reply, long now, Effects out) {
			request.traffic.absent();
			request.heard = reply.sentNanos();
			request.line.tries = 0;
			request.claims.replace(request, Verdict.Simple.OTHER,
					now + (request.context.settings.queues() ? 0 : request.context.jitter.getAsLong()), now, out);
		}

		@Override
		public void failed(Request request, LockServerException failure, long now, Effects out) {
			if (request.changedNothing(failure)) {
				request.traffic.absent();
			}
			request.fails(failure, failure.reason() == Reason.REFUSED, now);
			if (!request.context.settings.queues()) {
				// Who comes meanwhile is told of this failure, so not for long
				long pause = Math.min(request.claims.silence.pauseNanos(now), 5 * Context.Settings.RETRY_NANOS);
				request.claims.replace(request, request.word, now + pause, now, out);
			}
		}

		@Override
		public void granted(Request request, Reply message, long now, Effects out) {
			begin(request, message, this.since, now, out);
		}

	}

	/**
	 * It has a place in the queue.
	 *
	 * @param spent the latest stamp that the lock had given out when the server said so:
	 * a message with a smaller one is no news
	 */
	record Queued(long spent) implements Stage {

		@Override
		public void granted(Request request, Reply message, long now, Effects out) {
			if (Hold.stamp(request.line.wish, message) > this.spent) {
				begin(request, message, request.heard, now, out);
			}
		}

	}

}
