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

import java.util.ArrayDeque;
import java.util.Objects;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.internal.engine.Context;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;

/**
 * Tells owners and observers of lost grants, and remembers those that are yet to be
 * unlocked. Only the watchdog does so.
 */
final class Losses {

	private static final int MOST = 500;

	private final LockRuntime runtime;

	/** The latest ones that threads have yet to unlock. */
	private final ArrayDeque<Grant> remembered = new ArrayDeque<>();

	Losses(LockRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Tells of what was lost. What cannot be told for want of memory is told at the next
	 * look, to some observers perhaps once more.
	 */
	void tell() {
		Context context = this.runtime.context;
		for (Grant grant = context.firstLost(); grant != null; grant = context.firstLost()) {
			try {
				tell(grant);
			}
			catch (RuntimeException ex) {
				this.runtime.failed(ex);
			}
			catch (Error ex) {
				// To the end of the list, so that it keeps no other from being told.
				context.told();
				context.lose(grant, Objects.requireNonNull(grant.loss()));
				this.runtime.failed(ex);
				return;
			}
			context.told();
			remember(grant);
		}
	}

	private void tell(Grant grant) {
		Call call = Call.of(grant);
		LockLoss loss = call.lossOf(grant);
		LossActions actions = GrantView.actionsOf(grant);
		if (actions != null) {
			actions.lost(loss);
		}
		this.runtime.observers.tellOwner(loss, () -> (actions != null) ? actions.poll() : null);
		LockObserver.Attempt observed = call.observerOfLoss();
		if (observed != null) {
			this.runtime.observers.lost(loss, observed);
		}
	}

	/**
	 * Nobody remembers more than the latest ones, as threads may never unlock. A handle
	 * remembers its own.
	 */
	private void remember(Grant grant) {
		if (grant.loss() == Cause.CLOSED) {
			// Those that are at work have yet to release it, and there will be no more.
			return;
		}
		try {
			if (!(grant.owner() instanceof Thread) || grant.isOrphaned()) {
				forget(grant);
				return;
			}
			this.remembered.add(grant);
			if (this.remembered.size() > MOST) {
				this.remembered.removeIf(Grant::isUnlocked);
			}
			if (this.remembered.size() > MOST) {
				forget(this.remembered.remove());
			}
		}
		catch (Throwable ex) {
			// Its lock remembers it for longer.
			this.runtime.failed(ex);
		}
	}

	private void forget(Grant grant) {
		LockState of = grant.state();
		this.runtime.performer.performElsewhere(this.runtime.performer.on(of, (now) -> of.forget(grant, now)));
	}

}
