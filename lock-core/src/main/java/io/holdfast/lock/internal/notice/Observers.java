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

package io.holdfast.lock.internal.notice;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.text.DurationText;
import org.jspecify.annotations.Nullable;

/**
 * Those who observe a client, and the actions of {@code onLost}. What a caller does is
 * told on its thread, as traces and times need it; what happens to it, as the loss of a
 * lock, on a thread of each observer, and on one for the actions: one that never returns
 * keeps nothing from the others. What they throw is logged. Thread-safe.
 */
public final class Observers implements LockObserver {

	private static final LimitedLog failures = new LimitedLog(Observers.class);

	private static final LimitedLog slow = new LimitedLog(Observers.class);

	private final LimitedLog badActions = new LimitedLog(Observers.class);

	private final LimitedLog losses = new LimitedLog("io.holdfast.lock.losses");

	private final TaskQueue actions = new TaskQueue("holdfast-notice", 1, 0);

	private final List<Member> members;

	/**
	 * Create what tells these.
	 */
	public Observers(List<LockObserver> observers) {
		this.members = observers.stream()
			.map((each) -> new Member(each, new TaskQueue("holdfast-observer", 1, 0)))
			.toList();
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
		if (this.members.isEmpty()) {
			return Attempt.UNOBSERVED;
		}
		Attempts all = new Attempts(new ArrayList<>(this.members.size()));
		for (Member each : this.members) {
			all.attempts.add(wanted(each.observer(), name, declaredName, fair, mode));
		}
		return all;
	}

	private static Attempt wanted(LockObserver observer, String name, @Nullable String declaredName, boolean fair,
			LockMode mode) {
		try {
			return Objects.requireNonNullElse(observer.wanted(name, declaredName, fair, mode), Attempt.UNOBSERVED);
		}
		catch (Throwable ex) {
			log(observer, ex);
			return Attempt.UNOBSERVED;
		}
	}

	/**
	 * Logs a loss, and has the actions run that its owner wants. Calls nobody itself, so
	 * it may be called in a monitor.
	 * @param wanted gives one action after the other, and {@code null} after the last
	 */
	public void tellOwner(LockLoss loss, Supplier<@Nullable Consumer<LockLoss>> wanted) {
		if (!this.actions.tell(false, () -> run(wanted, loss))) {
			this.badActions.warn("An action of onLost has not returned while " + TaskQueue.MOST_NOTICES
					+ " losses came: until it does, actions for others are dropped, such as that of lock '"
					+ loss.name() + "'. Mend it");
		}
		this.losses.warn("Lock '" + loss.name() + "' with fencing token " + loss.token() + " was lost (" + loss.cause()
				+ ") after " + DurationText.millisOf(loss.held()) + switch (loss.cause()) {
					case EXPIRED, GONE, FORCED ->
						": another holder may be at work while its owner still is. Check what both of them wrote";
					case MAX_HOLD, CLOSED, ERROR ->
						": others get it when its owner gives it back, or its lease is over";
				});
	}

	private void run(Supplier<@Nullable Consumer<LockLoss>> wanted, LockLoss loss) {
		for (Consumer<LockLoss> action = wanted.get(); action != null; action = wanted.get()) {
			try {
				action.accept(loss);
			}
			catch (Throwable ex) {
				this.badActions.error("An action of onLost failed on the loss of lock '" + loss.name()
						+ "'. The others run all the same; mend this one", ex);
			}
		}
	}

	@Override
	public void lost(LockLoss loss, Attempt attempt) {
		for (int i = 0; i < this.members.size(); i++) {
			Attempt own = (attempt instanceof Attempts all) ? all.attempts.get(i) : attempt;
			later(this.members.get(i), false, (each) -> each.lost(loss, own));
		}
	}

	@Override
	public void renewalFailed(String name, LockServerException reason) {
		this.members.forEach((member) -> later(member, true, (each) -> each.renewalFailed(name, reason)));
	}

	@Override
	public void deadlocked(List<String> names) {
		this.members.forEach((member) -> later(member, false, (each) -> each.deadlocked(names)));
	}

	@Override
	public void forced(String name) {
		this.members.forEach((member) -> tell(member.observer(), (each) -> each.forced(name)));
	}

	@Override
	public void started(ClientState client) {
		this.actions.start();
		this.members.forEach((each) -> each.queue().start());
		this.members.forEach((member) -> tell(member.observer(), (each) -> each.started(client)));
	}

	@Override
	public void stopped(ClientState client) {
		this.members.forEach((member) -> tell(member.observer(), (each) -> each.stopped(client)));
	}

	private static void later(Member member, boolean minor, Consumer<LockObserver> notice) {
		if (!member.queue().tell(minor, () -> tell(member.observer(), notice))) {
			slow.warn("A LockObserver is too slow: while " + TaskQueue.MOST_NOTICES
					+ " lost locks, deadlocks and renewals "
					+ "that failed wait to be told to it, further ones are dropped. Have it do its work on a thread of its "
					+ "own: " + member.observer().getClass().getName());
		}
	}

	private static <T> void tell(T told, Consumer<T> notice) {
		try {
			notice.accept(told);
		}
		catch (Throwable ex) {
			log(told, ex);
		}
	}

	private static void log(Object told, Throwable thrown) {
		failures.warn("A LockObserver threw an exception; locks are not affected, and it is still called. Fix it: "
				+ told.getClass().getName(), thrown);
	}

	/**
	 * Whether observers were told all. Nobody waits for actions of {@code onLost}: one
	 * may close the client.
	 */
	public boolean isDone() {
		return this.members.stream().allMatch((each) -> each.queue().unfinished() == 0);
	}

	/**
	 * Ends their threads when all is told.
	 */
	public void close() {
		this.actions.close();
		this.members.forEach((each) -> each.queue().close());
	}

	private record Member(LockObserver observer, TaskQueue queue) {
	}

	/**
	 * One attempt, as the observers follow it.
	 *
	 * @param attempts of each observer its own
	 */
	private record Attempts(List<Attempt> attempts) implements Attempt {

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			tellEach((each) -> each.acquired(how, waitedNanos));
		}

		@Override
		public void reentered() {
			tellEach(Attempt::reentered);
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			tellEach((each) -> each.failed(why, waitedNanos, reason));
		}

		@Override
		public void released(Release how, long heldNanos) {
			tellEach((each) -> each.released(how, heldNanos));
		}

		private void tellEach(Consumer<Attempt> notice) {
			this.attempts.forEach((each) -> tell(each, notice));
		}

	}

}
