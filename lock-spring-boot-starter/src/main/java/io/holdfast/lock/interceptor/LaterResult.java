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
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.util.ClassUtils;

/**
 * Refuses methods that return before their work is done: a lock that is released then
 * would guard nothing. Those with {@code @Async} may return a future, as nobody minds if
 * their thread waits for it. Should the lock be outside of {@code @Async}, the caller
 * waits.
 */
final class LaterResult {

	private static final List<Class<?>> TYPES = List.of(CompletionStage.class, Future.class, Flow.Publisher.class,
			Callable.class, BaseStream.class);

	private static final String WEB = "org.springframework.web.";

	/**
	 * Those of Spring MVC and of Kotlin, which may be absent.
	 */
	private static final Set<String> TYPE_NAMES = Set.of("kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow",
			"kotlinx.coroutines.channels.ReceiveChannel", "kotlin.sequences.Sequence",
			WEB + "context.request.async.DeferredResult", WEB + "context.request.async.WebAsyncTask",
			WEB + "servlet.mvc.method.annotation.StreamingResponseBody",
			WEB + "servlet.mvc.method.annotation.ResponseBodyEmitter");

	private static final String RESPONSE = "jakarta.ws.rs.container.AsyncResponse";

	private static final String ADVICE = "Annotate the method that does the work and returns when it is done, or take "
			+ "a lease with LockClient.acquire and close it when the result is there.";

	private static final ClassValue<Boolean> IS_LATER = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return TYPES.stream().anyMatch((later) -> later.isAssignableFrom(type)) || isAny(type, TYPE_NAMES)
					|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		}

	};

	private final ConfigurableListableBeanFactory beanFactory;

	LaterResult(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	void check(Method method, Class<?> targetClass) {
		Class<?> type = resultOf(method, targetClass);
		if (KotlinDetector.isSuspendingFunction(method)) {
			throw refusal(method, "it is a suspending function");
		}
		if (Future.class.isAssignableFrom(type) && isAsynchronous(method, targetClass)) {
			return;
		}
		if (IS_LATER.get(type)) {
			throw refusal(method, "it returns a " + type.getSimpleName());
		}
		if (Stream.of(method.getParameterTypes()).anyMatch((parameter) -> isAny(parameter, Set.of(RESPONSE)))) {
			throw refusal(method, "it answers by an AsyncResponse");
		}
	}

	/**
	 * Waits for the end of work that goes on after its method has returned: that of a
	 * method which is called on a thread of its own, or whose declared type tells
	 * nothing.
	 * @return the result
	 * @throws IllegalStateException if the work only begins when somebody uses the result
	 */
	static @Nullable Object await(Method method, @Nullable Object result) {
		boolean anything = method.getReturnType() == Object.class;
		if (result instanceof Future<?> later && (anything || Future.class.isAssignableFrom(method.getReturnType()))) {
			awaitEnd(later);
		}
		else if (anything && result != null && IS_LATER.get(result.getClass())) {
			throw new IllegalStateException(LockedMethod.describe(method) + " returned a " + result.getClass().getName()
					+ ", whose work is not done yet. " + ADVICE);
		}
		return result;
	}

	private static void awaitEnd(Future<?> later) {
		boolean interrupted = false;
		while (!later.isDone()) {
			try {
				later.get();
			}
			catch (InterruptedException ex) {
				// That ends this wait, not the work that the lock guards.
				interrupted = true;
			}
			catch (ExecutionException | CancellationException ex) {
				// The caller gets the future, and the failure with it.
				break;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean isAsynchronous(Method method, Class<?> targetClass) {
		return Stream.concat(Stream.of(Async.class), ownAnnotations())
			.anyMatch((asynchronous) -> AnnotatedElementUtils.hasAnnotation(method, asynchronous)
					|| AnnotatedElementUtils.hasAnnotation(targetClass, asynchronous));
	}

	/**
	 * What the application uses instead of {@code @Async}.
	 */
	private Stream<Class<? extends Annotation>> ownAnnotations() {
		return Stream.of(this.beanFactory.getBeanDefinitionNames())
			.map((name) -> this.beanFactory.findAnnotationOnBean(name, EnableAsync.class, false))
			.filter(Objects::nonNull)
			.map(EnableAsync::annotation);
	}

	/**
	 * What a method of a class returns, without the response of Spring MVC around it.
	 */
	private static Class<?> resultOf(Method method, Class<?> targetClass) {
		ResolvableType type = ResolvableType.forMethodReturnType(method, targetClass);
		ResolvableType result = isAny(type.resolve(Object.class), Set.of("org.springframework.http.HttpEntity"))
				? type.getGeneric() : type;
		return result.resolve(Object.class);
	}

	private static boolean isAny(Class<?> type, Set<String> names) {
		for (Class<?> each = type; each != null; each = each.getSuperclass()) {
			if (names.contains(each.getName())) {
				return true;
			}
		}
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.anyMatch((each) -> names.contains(each.getName()));
	}

	private static InvalidLockedMethodException refusal(Method method, String reason) {
		return InvalidLockedMethodException.of(method,
				reason + ", so the lock would be released before the work is done.", ADVICE);
	}

}
