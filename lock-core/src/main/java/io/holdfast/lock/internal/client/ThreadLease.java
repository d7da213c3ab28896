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

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LossActions;

/**
 * A grant that a thread owns, for whoever wants to look at it.
 */
final class ThreadLease implements GrantLease {

	private final LockRuntime runtime;

	private final Grant grant;

	ThreadLease(LockRuntime runtime, Grant grant) {
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
	public LossActions lossActions() {
		return this.grant.lossActions();
	}

	@Override
	public void close() {
		throw new UnsupportedOperationException("Lock '" + name()
				+ "' is owned by a thread, which gives it back: this lease cannot be closed. What locked it will unlock "
				+ "it (a method with @DistributedLock when it returns)");
	}

	@Override
	public String toString() {
		return describe();
	}

}
