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

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import io.holdfast.lock.internal.engine.Grant;
import org.jspecify.annotations.Nullable;

/**
 * A grant: that of a handle, which this is, or of a thread, for whoever wants to look.
 * Nothing in the engine refers to a handle itself, nor to the actions that it keeps for
 * its loss: one of them may well refer to the handle, which then could never be
 * forgotten.
 */
final class GrantLease implements Lease {

	private final LockRuntime runtime;

	private final boolean read;

	private final @Nullable LossActions ownActions;

	private final AtomicBoolean closed = new AtomicBoolean();

	private volatile @Nullable Grant grant;

	private GrantLease(LockRuntime runtime, @Nullable Grant grant, boolean read) {
		this.runtime = runtime;
		this.grant = grant;
		this.read = read;
		this.ownActions = (grant != null) ? null : new LossActions();
	}

	/**
	 * A handle that has nothing yet.
	 */
	static GrantLease handle(LockRuntime runtime, Want want) {
		return new GrantLease(runtime, null, want.isShared());
	}

	/**
	 * What a thread holds.
	 */
	static GrantLease of(LockRuntime runtime, Grant grant) {
		return new GrantLease(runtime, grant, false);
	}

	/**
	 * Who owns the grant of this handle.
	 */
	Object owner() {
		return new WeakReference<>(this);
	}

	void bind(Grant granted) {
		this.grant = granted;
	}

	/**
	 * What is to be done about a loss, or {@code null} if nobody has the handle.
	 */
	static @Nullable LossActions actionsOf(Grant grant) {
		if (grant.owner() instanceof Thread) {
			return Call.of(grant).actions;
		}
		GrantLease handle = (GrantLease) ((Reference<?>) grant.owner()).get();
		return (handle != null) ? handle.ownActions : null;
	}

	private Grant grant() {
		return Objects.requireNonNull(this.grant);
	}

	@Override
	public String name() {
		return grant().name();
	}

	@Override
	public long token() {
		return grant().token();
	}

	@Override
	public boolean isValid() {
		return grant().isValid(this.runtime.now());
	}

	@Override
	public boolean isHeld() {
		return grant().isHeld(this.runtime.now());
	}

	@Override
	public boolean confirm() {
		Grant present = grant();
		if (isHeld() && !isValid()) {
			this.runtime.releaser.confirm(present);
		}
		return isValid();
	}

	@Override
	public Duration validFor() {
		long now = this.runtime.now();
		Grant present = grant();
		return present.isValid(now) ? Duration.ofNanos(Math.max(0, present.sureNanos() - now)) : Duration.ZERO;
	}

	@Override
	public void throwIfLost() {
		this.runtime.releaser.check(grant());
	}

	@Override
	public Registration onLost(Consumer<? super LockLoss> action) {
		Objects.requireNonNull(action, "Action must not be null");
		this.runtime.releaser.expire(grant());
		return ((this.ownActions != null) ? this.ownActions : Call.of(grant()).actions).add(action);
	}

	@Override
	public void close() {
		if (this.ownActions == null) {
			throw new UnsupportedOperationException("Lock '" + name()
					+ "' is owned by a thread, which gives it back: this lease cannot be closed. What locked it will unlock "
					+ "it (a method with @DistributedLock when it returns)");
		}
		if (this.closed.compareAndSet(false, true)) {
			this.runtime.releaser.release(grant(), this.read);
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

	@Override
	public String toString() {
		return "Lease[" + name() + ", token " + token() + ", " + (isValid() ? "valid" : "not valid") + "]";
	}

}
