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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockObserver.Failure;
import io.holdfast.lock.internal.engine.Effects;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * One call that wants a lock, whose caller does not wait. Not reusable.
 */
final class FutureAcquire extends Call {

	/*
	 * Its first question is sent where that does not block its caller, and a timer of the
	 * engine ends its wait. The future may be completed by others at any time, as by
	 * cancel(): then its waiter leaves, and a grant that crosses that is given back. What
	 * users do when it completes runs on an executor for that.
	 *
	 * Nothing refers to the handle, nor to the future that has it, once that is complete:
	 * so it is noticed when nobody has it any more.
	 */

	private volatile @Nullable CompletableFuture<Lease> future;

	private volatile @Nullable GrantLease handle;

	private FutureAcquire(LockRuntime runtime, Want want, GrantLease handle, CompletableFuture<Lease> future) {
		super(runtime, want, handle.owner());
		this.handle = handle;
		this.future = future;
		timed();
	}

	/**
	 * Asks for a lock.
	 */
	static CompletionStage<Lease> acquire(LockRuntime runtime, Want want) {
		CompletableFuture<Lease> future = new LeaseFuture<>(runtime.callbacks);
		FutureAcquire call = new FutureAcquire(runtime, want, new GrantLease(runtime), future);
		try {
			runtime.checkOpen(want.name());
			call.begin();
			call.performAsync(call.enter());
		}
		catch (Throwable ex) {
			call.tellFailed(Failure.ERROR, null);
			future.completeExceptionally(ex);
		}
		CompletableFuture<Lease> unused = future.whenComplete((lease, thrown) -> call.leave());
		return future;
	}

	private void performAsync(Effects todo) {
		this.runtime.performer.performAsync(todo, () -> this.waited = outcome() == null);
	}

	private void leave() {
		if (outcome() == null) {
			performAsync(timeUp(true));
		}
	}

	@Override
	public void wake() {
		try {
			this.runtime.callbacks.execute(this::complete);
		}
		catch (Throwable ex) {
			// There is no thread for it.
			complete();
		}
	}

	private void complete() {
		Verdict verdict = outcome();
		CompletableFuture<Lease> told = this.future;
		GrantLease given = this.handle;
		if (verdict == null || told == null || given == null) {
			return;
		}
		try {
			if (verdict instanceof Verdict.Granted granted) {
				take(granted.grant(), given, told);
			}
			if (!told.isDone()) {
				RuntimeException refusal = refusal(verdict, false);
				// Unless another outcome was told.
				tellFailed(Failure.ERROR, null);
				told.completeExceptionally((refusal != null) ? refusal : this.runtime.errors.notAcquired(this.want));
			}
			tellFailed(Failure.INTERRUPTED, null);
		}
		catch (Throwable ex) {
			if (told.completeExceptionally(ex)) {
				abandon();
			}
			throw ex;
		}
		finally {
			this.future = null;
			this.handle = null;
		}
	}

	private void take(Grant grant, GrantLease given, CompletableFuture<Lease> told) {
		given.bind(grant);
		if (!this.runtime.context.isClosed() && !told.isDone()) {
			acquired(grant);
			if (told.complete(given)) {
				return;
			}
		}
		this.runtime.releaser.releaseQuietly(grant, wish().isShared());
	}

}
