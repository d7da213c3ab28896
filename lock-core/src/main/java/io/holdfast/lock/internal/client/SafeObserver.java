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

import java.util.List;
import java.util.concurrent.Executor;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockObserver.Acquisition;
import io.holdfast.lock.LockObserver.Attempt;
import io.holdfast.lock.LockObserver.ClientState;
import io.holdfast.lock.LockObserver.Failure;
import io.holdfast.lock.LockObserver.Release;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.internal.server.ErrorLog;
import io.holdfast.lock.internal.server.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells those who observe a client, outside of all monitors, and keeps what they throw
 * from the callers. What a caller does is told on its thread, and needs no memory of its
 * own. What happens to it, as the loss of a lock, is told later.
 */
final class SafeObserver {

	private static final Log logger = LogFactory.getLog(SafeObserver.class);

	private static final LockObserver NOBODY = new LockObserver() {
	};

	private static final ErrorLog errors = new ErrorLog(SafeObserver.class);

	private final LockObserver observer;

	private final Executor losses;

	private final Executor minor;

	private final LimitedLog failures = new LimitedLog(logger);

	/**
	 * Create what tells an observer.
	 * @param losses tells it of losses; may drop some
	 * @param minor tells it of what else happens to callers; may drop some
	 */
	SafeObserver(LockObserver observer, Executor losses, Executor minor) {
		this.observer = observer;
		this.losses = losses;
		this.minor = minor;
	}

	/**
	 * What tells all of some observers, of which there may be none.
	 */
	static SafeObserver of(List<SafeObserver> members) {
		return switch (members.size()) {
			case 0 -> new SafeObserver(NOBODY, Runnable::run, Runnable::run);
			case 1 -> members.get(0);
			default -> new SafeObserver(new CompositeObserver(members), Runnable::run, Runnable::run);
		};
	}

	/**
	 * Whether nobody observes the client.
	 */
	private boolean isUnobserved() {
		return this.observer == NOBODY;
	}

	Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		try {
			return this.observer.wanted(name, declaredName, type);
		}
		catch (Throwable ex) {
			log(ex);
			return Attempt.UNOBSERVED;
		}
	}

	/**
	 * Tells that an owner has its grant, and of the loss of it if that came first.
	 */
	void acquired(Attempt attempt, Grant grant, Acquisition how, long waitedNanos) {
		if (attempt != Attempt.UNOBSERVED) {
			acquired(attempt, how, waitedNanos);
			LockLoss early = grant.observe(attempt);
			if (early != null) {
				lost(attempt, early);
			}
		}
	}

	void acquired(Attempt attempt, Acquisition how, long waitedNanos) {
		try {
			attempt.acquired(how, waitedNanos);
		}
		catch (Throwable ex) {
			log(ex);
		}
	}

	void reentered(Attempt attempt) {
		try {
			attempt.reentered();
		}
		catch (Throwable ex) {
			log(ex);
		}
	}

	void failed(Attempt attempt, Failure why, long waitedNanos, @Nullable LockServerException reason) {
		try {
			attempt.failed(why, waitedNanos, reason);
		}
		catch (Throwable ex) {
			log(ex);
		}
	}

	void released(Attempt attempt, Release how, long heldNanos) {
		try {
			attempt.released(how, heldNanos);
		}
		catch (Throwable ex) {
			log(ex);
		}
	}

	/**
	 * Has a loss told. Calls no observer itself, so it may be called in a monitor.
	 */
	void lost(LossNotice notice) {
		try {
			lost(notice.grant().observerOfLoss(), notice.loss());
		}
		catch (Throwable ex) {
			untold(ex);
		}
	}

	void lost(Attempt attempt, LockLoss loss) {
		try {
			this.losses.execute(() -> tell(() -> attempt.lost(loss)));
		}
		catch (Throwable ex) {
			untold(ex);
		}
	}

	/**
	 * Has told that a lock was given back for its owner. Calls no observer itself.
	 */
	void releasedLater(Attempt attempt, Release how, long heldNanos) {
		try {
			if (attempt instanceof CompositeObserver.Attempts all) {
				all.releasedLater(how, heldNanos);
			}
			else {
				this.losses.execute(() -> tell(() -> attempt.released(how, heldNanos)));
			}
		}
		catch (Throwable ex) {
			untold(ex);
		}
	}

	/**
	 * There may be no memory for a notice. Those who stop what runs without its lock are
	 * told, which matters more.
	 */
	private static void untold(Throwable thrown) {
		errors.warn("An observer is not told of the end of a hold", thrown);
	}

	void renewalFailed(String name, LockServerException reason) {
		if (!isUnobserved()) {
			tellLater(() -> this.observer.renewalFailed(name, reason));
		}
	}

	void forced(String name) {
		tell(() -> this.observer.forced(name));
	}

	void deadlocked(List<String> names) {
		if (!isUnobserved()) {
			tellLater(() -> this.observer.deadlocked(names));
		}
	}

	void started(ClientState client) {
		tell(() -> this.observer.started(client));
	}

	void stopped(ClientState client) {
		tell(() -> this.observer.stopped(client));
	}

	private void tellLater(Runnable call) {
		this.minor.execute(() -> tell(call));
	}

	private void tell(Runnable call) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			log(ex);
		}
	}

	private void log(Throwable thrown) {
		try {
			this.failures.warn("A LockObserver threw an exception; locks are not affected, and it is still called. "
					+ "Fix it: " + this.observer, thrown);
		}
		catch (Throwable ex) {
			// The locks matter more: a full heap may not let it log either.
		}
	}

}
