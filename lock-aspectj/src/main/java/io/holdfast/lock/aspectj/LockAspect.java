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

package io.holdfast.lock.aspectj;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Puts the lock into the methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} themselves, for
 * applications that name this aspect in their {@code META-INF/aop.xml}, run with
 * AspectJ's weaver.
 * <p>
 * It knows annotations of methods and types, and annotations that have
 * {@code @DistributedLock} themselves, but no inherited ones of interfaces or overridden
 * methods. Its calls are locked by the application context of this class loader that was
 * started last; without one they are refused, as they must not run without their lock.
 */
@Aspect
@DeclarePrecedence("io.holdfast.lock.aspectj.LockAspect, org.springframework.transaction.aspectj.*")
public final class LockAspect {

	private static final String LOCK = "@io.holdfast.lock.annotation.DistributedLock";

	private static final LockAspect INSTANCE = new LockAspect();

	private static final List<MethodInterceptor> interceptors = new CopyOnWriteArrayList<>();

	/** Does not keep the classes of an application that has ended. */
	private static final Set<Class<?>> woven = Collections
		.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

	private LockAspect() {
	}

	/**
	 * Returns the only instance, to woven code. AspectJ would write this method into the
	 * class, but only if the application includes this package in its weaving.
	 * @return the aspect
	 */
	public static LockAspect aspectOf() {
		return INSTANCE;
	}

	static void install(MethodInterceptor interceptor) {
		interceptors.add(0, interceptor);
	}

	/**
	 * Installs what comes after all others, be they installed later.
	 */
	static void installLast(MethodInterceptor interceptor) {
		interceptors.add(interceptor);
	}

	static void remove(MethodInterceptor interceptor) {
		interceptors.remove(interceptor);
	}

	/**
	 * Whether this aspect is woven into a class, and so into each method of it that
	 * {@link #lock} matches: the weaver never takes a part of a class only. Initializes
	 * the class.
	 */
	static boolean isWovenInto(Class<?> type) {
		try {
			Class.forName(type.getName(), true, type.getClassLoader());
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
		return woven.contains(type);
	}

	/**
	 * Takes in that this aspect is woven into a class. No trace in the class itself would
	 * tell it from other aspects. It is said by all classes, as AspectJ does not find
	 * those with annotated methods by default.
	 * @param type the class, which is being initialized
	 */
	@Before(argNames = "type", value = "staticinitialization(!is(InterfaceType))")
	public void enter(JoinPoint.StaticPart type) {
		woven.add(type.getSignature().getDeclaringType());
	}

	/**
	 * Locks a call. A proxy inherits the annotation of its type, and calls the method
	 * that is locked.
	 * @param call the call
	 * @return what it returns
	 * @throws Throwable what it throws, or what the lock does
	 * @throws IllegalStateException if there is no application context to lock it
	 */
	@Around(argNames = "call",
			value = "execution(" + LOCK + " !static * *(..)) || execution(@(" + LOCK + " *) !static * *(..))"
					+ " || (execution(public !static * *(..)) && !within(org.springframework.aop.SpringProxy+)"
					+ " && (within(" + LOCK + " *) || within(@(" + LOCK + " *) *)))")
	public @Nullable Object lock(ProceedingJoinPoint call) throws Throwable {
		Method method = ((MethodSignature) call.getSignature()).getMethod();
		MethodInterceptor interceptor = interceptors.stream()
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(LockedMethod.describe(method)
					+ " must not run without its lock, and there is no application context that locks it "
					+ "(the context has not started, or is closed)"));
		return interceptor.invoke(new WovenCall(call, method, call.getArgs()));
	}

	/**
	 * A call of a woven method.
	 *
	 * @param call the call as AspectJ sees it
	 * @param method the method
	 * @param arguments what it is called with
	 */
	@SuppressWarnings("ArrayRecordComponent")
	private record WovenCall(ProceedingJoinPoint call, Method method, Object[] arguments) implements MethodInvocation {

		@Override
		public @Nullable Object proceed() throws Throwable {
			return this.call.proceed(this.arguments);
		}

		@Override
		public Method getMethod() {
			return this.method;
		}

		@Override
		public Object[] getArguments() {
			return this.arguments;
		}

		@Override
		public Object getThis() {
			return this.call.getThis();
		}

		@Override
		public AccessibleObject getStaticPart() {
			return this.method;
		}

	}

}
