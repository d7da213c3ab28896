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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.lock.LockListener;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import io.holdfast.lock.internal.engine.LossActions;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.NoticeQueue;
import io.holdfast.lock.internal.text.DurationText;

/**
 * Tells everyone concerned that a hold was lost: the log and the observers on threads of
 * theirs, and on one of its own the listeners, of which one that never returns hides no
 * loss from the others. Thread-safe.
 */
final class LossNotifier {

	static final int MOST = 10_000;

	private final LimitedLog losses = new LimitedLog("io.holdfast.lock.losses");

	private final LimitedLog failures = new LimitedLog(LossNotifier.class);

	/**
	 * In the order in which they came. A listener may change what it is equal to, so its
	 * registration is what counts here.
	 */
	private final List<Added> listeners = new CopyOnWriteArrayList<>();

	private final NoticeQueue queue = new NoticeQueue("holdfast-notice", MOST);

	private final AtomicBoolean full = new AtomicBoolean();

	LossNotifier(List<LockListener> listeners) {
		listeners.forEach(this::add);
	}

	void start() {
		this.queue.start();
	}

	Registration add(LockListener listener) {
		Added added = new Added(listener);
		this.listeners.add(added);
		return added;
	}

	/**
	 * Those that are to be told; of equal ones the first.
	 */
	private List<LockListener> listeners() {
		List<LockListener> present = new ArrayList<>();
		for (Added each : this.listeners) {
			if (present.stream().noneMatch((other) -> areEqual(other, each.listener))) {
				present.add(each.listener);
			}
		}
		return present;
	}

	private static boolean areEqual(LockListener one, LockListener other) {
		try {
			return one.equals(other);
		}
		catch (Throwable ex) {
			// It is foreign code, and must not keep the others from being told.
			return false;
		}
	}

	/**
	 * Has a loss told. Calls nobody itself, so it may be called in a monitor.
	 */
	void lost(LossNotice notice) {
		if (!this.queue.add(() -> deliver(notice)) && this.full.compareAndSet(false, true)) {
			this.failures.warn("A listener has not returned while " + MOST + " losses came. Listeners and actions are "
					+ "told of no further ones until it does; mend it");
		}
		LockLoss loss = notice.loss();
		this.losses.warn("Lock '" + loss.name() + "' with fencing token " + loss.token() + " was lost (" + loss.cause()
				+ ") after " + DurationText.millisOf(loss.held())
				+ ": another holder may be at work while its owner still is. Check what both of them wrote");
		notice.grant().observerOfLoss().lost(loss);
	}

	private void deliver(LossNotice notice) {
		int dropped = this.queue.takeDropped();
		if (dropped > 0) {
			this.full.set(false);
			this.failures
				.warn("Listeners and actions were not told of " + dropped + " losses, for which one was too slow");
		}
		LossActions actions = notice.grant().wantedLossActions();
		if (actions != null) {
			for (LockListener action = actions.poll(); action != null; action = actions.poll()) {
				tell(action, notice.loss());
			}
		}
		listeners().forEach((each) -> tell(each, notice.loss()));
	}

	private void tell(LockListener listener, LockLoss loss) {
		try {
			listener.onLost(loss);
		}
		catch (Throwable ex) {
			this.failures.error("A listener failed on the loss of lock '" + loss.name()
					+ "'. The others are told all the same; mend this one", ex);
		}
	}

	/**
	 * Delivers what there is, and takes no more.
	 */
	void close() {
		this.queue.close();
	}

	/**
	 * Compared by identity: each registration counts.
	 */
	private final class Added implements Registration {

		private final LockListener listener;

		Added(LockListener listener) {
			this.listener = listener;
		}

		@Override
		public void remove() {
			LossNotifier.this.listeners.remove(this);
		}

	}

}
