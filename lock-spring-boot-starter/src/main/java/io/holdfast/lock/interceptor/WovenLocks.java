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

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.function.Supplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Lets {@link LockAspect} lock with the beans of one application context, from before its
 * first bean is created until it is closed.
 */
public final class WovenLocks implements BeanFactoryPostProcessor, DisposableBean, MethodInterceptor {

	private final Supplier<LockClient> client;

	private final Supplier<LockSettings> settings;

	private @Nullable ApplicationLocks locks;

	/**
	 * Create the post-processor.
	 * @param client the client that gives the locks; not asked before the first call
	 * @param settings what holds for all methods; not asked before the first call
	 */
	public WovenLocks(Supplier<LockClient> client, Supplier<LockSettings> settings) {
		this.client = client;
		this.settings = settings;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		this.locks = new ApplicationLocks(beanFactory, this.client, this.settings, true);
		LockAspect.install(this);
	}

	@Override
	public void destroy() {
		LockAspect.remove(this);
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
	 * Checks that the aspect is in the code of a method: that it matches the method, and
	 * that the weaver had it for the class.
	 * @throws InvalidLockedMethodException if it is not
	 */
	static void check(LockedMethod locked) {
		Method method = locked.method();
		Class<?> type = method.getDeclaringClass();
		if (!isAnnotated(method) && !(isAnnotated(type) && Modifier.isPublic(method.getModifiers()))) {
			throw InvalidLockedMethodException.of(method,
					"holdfast.lock.advice is aspectj, which does not know the annotation of an interface, of an "
							+ "overridden method, or of an annotation of an annotation of an annotation.",
					"Annotate the method itself or the class that declares it.");
		}
		if (!LockAspect.isWovenInto(type)) {
			throw InvalidLockedMethodException.of(method,
					"holdfast.lock.advice is aspectj, and the lock is not woven into the class " + type.getName()
							+ ", so its calls would not be locked.",
					"Start the JVM with -javaagent:aspectjweaver.jar (or use @EnableLoadTimeWeaving, if nothing loads "
							+ "the class before), and name the aspect " + LockAspect.class.getName()
							+ " and the packages to weave in META-INF/aop.xml.");
		}
	}

	private static boolean isAnnotated(AnnotatedElement element) {
		return Arrays.stream(element.getAnnotations())
			.map(Annotation::annotationType)
			.anyMatch((type) -> type == DistributedLock.class || type.isAnnotationPresent(DistributedLock.class));
	}

}
