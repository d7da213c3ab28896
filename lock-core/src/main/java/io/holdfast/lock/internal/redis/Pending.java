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

package io.holdfast.lock.internal.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A command on its way, and the future that it completes.
 */
final class Pending extends CompletableFuture<Reply> {

	final Command command;

	/** When its thread began to send a call, its own command among others. */
	volatile long callNanos;

	/** When a thread began to send it with others; 0 while it waits for that. */
	volatile long underWayNanos;

	/** Whether it has no outcome although it was sent with others. */
	volatile boolean alone;

	/** Whether it may have been carried out in a call of several that was refused. */
	private boolean maybeSent;

	private final LockKeys keys;

	private final Thread thread = Thread.currentThread();

	Pending(Command command, LockKeys keys) {
		this.command = command;
		this.keys = keys;
	}

	/**
	 * Sends commands in one call and completes all of them, or none if that fails.
	 * @param sender sends them; its failures are {@link LockServerException}s
	 * @return how it failed
	 */
	static @Nullable LockServerException send(List<Pending> together, Function<List<Pending>, List<Reply>> sender) {
		try {
			List<Reply> replies = sender.apply(together);
			for (int i = 0; i < together.size(); i++) {
				together.get(i).complete(replies.get(i));
			}
			return null;
		}
		catch (LockServerException ex) {
			together.forEach((each) -> each.maybeSent |= together.size() > 1 && ex.reason() == Reason.REFUSED);
			return ex;
		}
	}

	/**
	 * Sends it alone.
	 */
	void send(Function<List<Pending>, List<Reply>> sender) {
		fail(send(List.of(this), sender));
	}

	/**
	 * Completes it, if it is not and a call has failed. That it cannot be sent again does
	 * not tell that it was not carried out before. A refusal does: it is for a reason
	 * that holds for a moment at least.
	 */
	void fail(@Nullable LockServerException because) {
		if (because != null) {
			boolean unknown = this.maybeSent && because.reason() == Reason.UNREACHABLE;
			completeExceptionally(RedisErrors.alsoOf(this.keys.nameOf(this.command.key()),
					unknown ? RedisErrors.ofRepeated(because) : because));
		}
	}

	/**
	 * Ends the call with which it was sent.
	 */
	void end() {
		this.alone = !isDone();
		wake();
	}

	void wake() {
		LockSupport.unpark(this.thread);
	}

}
