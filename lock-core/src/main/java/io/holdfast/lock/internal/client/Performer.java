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

package io.holdfast.lock.internal.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongFunction;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.Effects;
import io.holdfast.lock.internal.engine.Effects.Effect;
import io.holdfast.lock.internal.engine.Effects.Send;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Tells the engine what happens, and does what it wants done. Thread-safe.
 *
 * @param runtime the client's parts
 */
record Performer(LockRuntime runtime) {

	/*
	 * A loop, so that the outcome of a command that brings another one is no recursion.
	 * Whoever brings a message, or completes a future of a server whose calls block,
	 * sends nothing itself: that goes to a worker.
	 *
	 * Whatever is thrown inside of an input discards that lock; if even that fails, the
	 * watchdog tries it again. What is thrown by a command is no answer to it. An effect
	 * that fails keeps nothing from the next ones: what it was about is owed or has a
	 * timer. An error may take effects with it, so losses are none: they are in a list of
	 * which the watchdog tells, and it looks there also if nobody has woken it.
	 */

	/**
	 * Tells a lock of something. What that throws has torn its state: the watchdog
	 * discards it.
	 */
	Effects on(LockState state, LongFunction<Effects> input) {
		try {
			return input.apply(this.runtime.now());
		}
		catch (Throwable ex) {
			this.runtime.failed(ex);
			throw ex;
		}
	}

	/**
	 * Does what there is to do on the calling thread.
	 */
	void perform(Effects todo) {
		CompletableFuture<Reply> unused = perform(todo, "");
	}

	/**
	 * Does what there is to do on the calling thread. When a command has failed, workers
	 * send what that demands: the caller has waited for long enough.
	 * @return the answer to the latest command about a request, or {@code null} if there
	 * was no such command
	 */
	@Nullable CompletableFuture<Reply> perform(Effects todo, String requestId) {
		AtomicReference<@Nullable CompletableFuture<Reply>> own = new AtomicReference<>();
		AtomicBoolean failed = new AtomicBoolean();
		perform(todo, (send) -> {
			if (failed.get()) {
				this.runtime.workers.send(List.of(send));
				return;
			}
			CompletableFuture<Reply> answer = send(send, todo);
			failed.set(answer.isCompletedExceptionally());
			if (send.command().id().equals(requestId)) {
				own.set(answer);
			}
		});
		return own.get();
	}

	/**
	 * Tells the lock of a grant of something that its owner waits for.
	 * @return the answer, or {@code null} if there was no command about it
	 */
	@Nullable CompletableFuture<Reply> ask(Grant grant, LongFunction<Effects> input) {
		return perform(on(grant.state(), input), grant.requestId());
	}

	/**
	 * Tells a lock of something, and has workers send commands.
	 */
	void tell(LockState state, BiFunction<LockState, Long, Effects> input) {
		performElsewhere(on(state, (now) -> input.apply(state, now)));
	}

	/**
	 * Does what there is to do, but has workers send commands.
	 */
	void performElsewhere(Effects todo) {
		perform(todo, (send) -> this.runtime.workers.send(List.of(send)));
	}

	/**
	 * Does what there is to do without blocking the calling thread.
	 * @param then runs when commands that are to be sent now have been
	 */
	void performAsync(Effects todo, Runnable then) {
		if (!this.runtime.server.blocks()) {
			perform(todo);
			then.run();
			return;
		}
		List<Send> sends = new ArrayList<>(1);
		perform(todo, sends::add);
		if (!sends.isEmpty()) {
			try {
				this.runtime.io.execute(() -> {
					send(sends, false);
					then.run();
				});
			}
			catch (Throwable ex) {
				this.runtime.failed(ex);
				fail(sends, ex);
			}
		}
	}

	/**
	 * Does what there is to do.
	 * @param sender takes the commands
	 */
	void perform(Effects todo, Consumer<Send> sender) {
		for (Effect effect = next(todo); effect != null; effect = next(todo)) {
			try {
				perform(effect, sender);
			}
			catch (Throwable ex) {
				this.runtime.failed(ex);
			}
		}
	}

	private @Nullable Effect next(Effects todo) {
		this.runtime.watchdog.wakeIfLost();
		return todo.poll();
	}

	private void perform(Effect effect, Consumer<Send> sender) {
		if (effect instanceof Effects.Wake wake) {
			wake.waiter().wake();
		}
		else if (effect instanceof Send send) {
			sender.accept(send);
		}
		else if (effect instanceof Effects.Orphaned orphaned) {
			LookLog.logLeak(orphaned.grant());
		}
		else if (effect instanceof Effects.Discarded discarded) {
			this.runtime.failed(discarded.cause());
		}
	}

	/**
	 * Sends commands that nobody waits for, on the calling thread.
	 */
	void send(List<Send> batch, boolean together) {
		Effects todo = new Effects();
		if (together) {
			long sent = this.runtime.now();
			List<CompletableFuture<Reply>> answers = sendTogether(batch);
			for (int i = 0; i < batch.size(); i++) {
				CompletableFuture<Reply> unused = take(batch.get(i), answers.get(i), sent, todo);
			}
		}
		else {
			for (Send each : batch) {
				CompletableFuture<Reply> unused = send(each, todo);
			}
		}
		perform(todo);
	}

	/**
	 * Commands could not be sent.
	 */
	void fail(List<Send> batch, Throwable thrown) {
		long now = this.runtime.now();
		batch.forEach((each) -> performElsewhere(outcome(each, null, thrown, now)));
	}

	private List<CompletableFuture<Reply>> sendTogether(List<Send> batch) {
		try {
			return this.runtime.server.sendTogether(batch.stream().map(Send::command).toList());
		}
		catch (Throwable ex) {
			return batch.stream().map((each) -> CompletableFuture.<Reply>failedFuture(ex)).toList();
		}
	}

	private CompletableFuture<Reply> send(Send send, Effects todo) {
		long sent = this.runtime.now();
		CompletableFuture<Reply> answer;
		try {
			answer = this.runtime.server.send(send.command());
		}
		catch (Throwable ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		return take(send, answer, sent, todo);
	}

	/**
	 * Has the engine told of an answer.
	 * @return the same, once it has been
	 */
	private CompletableFuture<Reply> take(Send send, CompletableFuture<Reply> answer, long sentNanos, Effects todo) {
		// What does not block is sent at once, so a release goes before the next
		// question.
		Consumer<Effects> taker = answer.isDone() ? todo::addAll
				: this.runtime.server.blocks() ? this::performElsewhere : this::perform;
		return answer.whenComplete((reply, thrown) -> taker.accept(outcome(send, reply, thrown, sentNanos)));
	}

	private Effects outcome(Send send, @Nullable Reply reply, @Nullable Throwable thrown, long sentNanos) {
		LockState state = send.state();
		Command command = send.command();
		if (reply != null) {
			this.runtime.outages.answered(command);
			Reply last = (reply.next() != null) ? reply.next() : reply;
			if (last.word() == Reply.Word.WAITS) {
				this.runtime.watchdog.waitsFor(state);
				this.runtime.sessions.waitsFor(state.name());
			}
			return on(state, (now) -> state.answered(command, reply.sentAt(sentNanos), now));
		}
		LockServerException failure = this.runtime.errors.failureOf(state.name(),
				(thrown != null) ? thrown : new IllegalStateException("No answer"));
		this.runtime.outages.failed(state.name(), command, failure);
		return on(state, (now) -> state.failed(command, failure, sentNanos, now));
	}

}
