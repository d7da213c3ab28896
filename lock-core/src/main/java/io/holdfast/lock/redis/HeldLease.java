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

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import org.jspecify.annotations.Nullable;

/**
 * A grant that whoever has this handle owns.
 */
final class HeldLease implements Lease {

	private final Locks locks;

	private final Grant grant;

	HeldLease(Locks locks, Grant grant) {
		this.locks = locks;
		this.grant = grant;
	}

	@Override
	public String name() {
		return this.grant.lock.name;
	}

	@Override
	public long token() {
		return this.grant.token;
	}

	@Override
	public boolean isValid() {
		return this.grant.isValid(this.locks.now());
	}

	@Override
	public Duration validFor() {
		long now = this.locks.now();
		return this.grant.isValid(now) ? Duration.ofNanos(this.grant.deadlineNanos() - now) : Duration.ZERO;
	}

	@Override
	public void onLost(Consumer<? super LockLoss> action) {
		Objects.requireNonNull(action, "Action must not be null");
		LockLoss loss;
		synchronized (this.grant.lock) {
			this.locks.expire(this.grant.contender, this.locks.now());
			loss = this.grant.loss();
			if (loss == null) {
				this.grant.onLost(action);
			}
		}
		if (loss != null) {
			action.accept(loss);
		}
	}

	@Override
	public void close() {
		new Release(this.locks).release(this.grant);
	}

	@Override
	public String toString() {
		return "Lease[" + name() + ", token " + token() + ", " + (isValid() ? "valid" : "not valid") + "]";
	}

	/**
	 * Owns the grant of a handle and notices when nobody has the handle any more.
	 */
	static final class Owner {

		private volatile @Nullable WeakReference<HeldLease> handle;

		HeldLease hand(HeldLease lease) {
			this.handle = new WeakReference<>(lease);
			return lease;
		}

		boolean isForgotten() {
			WeakReference<HeldLease> handed = this.handle;
			return handed != null && handed.get() == null;
		}

	}

}
