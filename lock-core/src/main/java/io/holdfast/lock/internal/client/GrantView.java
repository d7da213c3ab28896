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
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import io.holdfast.lock.internal.engine.Grant;
import org.jspecify.annotations.Nullable;

/**
 * A grant, for whoever wants to look.
 */
sealed class GrantView implements LeaseView permits GrantLease {

	final LockRuntime runtime;

	private volatile @Nullable Grant grant;

	GrantView(LockRuntime runtime, @Nullable Grant grant) {
		this.runtime = runtime;
		this.grant = grant;
	}

	final void bind(Grant granted) {
		this.grant = granted;
	}

	final Grant grant() {
		return Objects.requireNonNull(this.grant);
	}

	/**
	 * What is to be done about a loss, or {@code null} if nobody has the handle.
	 */
	static @Nullable LossActions actionsOf(Grant grant) {
		if (grant.owner() instanceof Thread) {
			return Call.of(grant).actions;
		}
		GrantView handle = (GrantView) ((Reference<?>) grant.owner()).get();
		return (handle != null) ? handle.actions() : null;
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
		return actions().add(action);
	}

	LossActions actions() {
		return Call.of(grant()).actions;
	}

	@Override
	public String toString() {
		return "Lease[" + name() + ", token " + token() + ", " + (isValid() ? "valid" : "not valid") + "]";
	}

}
