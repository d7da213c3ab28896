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
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Runs a call only while the calling thread holds its lock, or while its result is to
 * come ({@link LaterCalls}).
 */
final class LockInterceptor implements MethodInterceptor {

	private static final Log logger = LogFactory.getLog(LockInterceptor.class);

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.scheduler.Schedulers",
			LockInterceptor.class.getClassLoader());

	private final LockedMethods methods;

	private final Function<LockedMethod, LockClient> clients;

	private final Supplier<LockSettings> settings;

	private final EarlierReads earlierReads = new EarlierReads();

	private final LimitedLog unreleased = new LimitedLog(logger);

	private final RunningCalls calls;

	private final LaterCalls later;

	LockInterceptor(LockedMethods methods, Function<LockedMethod, LockClient> clients, Supplier<LockSettings> settings,
			RunningCalls calls) {
		this.calls = calls;
		this.methods = methods;
		this.clients = clients;
		this.settings = settings;
		this.later = new LaterCalls(clients, settings, calls, this.earlierReads);
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockedMethod method = this.methods.find(invocation);
		if (method == null) {
			throw new IllegalStateException("No @DistributedLock is found for a call of "
					+ LockedMethod.describe(invocation.getMethod()) + ", which must not run without its lock");
		}
		Class<?> later = method.later();
		if (later != null) {
			return this.later.invoke(invocation, method, later);
		}
		Object target = invocation.getThis();
		@Nullable Object[] args = invocation.getArguments();
		if (!method.needsLock(target, args)) {
			return invocation.proceed();
		}
		checkThread(method);
		LockClient client = this.clients.apply(method);
		LockSettings settings = this.settings.get();
		LockOptions options = method.options(settings.waitTime(), settings.leaseTime());
		LeaseLock lock = client.getLock(method.lockNames(target, args), options);
		boolean inTransaction = CompletionRelease.isPossible();
		if (method.holdAtLeast() != null) {
			checkHold(method, client, lock, inTransaction);
		}
		if ((inTransaction || EarlierReads.isInView()) && !isHeld(client, lock)) {
			this.earlierReads.check(method, lock.name(), inTransaction, settings.activeTransaction());
		}
		Lease handle;
		try {
			handle = acquire(method, client, lock, options);
		}
		catch (LockException ex) {
			return FallbackCall.call(method, ex, invocation);
		}
		catch (InterruptedException ex) {
			throw interrupted(ex, lock, method, invocation);
		}
		this.calls.begin(Thread.currentThread());
		try {
			return proceed(invocation, method, lock, handle, inTransaction);
		}
		finally {
			this.calls.end(Thread.currentThread());
		}
	}

	/**
	 * Whether the thread has the lock, or has it alone and wants to read.
	 */
	private static boolean isHeld(LockClient client, LeaseLock lock) {
		return lock.isHeldByCurrentThread()
				|| client.getLock(lock.names(), LockOptions.defaults()).isHeldByCurrentThread();
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

	private static void checkHold(LockedMethod method, LockClient client, LeaseLock lock, boolean inTransaction) {
		List<String> names = lock.names();
		if (inTransaction
				|| Held.all().stream().anyMatch((outer) -> !Collections.disjoint(outer.lease().names(), names))
				|| names.stream().anyMatch((name) -> isHeld(client, client.getLock(List.of(name), method.options())))) {
			throw new IllegalStateException(
					method + " has holdAtLeast. It must not run inside a transaction, whose commit "
							+ "its lock would not wait for, nor under a lock of the name " + String.join(", ", names)
							+ ", as it would wait for itself.");
		}
	}

	/**
	 * Acquires the lock.
	 * @return the lease that owns it, if it may stay held, or {@code null} if the thread
	 * owns it
	 */
	private static @Nullable Lease acquire(LockedMethod method, LockClient client, LeaseLock lock, LockOptions options)
			throws InterruptedException {
		if (method.holdAtLeast() != null) {
			return client.acquire(lock.names(), options.leaseTime(LockOptions.WATCHDOG));
		}
		lock.acquire();
		return null;
	}

	/**
	 * Returns what an interrupted wait ends with, unless the method may throw that.
	 */
	private static IllegalStateException interrupted(InterruptedException ex, LeaseLock lock, LockedMethod method,
			MethodInvocation invocation) throws InterruptedException {
		if (ReflectionUtils.declaresException(invocation.getMethod(), InterruptedException.class)) {
			throw ex;
		}
		Thread.currentThread().interrupt();
		return new IllegalStateException("Interrupted while waiting for lock '" + lock.name() + "' of " + method
				+ ". The method was not run; call it again, unless the application shuts down", ex);
	}

	/**
	 * Runs a call under its lock.
	 * @param handle owns the lock, so that it may stay held, or {@code null} if the
	 * thread owns it
	 */
	private @Nullable Object proceed(MethodInvocation invocation, LockedMethod method, LeaseLock lock,
			@Nullable Lease handle, boolean inTransaction) throws Throwable {
		Runnable release = (handle != null) ? handle::close : lock::unlock;
		long start = (handle != null) ? System.nanoTime() : 0;
		boolean kept = false;
		Object result;
		try {
			Held held = granted(method, (handle != null) ? handle : lock.lease());
			kept = inTransaction && keep(method, lock, held);
			result = held.run((lease) -> LaterResult.await(method.method(), invocation.proceed()));
		}
		catch (Throwable ex) {
			if (!kept) {
				releaseAfter(ex, release);
			}
			throw ex;
		}
		if (!kept && (handle == null || !keepForTheRest(method, handle, start))) {
			release(method, release);
		}
		return result;
	}

	private boolean keepForTheRest(LockedMethod method, Lease lease, long start) {
		long restNanos = Objects.requireNonNull(method.holdAtLeast()).minusNanos(System.nanoTime() - start).toNanos();
		if (restNanos <= 0 || !lease.isHeld()) {
			return false;
		}
		this.calls.keep(lease, restNanos);
		return true;
	}

	private Held granted(LockedMethod method, LeaseView lease) {
		return Held.granted(new LockFence.Grant(this.clients.apply(method), lease, method.options(), Instant.now()),
				this.settings.get());
	}

	private boolean keep(LockedMethod method, LeaseLock lock, Held held) {
		return held.settings().activeTransaction() != ActiveTransaction.FAIL
				&& CompletionRelease.keep(method, lock, held, this.calls);
	}

	private void release(LockedMethod method, Runnable release) {
		try {
			release.run();
		}
		catch (LockServerException ex) {
			this.unreleased
				.warn(method + " is done, but Redis has not confirmed that its lock is released. " + ex.getMessage());
		}
	}

	private static void releaseAfter(Throwable thrown, Runnable release) {
		try {
			release.run();
		}
		catch (RuntimeException ex) {
			thrown.addSuppressed(ex);
		}
	}

}
