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
import java.lang.reflect.Proxy;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.interceptor.internal.annotation.Fallback;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.util.ReflectionUtils;

/**
 * What is done instead of a method that did not get its lock: the call is skipped, or the
 * fallback method is called.
 */
final class FallbackCall {

	private static final Log logger = LogFactory.getLog(FallbackCall.class);

	private FallbackCall() {
	}

	/**
	 * Does what the annotation says.
	 * @param failure why the lock was not acquired; it is thrown if nothing is to be done
	 * @throws Throwable what the fallback method throws
	 */
	static @Nullable Object call(LockedMethod method, LockException failure, MethodInvocation invocation)
			throws Throwable {
		if (failure instanceof LockNotAcquiredException && method.isSkippedOnContention()) {
			logger.debug("Call of " + method + " is skipped: another holds lock '" + failure.lockName() + "'");
			return method.skipped();
		}
		Fallback fallback = method.fallback(failure);
		if (fallback == null) {
			throw failure;
		}
		@Nullable Object[] arguments = fallback.arguments(invocation.getArguments(), failure);
		// A woven call knows of no proxy.
		Object proxy = (invocation instanceof ProxyMethodInvocation call) ? call.getProxy() : null;
		Method ofProxy = (proxy != null) ? ofProxy(fallback.method(), proxy.getClass()) : null;
		try {
			// So that its other annotations hold for it too.
			return (ofProxy != null) ? ofProxy.invoke(proxy, arguments)
					: fallback.method().invoke(invocation.getThis(), arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	/**
	 * Returns the method as a proxy has it, or {@code null} if that has it not.
	 */
	private static @Nullable Method ofProxy(Method fallback, Class<?> proxy) {
		if (Proxy.isProxyClass(proxy)) {
			Method declared = ProxyCheck.inInterface(fallback, proxy);
			if (declared != null) {
				ReflectionUtils.makeAccessible(declared);
			}
			return declared;
		}
		return (fallback.getDeclaringClass().isAssignableFrom(proxy) && ProxyCheck.isOverridable(fallback, proxy))
				? fallback : null;
	}

}
