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

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.function.Supplier;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.interceptor.WovenLocks;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Lets {@link LockAspect} lock with the beans of one application context, from before its
 * first bean is created until it is closed.
 */
final class AspectJLocks extends WovenLocks implements DisposableBean {

	AspectJLocks(Supplier<LockClient> client, Supplier<LockSettings> settings) {
		super(client, settings);
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		super.postProcessBeanFactory(beanFactory);
		LockAspect.install(this);
	}

	@Override
	public void destroy() {
		LockAspect.remove(this);
	}

	/**
	 * Checks that the aspect is in the code of a method: that it matches the method, and
	 * that the weaver had it for the class.
	 */
	@Override
	protected void check(Method method) {
		Class<?> type = method.getDeclaringClass();
		if (!isAnnotated(method) && !(isAnnotated(type) && Modifier.isPublic(method.getModifiers()))) {
			throw LockStartUpException.of(method,
					"lock-aspectj does not know the annotation of an interface, of an overridden method, or of an "
							+ "annotation of an annotation of an annotation.",
					"Annotate the method itself or the class that declares it.");
		}
		if (!LockAspect.isWovenInto(type)) {
			throw LockStartUpException.of(method,
					"lock-aspectj is on the class path, and the lock is not woven into the class " + type.getName()
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
