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

import org.springframework.aop.Advisor;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Puts the lock around the methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock}.
 */
public final class LockAdvisor extends StaticMethodMatcherPointcutAdvisor {

	/**
	 * The default order: outside of transactions, caches and everything else that has the
	 * lowest precedence, and inside of security, {@code @Async} and retries.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 1;

	private final transient ApplicationLocks locks;

	/**
	 * Create the advisor.
	 * @param beanFactory where expressions find beans and placeholders find values
	 * @param client the client that gives the locks; not asked before the first call
	 * @param settings what holds for all methods; not asked before the first call
	 */
	public LockAdvisor(ConfigurableListableBeanFactory beanFactory, Supplier<LockClient> client,
			Supplier<LockSettings> settings) {
		this.locks = ApplicationLocks.of(beanFactory, client, settings, false);
		setClassFilter(LockedMethods::mayBeIn);
		setAdvice(this.locks.interceptor());
		setOrder(DEFAULT_ORDER);
	}

	/**
	 * Matches the locked methods, and fails for those that are not valid.
	 */
	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.locks.isLocked(method, targetClass);
	}

	/**
	 * Returns what has to be around the same proxies if locked methods return publishers,
	 * outside of what proceeds when it is subscribed to: each subscription is to take the
	 * lock.
	 * @param order its order among the advisors
	 * @return an advisor
	 */
	public Advisor eachSubscription(int order) {
		return new EachSubscription(this.locks.methods(), order);
	}

	ApplicationLocks locks() {
		return this.locks;
	}

}
