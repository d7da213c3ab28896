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

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.LossActions;
import org.jspecify.annotations.Nullable;

/**
 * A grant: that of a handle, which this is, or of a thread, for whoever wants to look.
 */
final class GrantLease implements Lease, HandleOwner.Handle {

	private final LockRuntime runtime;

	private final Grant grant;

	/** Those of a handle, which live as long as it; the grant has those of a thread. */
	private final @Nullable LossActions ownActions;

	GrantLease(LockRuntime runtime, Grant grant) {
		this.runtime = runtime;
		this.grant = grant;
		this.ownActions = (grant.owner() instanceof HandleOwner) ? new LossActions() : null;
	}

	@Override
	public LossActions lossActions() {
		return (this.ownActions != null) ? this.ownActions : this.grant.lossActions();
	}

	@Override
	public String name() {
		return this.grant.name();
	}

	@Override
	public long token() {
		return this.grant.token();
	}

	@Override
	public boolean isValid() {
		return this.grant.isValid(this.runtime.engine().now());
	}

	@Override
	public Duration validFor() {
		return this.grant.validFor(this.runtime.engine().now());
	}

	@Override
	public Registration onLost(Consumer<? super LockLoss> action) {
		Objects.requireNonNull(action, "Action must not be null");
		this.runtime.engine().expire(this.grant);
		Registration added = lossActions().add(this.grant, action);
		if (added == null) {
			action.accept(Objects.requireNonNull(this.grant.loss()));
			return () -> {
			};
		}
		return added;
	}

	@Override
	public void close() {
		if (this.ownActions == null) {
			throw new UnsupportedOperationException("Lock '" + name()
					+ "' is owned by a thread, which gives it back: this lease cannot be closed. What locked it will unlock "
					+ "it (a method with @DistributedLock when it returns)");
		}
		this.runtime.releaser().release(this.grant);
	}

	@Override
	public String toString() {
		return "Lease[" + name() + ", token " + token() + ", " + (isValid() ? "valid" : "not valid") + "]";
	}

}
