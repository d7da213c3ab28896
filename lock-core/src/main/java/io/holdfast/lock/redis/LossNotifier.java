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

package io.holdfast.lock.redis;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.holdfast.lock.LockListener;
import io.holdfast.lock.LockLoss;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells everyone concerned that a hold was lost, on a thread of its own.
 */
final class LossNotifier {

	private static final Log logger = LogFactory.getLog(LossNotifier.class);

	private final List<LockListener> listeners;

	private final Executor executor;

	LossNotifier(List<LockListener> listeners, Executor executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	void send(Grant.Notice notice) {
		this.executor.execute(() -> deliver(notice));
	}

	private void deliver(Grant.Notice notice) {
		for (Consumer<? super LockLoss> action : notice.actions()) {
			deliver(action, notice.loss());
		}
		for (LockListener listener : this.listeners) {
			deliver(listener::onLost, notice.loss());
		}
	}

	private void deliver(Consumer<? super LockLoss> action, LockLoss loss) {
		try {
			action.accept(loss);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener failed on the loss of lock '" + loss.name() + "'", ex);
		}
	}

}
