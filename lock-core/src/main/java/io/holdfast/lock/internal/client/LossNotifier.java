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

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.internal.engine.LossActions;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.NoticeQueue;
import io.holdfast.lock.internal.text.DurationText;

/**
 * Logs each loss and hands it to the observers' threads; {@code onLost} actions run on a
 * thread of this class. Thread-safe.
 */
final class LossNotifier {

	private final LimitedLog losses = new LimitedLog("io.holdfast.lock.losses");

	private final LimitedLog failures = new LimitedLog(LossNotifier.class);

	private final Observers observers;

	private final NoticeQueue queue = new NoticeQueue("holdfast-notice", Observers.MOST);

	private final AtomicBoolean full = new AtomicBoolean();

	LossNotifier(Observers observers) {
		this.observers = observers;
	}

	void start() {
		this.queue.start();
	}

	/**
	 * Has a loss told. Calls nobody itself, so it may be called in a monitor.
	 */
	void lost(LossNotice notice) {
		if (!this.queue.add(() -> act(notice)) && this.full.compareAndSet(false, true)) {
			this.failures.warn("An action of onLost has not returned while " + Observers.MOST
					+ " losses came. Actions of further ones are dropped until it does; mend it");
		}
		LockLoss loss = notice.loss();
		this.losses.warn("Lock '" + loss.name() + "' with fencing token " + loss.token() + " was lost (" + loss.cause()
				+ ") after " + DurationText.millisOf(loss.held())
				+ ": another holder may be at work while its owner still is. Check what both of them wrote");
		LockObserver.Attempt observed = notice.grant().observerOfLoss();
		if (observed != null) {
			this.observers.lost(loss, observed);
		}
	}

	private void act(LossNotice notice) {
		int dropped = this.queue.takeDropped();
		if (dropped > 0) {
			this.full.set(false);
			this.failures.warn("Actions of onLost were dropped for " + dropped + " losses, as one was too slow");
		}
		LossActions actions = notice.grant().wantedLossActions();
		if (actions != null) {
			for (Consumer<LockLoss> action = actions.poll(); action != null; action = actions.poll()) {
				act(action, notice.loss());
			}
		}
	}

	private void act(Consumer<LockLoss> action, LockLoss loss) {
		try {
			action.accept(loss);
		}
		catch (Throwable ex) {
			this.failures.error("An action of onLost failed on the loss of lock '" + loss.name()
					+ "'. The others run all the same; mend this one", ex);
		}
	}

	/**
	 * Does what there is to do, and takes no more.
	 */
	void close() {
		this.queue.close();
	}

}
