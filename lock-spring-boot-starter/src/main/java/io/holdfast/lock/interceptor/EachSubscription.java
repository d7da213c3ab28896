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
import java.util.Objects;
import java.util.concurrent.CompletionStage;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Runs what is around a locked method anew for each subscription to its result. Others,
 * such as Spring Security, proceed once for each subscription, but with one invocation:
 * at the second one that is at its end, and would leave out the lock. There are two of
 * these: outside of everything, and just outside of Security for what is further out and
 * subscribes again.
 */
final class EachSubscription extends StaticMethodMatcherPointcutAdvisor implements MethodInterceptor {

	private final transient LockedMethods methods;

	EachSubscription(LockedMethods methods, int order) {
		this.methods = methods;
		setClassFilter(LockedMethods::mayBeIn);
		setAdvice(this);
		setOrder(order);
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		LockedMethod found = this.methods.find(method, targetClass);
		return found != null && found.later() != null && found.later() != CompletionStage.class;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) {
		Class<?> type = Objects.requireNonNull(Objects.requireNonNull(this.methods.find(invocation)).later());
		return ReactiveCall.eachTime(
				Objects.requireNonNull(ReactiveAdapterRegistry.getSharedInstance().getAdapter(type)),
				(ProxyMethodInvocation) invocation);
	}

}
