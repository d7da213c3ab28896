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

package io.holdfast.lock.internal.operator;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.Context;
import io.holdfast.lock.internal.engine.Effects;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.LockTable;
import io.holdfast.lock.internal.engine.Timers.Timer;
import io.holdfast.lock.internal.engine.Verdict;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.Reply.Word;
import io.holdfast.lock.internal.protocol.Wish;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An engine whose clock, and whose server, is the test.
 */
final class TestEngine {

	private static final Wish WISH = Wish.exclusive(false);

	private final Duration lease;

	private volatile long nanos;

	private int requests;

	private long stamps = 100;

	final Context context;

	final LockTable table;

	final EngineView view;

	TestEngine(Duration lease) {
		this.lease = lease;
		Context.Settings settings = new Context.Settings(lease.toMillis(), lease.toNanos(), TimeUnit.SECONDS.toNanos(1),
				TimeUnit.SECONDS.toNanos(2), 16, true, 0);
		this.context = new Context(settings, (name) -> "p:lock:" + name, () -> "3:" + ++this.requests, () -> 0);
		this.table = new LockTable(this.context);
		this.view = new EngineView("here", this.context, this.table, List.of(), () -> this.nanos);
	}

	void at(long millis) {
		this.nanos = TimeUnit.MILLISECONDS.toNanos(millis);
	}

	void hears(boolean arrive) {
		this.context.hears(arrive, this.nanos);
	}

	Grant hold(String name, boolean watched) {
		return hold(name, new Object(), WISH, watched);
	}

	Grant hold(String name, Object owner) {
		return hold(name, owner, WISH, false);
	}

	/**
	 * Has an owner get a lock, from the server if that is asked.
	 */
	Grant hold(String name, Object owner, Wish wish, boolean watched) {
		Waiter waiter = waiter(owner, wish, watched);
		answer(want(name, waiter), Word.HOLDS);
		assertThat(waiter.outcome()).isInstanceOf(Verdict.Granted.class);
		return ((Verdict.Granted) waiter.outcome()).grant();
	}

	Waiter waitFor(String name, Object owner) {
		return waitFor(name, owner, WISH);
	}

	Waiter waitFor(String name, Object owner, Wish wish) {
		Waiter waiter = waiter(owner, wish, true);
		answer(want(name, waiter), Word.WAITS);
		assertThat(waiter.outcome()).isNull();
		return waiter;
	}

	/**
	 * Has a caller ask.
	 */
	List<Effects.Send> ask(String name) {
		return want(name, waiter(new Object(), WISH, true));
	}

	void leave(String name, Waiter waiter) {
		lock(name).timeUp(waiter, true, this.nanos);
		assertThat(waiter.outcome()).isNotNull();
	}

	LockState lock(String name) {
		LockState state = this.table.find(name);
		assertThat(state).isNotNull();
		return state;
	}

	/**
	 * Sends what is due.
	 */
	List<Effects.Send> sendDue() {
		List<Effects.Send> sent = new ArrayList<>();
		for (Timer timer = poll(); timer != null; timer = poll()) {
			sent.addAll(sends(timer.state().due(timer, this.nanos)));
		}
		return sent;
	}

	private Timer poll() {
		return this.context.timers().poll(this.nanos);
	}

	void answer(List<Effects.Send> sent, Word word) {
		for (Effects.Send each : sent) {
			long stamp = ++this.stamps;
			Reply reply = new Reply(word, this.lease.toMillis(), (word == Word.HOLDS) ? stamp : 0, stamp, false,
					this.nanos, null);
			answer(sends(each.state().answered(each.command(), reply, this.nanos)), word);
		}
	}

	void fail(List<Effects.Send> sent, long sentMillis) {
		LockServerException failure = new LockServerException("a", Reason.TIMED_OUT, "no answer", null);
		sent.forEach((each) -> each.state()
			.failed(each.command(), failure, TimeUnit.MILLISECONDS.toNanos(sentMillis), this.nanos));
	}

	private List<Effects.Send> want(String name, Waiter waiter) {
		return sends(this.table.want(name, waiter, this.nanos));
	}

	private static List<Effects.Send> sends(Effects effects) {
		List<Effects.Send> sends = new ArrayList<>();
		for (Effects.Effect each = effects.poll(); each != null; each = effects.poll()) {
			if (each instanceof Effects.Send send && !(send.command() instanceof Command.Release)) {
				sends.add(send);
			}
		}
		return sends;
	}

	private Waiter waiter(Object owner, Wish wish, boolean watched) {
		return new Waiter(owner, wish, this.lease.toMillis(), watched, this.nanos, Long.MAX_VALUE / 2, 0) {

			@Override
			public void wake() {
			}

		};
	}

}
