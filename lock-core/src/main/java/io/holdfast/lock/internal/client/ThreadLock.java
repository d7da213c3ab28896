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

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.server.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * A lock that the calling thread owns. Has no state: what a thread holds is in the
 * engine.
 */
final class ThreadLock implements ThreadOwnedLock {

	private final DefaultLockClient client;

	private final LockRuntime runtime;

	private final String name;

	private final LockType type;

	private final @Nullable String declaredName;

	ThreadLock(DefaultLockClient client, LockRuntime runtime, String name, LockType type) {
		this(client, runtime, LockKeys.checked(name), type, null);
	}

	private ThreadLock(DefaultLockClient client, LockRuntime runtime, String name, LockType type,
			@Nullable String declaredName) {
		this.client = client;
		this.runtime = runtime;
		this.name = name;
		this.type = type;
		this.declaredName = declaredName;
	}

	@Override
	public ThreadLock named(String declared) {
		return new ThreadLock(this.client, this.runtime, this.name, this.type,
				LockOptions.defaults().named(declared).declaredName());
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public LockRuntime runtime() {
		return this.runtime;
	}

	@Override
	public LockType type() {
		return this.type;
	}

	@Override
	public @Nullable String acquireOrRefusal(Duration maxWait, Duration lease, boolean interruptible)
			throws InterruptedException {
		Grant grant = this.client.acquire(this.name, this.type, Thread.currentThread(), maxWait, lease, interruptible,
				() -> this.runtime.observers().wanted(this.name, this.declaredName, this.type));
		return (grant != null) ? null : this.name;
	}

	@Override
	public void unlock() {
		Grant grant = grant();
		if (grant != null) {
			this.runtime.releaser().release(grant);
			return;
		}
		LockLoss loss = this.runtime.engine().giveBackLost(this.name, Thread.currentThread());
		if (loss == null) {
			throw notHeld();
		}
		this.runtime.releaseLate();
		throw new LockLostException(loss);
	}

	@Override
	public boolean forceUnlock() {
		return this.client.directory().forceUnlock(this.name).isPresent();
	}

	@Override
	public boolean isLocked() {
		return this.client.directory().find(this.name).isPresent();
	}

	@Override
	public boolean isHeldByCurrentThread() {
		return validGrant() != null;
	}

	@Override
	public int holdCount() {
		Grant grant = validGrant();
		return (grant != null) ? this.runtime.engine().view().countOf(grant) : 0;
	}

	@Override
	public Duration validFor() {
		Grant grant = grant();
		return (grant != null) ? grant.validFor(this.runtime.engine().now()) : Duration.ZERO;
	}

	@Override
	public long token() {
		Grant grant = grant();
		if (grant != null) {
			return grant.token();
		}
		LockLoss loss = this.runtime.engine().loss(this.name, Thread.currentThread());
		if (loss == null) {
			throw notHeld();
		}
		return loss.token();
	}

	@Override
	public Lease lease() {
		Grant grant = grant();
		if (grant != null) {
			this.runtime.engine().expire(grant);
		}
		LockLoss loss = (grant != null) ? grant.loss() : this.runtime.engine().loss(this.name, Thread.currentThread());
		if (loss != null) {
			throw new LockLostException(loss);
		}
		if (grant == null) {
			throw notHeld();
		}
		return new GrantLease(this.runtime, grant);
	}

	/**
	 * Whether the calling thread has something to unlock: a hold, or a loss.
	 */
	boolean isOwed() {
		return grant() != null || this.runtime.engine().loss(this.name, Thread.currentThread()) != null;
	}

	private @Nullable Grant grant() {
		return this.runtime.engine().grant(this.name, Thread.currentThread());
	}

	private @Nullable Grant validGrant() {
		Grant grant = grant();
		return (grant != null && grant.isValid(this.runtime.engine().now())) ? grant : null;
	}

	IllegalMonitorStateException notHeld() {
		return this.runtime.errors().notHeld(this.name, this.type);
	}

	@Override
	public String toString() {
		return "LeaseLock[" + this.name + ", " + this.type + "]";
	}

}
