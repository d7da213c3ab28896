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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

import io.holdfast.lock.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks for a caller who does not wait, one after another: all of them
 * or none, as {@link AllOrNothing} does for one who waits.
 *
 * @param runtime whose locks they are
 * @param names in the order in which everybody acquires them
 * @param maxWait how long to wait for all of them
 * @param single acquires one lock, and waits for as long as it is told
 * @param startNanos when the wait began
 * @param held what it has; one step after another uses it, whatever its thread
 * @param all the result, which others may complete at any time
 */
record FutureAllOrNothing(LockRuntime runtime, List<String> names, Duration maxWait,
		BiFunction<String, Duration, CompletionStage<Lease>> single, long startNanos, List<GrantLease> held,
		CompletableFuture<Lease> all) {

	static CompletionStage<Lease> acquire(LockRuntime runtime, List<String> names, Duration maxWait,
			BiFunction<String, Duration, CompletionStage<Lease>> single) {
		CompletableFuture<Lease> all = new LeaseFuture<>(runtime.callbacks);
		new FutureAllOrNothing(runtime, names, maxWait, single, runtime.now(), new ArrayList<>(), all).next();
		return all;
	}

	private void next() {
		if (this.held.size() == this.names.size()) {
			this.held.forEach(GrantLease::throwIfLost);
			if (!this.all.complete(MultiLease.of(this.held))) {
				CompletableFuture<Void> unused = giveBack();
			}
			return;
		}
		CompletableFuture<Lease> one = this.single
			.apply(this.names.get(this.held.size()),
					AllOrNothing.left(this.maxWait, this.startNanos, this.runtime.now()))
			.toCompletableFuture();
		CompletableFuture<?> unused = one.whenComplete(this::take);
		unused = this.all.whenComplete((lease, thrown) -> one.cancel(false));
	}

	private void take(@Nullable Lease lease, @Nullable Throwable thrown) {
		Throwable failure = thrown;
		if (lease != null) {
			this.held.add((GrantLease) lease);
			try {
				next();
				return;
			}
			catch (Throwable ex) {
				failure = ex;
			}
		}
		Throwable why = failure;
		CompletableFuture<?> unused = giveBack().whenComplete((none, ignored) -> this.all.completeExceptionally(why));
	}

	private CompletableFuture<Void> giveBack() {
		return CompletableFuture.allOf(this.held.stream().map(Lease::closeAsync).toArray(CompletableFuture<?>[]::new));
	}

}
