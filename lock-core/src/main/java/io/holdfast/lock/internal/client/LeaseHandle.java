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
import java.util.Objects;
import java.util.function.Consumer;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import org.jspecify.annotations.Nullable;

/**
 * A grant that whoever has this handle owns.
 */
final class LeaseHandle implements GrantLease, HandleOwner.Handle {

	private final LockRuntime runtime;

	private final Grant grant;

	/**
	 * {@code null} once they were taken.
	 */
	private @Nullable List<Consumer<? super LockLoss>> lossActions = new ArrayList<>(1);

	LeaseHandle(LockRuntime runtime, Grant grant) {
		this.runtime = runtime;
		this.grant = grant;
	}

	@Override
	public LockRuntime runtime() {
		return this.runtime;
	}

	@Override
	public Grant grant() {
		return this.grant;
	}

	@Override
	public void onLost(Consumer<? super LockLoss> action) {
		Objects.requireNonNull(action, "Action must not be null");
		this.runtime.engine().expire(this.grant);
		LockLoss loss;
		synchronized (this) {
			// Who takes them has set the loss before.
			loss = this.grant.loss();
			if (loss == null && this.lossActions != null) {
				this.lossActions.add(action);
			}
		}
		if (loss != null) {
			action.accept(loss);
		}
	}

	@Override
	public synchronized List<Consumer<? super LockLoss>> takeLossActions() {
		List<Consumer<? super LockLoss>> taken = this.lossActions;
		this.lossActions = null;
		return (taken != null) ? taken : List.of();
	}

	@Override
	public void close() {
		this.runtime.releaser().release(this.grant);
	}

	@Override
	public String toString() {
		return describe();
	}

}
