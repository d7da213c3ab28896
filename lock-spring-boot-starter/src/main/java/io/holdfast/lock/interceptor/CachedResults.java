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

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.cache.interceptor.CacheEvictOperation;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.CacheOperation;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.MethodClassKey;
import org.springframework.util.function.SingletonSupplier;

/**
 * Lets a locked method with {@code @Cacheable} take no lock if the cache has its result.
 * Advisors of caches and of transactions have the same order, and transactions must be
 * inside of the lock; so the cache is asked first, as its own interceptor would do it,
 * and by that interceptor again under the lock, which then finds what another owner has
 * put there, and puts what the method returns.
 */
final class CachedResults implements MethodInterceptor {

	private final MethodInterceptor lock;

	/** Empty if there is none, as suppliers of Spring 6 do not remember {@code null}. */
	private final SingletonSupplier<Optional<CacheInterceptor>> cache;

	private final Map<MethodClassKey, Boolean> cacheable = new ConcurrentHashMap<>();

	/**
	 * Create the interceptor.
	 * @param beanFactory where the interceptor of caches is, if there is one
	 * @param lock takes the calls whose results are not cached
	 */
	CachedResults(BeanFactory beanFactory, MethodInterceptor lock) {
		this.lock = lock;
		this.cache = SingletonSupplier
			.of(() -> Optional.ofNullable(beanFactory.getBeanProvider(CacheInterceptor.class).getIfUnique()));
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		CacheInterceptor cache = this.cache.obtain().orElse(null);
		if (cache != null && isCacheable(cache, invocation)) {
			try {
				return cache.invoke(new Lookup(invocation));
			}
			catch (Miss ex) {
				// Then it takes the lock.
			}
		}
		return this.lock.invoke(invocation);
	}

	private boolean isCacheable(CacheInterceptor cache, MethodInvocation invocation) {
		Method method = invocation.getMethod();
		Class<?> targetClass = LockedMethods.targetClass(invocation);
		return this.cacheable.computeIfAbsent(new MethodClassKey(method, targetClass),
				(key) -> isCacheable(cache.getCacheOperationSource(), method, targetClass));
	}

	/**
	 * Whether a method does nothing to caches but to look up and store its result, which
	 * is there when it returns. A look at a synchronized cache waits for a thread that
	 * computes the result, for as long as that takes, so it must not come before the
	 * lock.
	 */
	private static boolean isCacheable(@Nullable CacheOperationSource source, Method method, Class<?> targetClass) {
		Collection<CacheOperation> operations = operations(source, method, targetClass);
		return !operations.isEmpty()
				&& operations.stream()
					.allMatch((each) -> each instanceof CacheableOperation cacheable && !cacheable.isSync())
				&& !Future.class.isAssignableFrom(method.getReturnType());
	}

	private static Collection<CacheOperation> operations(@Nullable CacheOperationSource source, Method method,
			Class<?> targetClass) {
		Collection<CacheOperation> operations = (source != null) ? source.getCacheOperations(method, targetClass)
				: null;
		return (operations != null) ? operations : List.of();
	}

	/**
	 * Checks that the lease of a call, which is among its arguments when the cache's
	 * interceptor sees them, is no part of a key.
	 * @throws InvalidLockedMethodException if it is
	 */
	void check(LockedMethod locked, Class<?> targetClass) {
		CacheInterceptor cache = locked.takesLease() ? this.cache.obtain().orElse(null) : null;
		if (cache != null && operations(cache.getCacheOperationSource(), locked.method(), targetClass).stream()
			.anyMatch(CachedResults::hasDefaultKey)) {
			throw InvalidLockedMethodException.of(locked.method(),
					"it has a parameter of the type Lease, and the lease would be a part of its cache key, so no call "
							+ "would find what another has put.",
					"Set key (or keyGenerator) of its cache annotations, for example key = \"#id\".");
		}
	}

	private static boolean hasDefaultKey(CacheOperation operation) {
		return operation.getKey().isEmpty() && operation.getKeyGenerator().isEmpty()
				&& !(operation instanceof CacheEvictOperation evict && evict.isCacheWide());
	}

	/**
	 * A call that only looks into the cache.
	 *
	 * @param call the call that is looked up
	 */
	private record Lookup(MethodInvocation call) implements MethodInvocation {

		@Override
		public Object proceed() {
			throw new Miss();
		}

		@Override
		public Method getMethod() {
			return this.call.getMethod();
		}

		@Override
		public Object[] getArguments() {
			return this.call.getArguments();
		}

		@Override
		public @Nullable Object getThis() {
			return this.call.getThis();
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.call.getStaticPart();
		}

	}

	/**
	 * Says that the cache does not have the result.
	 */
	private static final class Miss extends RuntimeException {

		Miss() {
			super(null, null, false, false);
		}

	}

}
