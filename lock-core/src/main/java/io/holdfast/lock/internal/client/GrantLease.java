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

import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.lock.Lease;

/**
 * A handle, which owns its grant. Nothing in the engine refers to it, nor to the actions
 * that it keeps for its loss: one of them may well refer to the handle, which then could
 * never be forgotten.
 */
final class GrantLease extends GrantView implements Lease {

	private final LossActions actions = new LossActions();

	private final AtomicBoolean closed = new AtomicBoolean();

	/**
	 * Create one that has nothing yet.
	 */
	GrantLease(LockRuntime runtime) {
		super(runtime, null);
	}

	/**
	 * Who owns the grant of this handle.
	 */
	Object owner() {
		return new WeakReference<>(this);
	}

	@Override
	LossActions actions() {
		return this.actions;
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) {
			this.runtime.releaser.release(grant(), Call.of(grant()).wish().isShared());
		}
	}

	@Override
	public CompletionStage<Void> closeAsync() {
		return async(this::close);
	}

	/**
	 * Does what blocks on a thread of this client.
	 * @return the stage of its end, on which users depend
	 */
	CompletionStage<Void> async(Runnable task) {
		CompletableFuture<Void> start = new LeaseFuture<>(this.runtime.callbacks);
		start.complete(null);
		return start.thenRunAsync(task, this.runtime.io).whenCompleteAsync((none, thrown) -> {
		});
	}

}
