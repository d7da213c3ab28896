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

package io.holdfast.lock.interceptor;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Runs calls whose results come later, under locks that a handle owns and no thread.
 *
 * @param clients gives the client of a method
 * @param settings what holds for all methods
 * @param calls counts those that have their locks
 * @param earlierReads tells of those that are made inside a transaction of the thread
 */
record LaterCalls(Function<LockedMethod, LockClient> clients, Supplier<LockSettings> settings, RunningCalls calls,
		EarlierReads earlierReads) {

	/**
	 * Returns the result of a call.
	 * @param type what it comes as
	 */
	Object invoke(MethodInvocation invocation, LockedMethod method, Class<?> type) {
		if (type == CompletionStage.class) {
			return StageCall.invoke(() -> begin(invocation, method, List.of(), false));
		}
		return ReactiveCall.invoke(Objects.requireNonNull(ReactiveAdapterRegistry.getSharedInstance().getAdapter(type)),
				(outer, inTransaction) -> begin(invocation, method, outer, inTransaction));
	}

	private LaterCall begin(MethodInvocation invocation, LockedMethod method, List<Held> outer, boolean inTransaction) {
		LockSettings present = this.settings.get();
		LockClient client = this.clients.apply(method);
		Object target = invocation.getThis();
		@Nullable Object[] args = invocation.getArguments();
		Set<String> names = new LinkedHashSet<>(
				method.needsLock(target, args) ? method.lockNames(target, args) : List.of());
		CompletableFuture<Lease> asked = acquire(method, client, present, outer, names, inTransaction);
		return new LaterCall(invocation, method, client, present, this.calls, outer, asked,
				asked.whenComplete((lease, thrown) -> {
					if (lease != null) {
						this.calls.begin(lease);
					}
				}), new AtomicBoolean());
	}

	private static void checkMode(LockedMethod method, Held outer) {
		LockMode has = outer.grant().options().mode();
		if (!has.covers(method.options().mode())) {
			throw new IllegalStateException(method + " wants lock " + outer.lease().names() + " in the mode "
					+ method.options().mode() + ", and runs under it in the mode " + has
					+ ": it would wait for itself. Take what both need in the outer method.");
		}
	}

	private CompletableFuture<Lease> acquire(LockedMethod method, LockClient client, LockSettings settings,
			List<Held> outer, Set<String> names, boolean inTransaction) {
		for (Held each : outer) {
			if (each.grant().client() == client && !Collections.disjoint(each.lease().names(), names)) {
				try {
					each.lease().throwIfLost();
				}
				catch (LockLostException ex) {
					return CompletableFuture.failedFuture(ex);
				}
				if (each.lease().isHeld()) {
					checkMode(method, each);
					each.lease().names().forEach(names::remove);
				}
			}
		}
		if (names.isEmpty()) {
			return CompletableFuture.completedFuture(null);
		}
		if (inTransaction) {
			throw new IllegalStateException("Locks " + names + " of " + method
					+ " must not be acquired inside a reactive transaction, as they would be released before it commits. "
					+ "Subscribe to the method's result before the transaction begins.");
		}
		if (CompletionRelease.isPossible()) {
			this.earlierReads.check(method, String.join(", ", names), true, settings.activeTransaction());
		}
		LockOptions options = method.options(settings.waitTime(), settings.leaseTime());
		return client.acquireAsync(names, options).toCompletableFuture();
	}

}
