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

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.NoticeQueue;
import org.jspecify.annotations.Nullable;

/**
 * Those who observe a client. What a caller does is told on its thread, as traces and
 * times need it; what happens to it, as the loss of a lock, on a thread of each observer:
 * one that never returns keeps nothing from the others. What they throw is logged.
 * Thread-safe.
 */
final class Observers implements LockObserver {

	static final int MOST = 10_000;

	private final LimitedLog failures = new LimitedLog(Observers.class);

	private final LimitedLog slow = new LimitedLog(Observers.class);

	private final List<Member> members;

	Observers(List<LockObserver> observers) {
		this.members = observers.stream()
			.map((each) -> new Member(each, new NoticeQueue("holdfast-observer", MOST)))
			.toList();
	}

	void start() {
		this.members.forEach((each) -> each.queue().start());
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		if (this.members.isEmpty()) {
			return Attempt.UNOBSERVED;
		}
		Attempt[] attempts = new Attempt[this.members.size()];
		Arrays.fill(attempts, Attempt.UNOBSERVED);
		Attempt all = new Attempts(attempts);
		boolean observed = false;
		for (int i = 0; i < attempts.length; i++) {
			try {
				attempts[i] = this.members.get(i).observer().wanted(name, declaredName, type);
			}
			catch (Throwable ex) {
				log(this.members.get(i), ex);
			}
			observed |= attempts[i] != Attempt.UNOBSERVED;
		}
		return observed ? all : Attempt.UNOBSERVED;
	}

	/**
	 * Tells that an owner has its grant, and of the loss of it if that came first.
	 */
	void acquired(Attempt attempt, Grant grant, Acquisition how, long waitedNanos) {
		if (this.members.isEmpty()) {
			return;
		}
		attempt.acquired(how, waitedNanos);
		LockLoss early = grant.observe(attempt);
		if (early != null) {
			lost(early, attempt);
		}
	}

	@Override
	public void lost(LockLoss loss, Attempt attempt) {
		for (int i = 0; i < this.members.size(); i++) {
			Member member = this.members.get(i);
			Attempt own = (attempt instanceof Attempts all) ? all.attempts[i] : attempt;
			member.queue().add(() -> tell(member, member.observer(), (each) -> each.lost(loss, own)));
		}
	}

	@Override
	public void renewalFailed(String name, LockServerException reason) {
		later((each) -> each.renewalFailed(name, reason));
	}

	@Override
	public void deadlocked(List<String> names) {
		later((each) -> each.deadlocked(names));
	}

	@Override
	public void forced(String name) {
		now((each) -> each.forced(name));
	}

	@Override
	public void started(ClientState client) {
		now((each) -> each.started(client));
	}

	@Override
	public void stopped(ClientState client) {
		now((each) -> each.stopped(client));
	}

	private void now(Consumer<LockObserver> call) {
		this.members.forEach((each) -> tell(each, each.observer(), call));
	}

	private void later(Consumer<LockObserver> call) {
		this.members.forEach((each) -> each.queue().addMinor(() -> tell(each, each.observer(), call)));
	}

	private <T> void tell(Member member, T told, Consumer<T> call) {
		try {
			call.accept(told);
		}
		catch (Throwable ex) {
			log(member, ex);
		}
	}

	private void log(Member member, Throwable thrown) {
		try {
			this.failures.warn("A LockObserver threw an exception; locks are not affected, and it is still called. "
					+ "Fix it: " + member.observer(), thrown);
		}
		catch (Throwable ex) {
			// Its own name is foreign code, too.
		}
	}

	/**
	 * Warns of what was not told.
	 */
	void look() {
		for (Member each : this.members) {
			int dropped = each.queue().takeDropped();
			if (dropped > 0) {
				this.slow.warn("A LockObserver is too slow: it is not told of " + dropped
						+ " lost lock(s), deadlock(s) or renewal(s) that failed, as too many such notices wait for it. Have it "
						+ "do its work on a thread of its own");
			}
		}
	}

	boolean isDone() {
		return this.members.stream().allMatch((each) -> each.queue().isDone());
	}

	void close() {
		this.members.forEach((each) -> each.queue().close());
	}

	private record Member(LockObserver observer, NoticeQueue queue) {
	}

	/**
	 * One attempt, as each of the observers follows it.
	 */
	private final class Attempts implements Attempt {

		private final Attempt[] attempts;

		Attempts(Attempt[] attempts) {
			this.attempts = attempts;
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			each((attempt) -> attempt.acquired(how, waitedNanos));
		}

		@Override
		public void reentered() {
			each(Attempt::reentered);
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			each((attempt) -> attempt.failed(why, waitedNanos, reason));
		}

		@Override
		public void released(Release how, long heldNanos) {
			each((attempt) -> attempt.released(how, heldNanos));
		}

		private void each(Consumer<Attempt> call) {
			for (int i = 0; i < this.attempts.length; i++) {
				tell(Observers.this.members.get(i), this.attempts[i], call);
			}
		}

	}

}
