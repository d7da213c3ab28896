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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import io.holdfast.lock.LockException;
import io.holdfast.lock.interceptor.internal.annotation.Fallback;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * Calls the fallback method instead of a method that did not get its lock.
 */
final class FallbackCall {

	private FallbackCall() {
	}

	/**
	 * Calls a fallback method.
	 * @param fallback the method to call
	 * @param failure why the lock was not acquired
	 * @throws Throwable what the fallback method throws
	 */
	static @Nullable Object call(Fallback fallback, LockException failure, MethodInvocation invocation)
			throws Throwable {
		try {
			return fallback.method()
				.invoke(receiver(fallback.method(), invocation),
						fallback.arguments(invocation.getArguments(), failure));
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	/**
	 * Returns the proxy if it has the method, so that its other annotations hold for it
	 * too; otherwise the target. A woven call knows of no proxy.
	 */
	private static @Nullable Object receiver(Method fallback, MethodInvocation invocation) {
		Object proxy = (invocation instanceof ProxyMethodInvocation call) ? call.getProxy() : null;
		return (proxy != null && fallback.getDeclaringClass().isInstance(proxy)
				&& ProxyCheck.isOverridable(fallback, proxy.getClass())) ? proxy : invocation.getThis();
	}

}
