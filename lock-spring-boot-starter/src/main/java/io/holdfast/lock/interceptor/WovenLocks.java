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
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Locks calls of methods that need no proxy, because something else weaves the locks into
 * them, with the beans of one application context. A bean of this type replaces the
 * proxies.
 */
public abstract class WovenLocks implements BeanFactoryPostProcessor, MethodInterceptor {

	private final Supplier<LockClient> client;

	private final Supplier<LockSettings> settings;

	private @Nullable ApplicationLocks locks;

	/**
	 * Create the post-processor.
	 * @param client the client that gives the locks; not asked before the first call
	 * @param settings what holds for all methods; not asked before the first call
	 */
	protected WovenLocks(Supplier<LockClient> client, Supplier<LockSettings> settings) {
		this.client = client;
		this.settings = settings;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		this.locks = ApplicationLocks.of(beanFactory, this.client, this.settings, true);
	}

	ApplicationLocks locks() {
		if (this.locks == null) {
			throw new IllegalStateException("The bean factory is not there yet");
		}
		return this.locks;
	}

	/**
	 * Locks a call, unless the method is one of a locked type that is not to be locked.
	 */
	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		ApplicationLocks locks = locks();
		return locks.isLocked(invocation.getMethod(), LockedMethods.targetClass(invocation))
				? locks.interceptor().invoke(invocation) : invocation.proceed();
	}

	/**
	 * Checks that calls of a locked method come here.
	 * @param method the method
	 * @throws LockStartUpException if they do not
	 */
	protected abstract void check(Method method);

}
