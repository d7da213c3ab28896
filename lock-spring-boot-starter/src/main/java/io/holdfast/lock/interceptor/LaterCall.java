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

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call whose result comes later: the locks that it has, or waits for, and its end.
 *
 * @param invocation the call as Spring sees it
 * @param method what its annotation says
 * @param client gives its lock
 * @param settings what holds for all methods
 * @param calls counts it while it has its lock
 * @param outer what it runs under already, innermost first
 * @param asked brings the lease of what it needs besides, or {@code null} if that is
 * nothing
 * @param granted the same, after it was counted
 * @param ended whether it has been
 */
record LaterCall(MethodInvocation invocation, LockedMethod method, LockClient client, LockSettings settings,
		RunningCalls calls, List<Held> outer, CompletableFuture<Lease> asked, CompletableFuture<Lease> granted,
		AtomicBoolean ended) {

	/*
	 * No grant is left behind. A call may end at any moment, also while it waits, and the
	 * future that the client gave decides whether a grant comes before that: either the
	 * end cancels the future, and the client gives back what crosses that, or the future
	 * has a lease, and the end closes it.
	 */

	private static final LimitedLog unreleased = new LimitedLog(LaterCall.class);

	/**
	 * Whether it asks for a lock, and so begins on another thread than its caller's.
	 */
	boolean needsLock() {
		return !this.asked.isDone() || this.asked.isCompletedExceptionally() || own() != null;
	}

	/**
	 * Tells when it may begin, with what kept it from its locks if it does not have them.
	 */
	CompletableFuture<Optional<LockException>> outcome() {
		return this.granted.handle((lease, thrown) -> {
			Throwable cause = unwrap(thrown);
			if (cause != null && !(cause instanceof LockException)) {
				throw new CompletionException(cause);
			}
			return Optional.ofNullable((LockException) cause);
		});
	}

	/**
	 * Runs the method, or what is done instead of it.
	 */
	@Nullable Object run(Optional<LockException> failure) throws Throwable {
		if (failure.isPresent()) {
			return FallbackCall.call(this.method, failure.get(), this.invocation);
		}
		List<Held> entered = entered();
		if (own() != null) {
			Held unused = Held.granted(entered.get(0).grant(), this.settings);
		}
		return runUnder(entered);
	}

	private @Nullable Object runUnder(List<Held> entered) throws Throwable {
		if (!entered.isEmpty()) {
			int outermost = entered.size() - 1;
			return entered.get(outermost).run((lease) -> runUnder(entered.subList(0, outermost)));
		}
		// The call may run again, and on another thread than its proxy was called on.
		return ExposeInvocationInterceptor.INSTANCE.invoke(((ProxyMethodInvocation) this.invocation).invocableClone());
	}

	/**
	 * What it runs under, innermost first.
	 */
	List<Held> entered() {
		Lease own = own();
		return (own != null) ? Stream
			.concat(Stream.of(new Held(new LockFence.Grant(this.client, own, this.method.options(), Instant.now()),
					this.settings)), this.outer.stream())
			.toList() : this.outer;
	}

	/**
	 * Tells if a lock is lost that it has itself, on another thread than that which has
	 * to tell of all losses.
	 */
	CompletableFuture<LockLoss> lost() {
		CompletableFuture<LockLoss> lost = newResult();
		Lease own = own();
		if (own != null) {
			own.onLost((loss) -> lost.completeAsync(() -> loss));
		}
		return lost;
	}

	/**
	 * A future, on which things depend where those on the lease do.
	 */
	<T> CompletableFuture<T> newResult() {
		return this.granted.newIncompleteFuture();
	}

	private @Nullable Lease own() {
		return this.asked.isCompletedExceptionally() ? null : this.asked.getNow(null);
	}

	/**
	 * Stops waiting. What it has it keeps.
	 */
	void stopWaiting() {
		this.asked.cancel(false);
	}

	/**
	 * Gives back what it has, or stops waiting, the first time that it is called.
	 * @param thrown why it did not do its work to the end, or {@code null}
	 * @return fails if it did, but a lock was lost meanwhile
	 */
	CompletableFuture<Void> end(@Nullable Throwable thrown) {
		stopWaiting();
		Lease own = own();
		if (own == null || !this.ended.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(null);
		}
		return this.granted.thenCompose(Lease::closeAsync).handle((none, failure) -> {
			this.calls.end(own);
			Throwable cause = unwrap(failure);
			if (thrown != null) {
				if (cause != null && !(thrown instanceof LockLostException)) {
					thrown.addSuppressed(cause);
				}
			}
			else if (cause instanceof LockServerException) {
				unreleased.warn(this.method + " is done, but Redis has not confirmed that its lock is released. "
						+ cause.getMessage());
			}
			else if (cause != null) {
				throw new CompletionException(cause);
			}
			return null;
		});
	}

	static @Nullable Throwable unwrap(@Nullable Throwable thrown) {
		return (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause() : thrown;
	}

}
