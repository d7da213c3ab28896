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

import java.lang.reflect.Method;
import java.util.function.Supplier;

import io.holdfast.lock.LockClient;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Puts the lock around the methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock}.
 */
public final class LockAdvisor extends AbstractPointcutAdvisor {

	/**
	 * The default order: outside of transactions, caches and everything else that has the
	 * lowest precedence, and inside of security, {@code @Async} and retries.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	private final transient ApplicationLocks locks;

	private final transient Pointcut pointcut;

	/**
	 * Create the advisor.
	 * @param beanFactory where expressions find beans and placeholders find values
	 * @param client the client that gives the locks; not asked before the first call
	 * @param settings what holds for all methods; not asked before the first call
	 */
	public LockAdvisor(ConfigurableListableBeanFactory beanFactory, Supplier<LockClient> client,
			Supplier<LockSettings> settings) {
		this.locks = new ApplicationLocks(beanFactory, client, settings, false);
		this.pointcut = new LockPointcut(this.locks);
		setOrder(DEFAULT_ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.locks.interceptor();
	}

	ApplicationLocks locks() {
		return this.locks;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other;
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this);
	}

	/**
	 * Matches the locked methods, and fails for those that are not valid.
	 */
	private static final class LockPointcut extends StaticMethodMatcherPointcut {

		private final ApplicationLocks locks;

		LockPointcut(ApplicationLocks locks) {
			this.locks = locks;
			setClassFilter(LockedMethods::mayBeIn);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.locks.isLocked(method, targetClass);
		}

	}

}
