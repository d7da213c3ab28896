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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.holdfast.lock.LockListener;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import io.holdfast.lock.internal.engine.LossActions;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.internal.server.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells everyone concerned that a hold was lost, on a thread of its own. A notice that
 * finds no thread, because the machine has none left, or no memory, waits for the next
 * look of the watchdog.
 */
final class LossNotifier implements Consumer<LossNotice> {

	private static final Log logger = LogFactory.getLog(LossNotifier.class);

	/**
	 * In the order in which they came. A listener may change what it is equal to, so its
	 * registration is what counts here.
	 */
	private final List<Added> listeners = new CopyOnWriteArrayList<>();

	/**
	 * Told on threads of their own: so one that is slow does not delay those who stop
	 * what runs without its lock, and a listener that never returns hides no loss.
	 */
	private final SafeObserver observers;

	private final LossLog log;

	private final LimitedLog failures = new LimitedLog(logger);

	private final Queue<LossNotice> queue = new ConcurrentLinkedQueue<>();

	private final Delivery delivery = new Delivery("holdfast-notice-", this.queue::isEmpty, this::deliverAll);

	LossNotifier(List<LockListener> listeners, SafeObserver observers, LossLog log) {
		this.observers = observers;
		this.log = log;
		listeners.forEach(this::add);
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

	@Override
	public void accept(LossNotice notice) {
		this.queue.add(notice);
		deliverSoon();
		this.log.lost(notice.loss());
		this.observers.lost(notice);
	}

	/**
	 * Makes sure that a thread delivers what there is.
	 */
	void deliverSoon() {
		this.delivery.start();
	}

	private void deliverAll() {
		for (LossNotice notice = this.queue.peek(); notice != null; notice = this.queue.peek()) {
			// What may fail comes first, while the notice is still there.
			List<LockListener> present = listeners();
			this.queue.remove();
			deliver(notice, present);
		}
	}

	/**
	 * Tells all, whatever one of them throws. Needs no memory of its own.
	 */
	private void deliver(LossNotice notice, List<LockListener> present) {
		LossActions actions = notice.grant().wantedLossActions();
		if (actions != null) {
			tellAll(actions, notice.loss());
		}
		for (int i = 0; i < present.size(); i++) {
			tell(present.get(i), notice.loss());
		}
	}

	private void tellAll(LossActions actions, LockLoss loss) {
		for (LockListener action = actions.poll(); action != null; action = actions.poll()) {
			tell(action, loss);
		}
	}

	private void tell(LockListener listener, LockLoss loss) {
		try {
			listener.onLost(loss);
		}
		catch (Throwable ex) {
			log(loss, ex);
		}
	}

	private void log(LockLoss loss, Throwable thrown) {
		try {
			this.failures.error("A listener failed on the loss of lock '" + loss.name()
					+ "'. The others are told all the same; mend this one", thrown);
		}
		catch (Throwable ex) {
			// The others matter more: a full heap may not let it log either.
		}
	}

	/**
	 * Delivers what there is, and takes no more.
	 */
	void close() {
		this.delivery.close();
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
