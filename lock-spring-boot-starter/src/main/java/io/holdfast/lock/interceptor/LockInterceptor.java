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

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.interceptor.internal.annotation.Fallback;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import io.holdfast.lock.internal.server.LimitedLog;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

import org.springframework.expression.EvaluationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Runs a call only while the calling thread holds its lock.
 */
final class LockInterceptor implements MethodInterceptor {

	private static final Log logger = LogFactory.getLog(LockInterceptor.class);

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.scheduler.Schedulers",
			LockInterceptor.class.getClassLoader());

	private final LockedMethods methods;

	private final Function<LockedMethod, LockClient> clients;

	private final Supplier<LockSettings> settings;

	/**
	 * For each method, so that one that is called all the time hides no other.
	 */
	private final ConcurrentMap<LockedMethod, LimitedLog> insideTransactions = new ConcurrentHashMap<>();

	private final LimitedLog unreleased = new LimitedLog(logger);

	private final RunningCalls calls;

	LockInterceptor(LockedMethods methods, Function<LockedMethod, LockClient> clients, Supplier<LockSettings> settings,
			RunningCalls calls) {
		this.calls = calls;
		this.methods = methods;
		this.clients = clients;
		this.settings = settings;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = this.methods.find(invocation);
		if (method == null) {
			throw new IllegalStateException("No @DistributedLock is found for a call of "
					+ LockedMethod.describe(invocation.getMethod()) + ", which must not run without its lock");
		}
		EvaluationContext call = method.context(invocation.getThis(), invocation.getArguments());
		if (!method.needsLock(call)) {
			return invocation.proceed();
		}
		checkThread(method);
		LeaseLock lock = lock(method, method.lockNames(call));
		boolean inTransaction = CompletionRelease.isPossible();
		if (inTransaction && !lock.isHeldByCurrentThread()) {
			checkTransaction(method, lock);
		}
		LockException failure = acquire(lock, method, invocation);
		if (failure == null) {
			this.calls.begin();
			try {
				return proceed(invocation, method, lock, inTransaction);
			}
			finally {
				this.calls.end();
			}
		}
		if (failure instanceof LockNotAcquiredException && method.isSkippedOnContention()) {
			logger.debug("Call of " + method + " is skipped: another holds lock '" + lock.name() + "'");
			return method.skipped();
		}
		Fallback fallback = method.fallback(failure);
		if (fallback == null) {
			throw failure;
		}
		return FallbackCall.call(fallback, failure, invocation);
	}

	private LeaseLock lock(LockedMethod method, List<String> names) {
		LockClient client = this.clients.apply(method);
		LeaseLock lock = (names.size() == 1) ? client.getLock(names.get(0), method.type())
				: client.getLock(names, method.type());
		return lock.named(method.declaredName());
	}

	/**
	 * Checks that the thread may wait.
	 */
	private static void checkThread(LockedMethod method) {
		if (REACTOR && Schedulers.isInNonBlockingThread()) {
			throw new IllegalStateException(method + " must not wait for its lock on the event loop, thread '"
					+ Thread.currentThread().getName() + "'. Call it on another scheduler: "
					+ "Mono.fromCallable(…).subscribeOn(Schedulers.boundedElastic()).");
		}
	}

	private void checkTransaction(LockedMethod method, LeaseLock lock) {
		switch (this.settings.get().activeTransaction()) {
			case FAIL -> throw new IllegalStateException("Lock '" + lock.name() + "' of " + method
					+ " must not be acquired inside a transaction (holdfast.lock.transaction.active is fail). "
					+ "Call the method before the transaction begins.");
			case WARN -> this.insideTransactions.computeIfAbsent(method, (key) -> new LimitedLog(logger))
				.warn("Lock '" + lock.name() + "' of " + method
						+ " is acquired inside a transaction, and released when that has completed. What the transaction has "
						+ "read before may be stale. Call the method before the transaction begins.");
			case RELEASE_AFTER_COMPLETION -> {
			}
		}
	}

	/**
	 * Acquires the lock.
	 * @return why it is not held, or {@code null} if it is
	 */
	private @Nullable LockException acquire(LeaseLock lock, LockedMethod method, MethodInvocation invocation)
			throws InterruptedException {
		LockSettings settings = this.settings.get();
		try {
			lock.acquire(method.waitTime(settings.waitTime()), method.leaseTime(settings.leaseTime()));
			return null;
		}
		catch (LockException ex) {
			return ex;
		}
		catch (InterruptedException ex) {
			if (ReflectionUtils.declaresException(invocation.getMethod(), InterruptedException.class)) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			throw new IllegalStateException(
					"Interrupted while waiting for lock '" + lock.name() + "' of " + method + " (" + lock.type()
							+ "). The method was not run; call it again, unless the application shuts down",
					ex);
		}
	}

	private @Nullable Object proceed(MethodInvocation invocation, LockedMethod method, LeaseLock lock,
			boolean inTransaction) throws Throwable {
		boolean kept = false;
		Object result;
		try {
			Lease lease = lock.lease();
			kept = inTransaction && keep(method, lock, lease);
			result = proceed(invocation, method, lease);
		}
		catch (Throwable ex) {
			if (!kept) {
				releaseAfter(ex, lock);
			}
			throw ex;
		}
		if (!kept) {
			release(method, lock);
		}
		return result;
	}

	private @Nullable Object proceed(MethodInvocation invocation, LockedMethod method, Lease lease) throws Throwable {
		LeaseStack.push(lease, this.settings.get());
		try {
			return LaterResult.await(method.method(), invocation.proceed());
		}
		finally {
			LeaseStack.pop();
		}
	}

	private boolean keep(LockedMethod method, LeaseLock lock, Lease lease) {
		LockSettings settings = this.settings.get();
		return settings.activeTransaction() != ActiveTransaction.FAIL
				&& CompletionRelease.keep(method.client(), lock, lease, settings.onLostLock());
	}

	private void release(LockedMethod method, LeaseLock lock) {
		try {
			lock.unlock();
		}
		catch (LockServerException ex) {
			this.unreleased
				.warn(method + " is done, but Redis has not confirmed that its lock is released. " + ex.getMessage());
		}
	}

	private static void releaseAfter(Throwable thrown, LeaseLock lock) {
		try {
			lock.unlock();
		}
		catch (RuntimeException ex) {
			thrown.addSuppressed(ex);
		}
	}

}
