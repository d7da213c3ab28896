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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Tells which methods return before their work is done, and refuses those whose result
 * does not tell when it is: a lock that is released then would guard nothing. Those with
 * {@code @Async} may return a future, as nobody minds if their thread waits for it.
 * Should the lock be outside of {@code @Async}, the caller waits.
 *
 * @param woven whether locks are woven into methods, whose calls cannot be deferred
 */
record LaterResult(boolean woven) {

	private static final List<Class<?>> TYPES = List.of(CompletionStage.class, Future.class, Flow.Publisher.class,
			Callable.class, BaseStream.class);

	private static final List<Class<?>> CONTAINERS = List.of(Iterable.class, Map.class, Optional.class);

	private static final String WEB = "org.springframework.web.";

	private static final String JOB = "kotlinx.coroutines.Job";

	private static final String FLOW = "kotlinx.coroutines.flow.Flow";

	/**
	 * Those of Spring MVC and of Kotlin, which may be absent.
	 */
	private static final Set<String> TYPE_NAMES = Set.of(JOB, FLOW, "kotlinx.coroutines.channels.ReceiveChannel",
			"kotlin.sequences.Sequence", "org.reactivestreams.Publisher",
			WEB + "reactive.function.server.ServerResponse", WEB + "context.request.async.DeferredResult",
			WEB + "context.request.async.WebAsyncTask", WEB + "servlet.mvc.method.annotation.StreamingResponseBody",
			WEB + "servlet.mvc.method.annotation.ResponseBodyEmitter");

	private static final Set<String> ENTITY = Set.of("org.springframework.http.HttpEntity");

	private static final String RESPONSE = "jakarta.ws.rs.container.AsyncResponse";

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			LaterResult.class.getClassLoader());

	/** Spring calls no suspending function without these. */
	private static final boolean COROUTINES = REACTOR && KotlinDetector.isKotlinReflectPresent()
			&& ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", LaterResult.class.getClassLoader());

	private static final String ADVICE = "Return a CompletableFuture, or a Mono or Flux of Reactor: the lock is held "
			+ "until that is done. Or annotate the method that does the work and returns when it is done.";

	private static final String WOVEN_ADVICE = "A lock of lock-aspectj ends when its method returns. Take a lease with "
			+ "LockClient.acquireAsync, and close it when the work is done.";

	private static final ClassValue<Boolean> IS_LATER = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return TYPES.stream().anyMatch((later) -> later.isAssignableFrom(type)) || isAny(type, TYPE_NAMES)
					|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		}

	};

	/**
	 * Returns what the result of a method comes as if it comes later than the method
	 * returns, and is waited for without blocking.
	 * @return the type of stage or publisher, or {@code null} if the method is done when
	 * it returns
	 * @throws LockStartUpException if its lock would be released before the work is done
	 */
	@Nullable Class<?> check(Method method, Class<?> targetClass) {
		ResolvableType declared = ResolvableType.forMethodReturnType(method, targetClass);
		if (KotlinDetector.isSuspendingFunction(method)) {
			return suspended(method);
		}
		if (Future.class.isAssignableFrom(resultOf(declared).resolve(Object.class))
				&& isAsynchronous(method, targetClass)) {
			return null;
		}
		Class<?> later = this.woven ? null : awaitable(declared.resolve(Object.class));
		if (later != null) {
			checkValue(method, declared.getGeneric());
			return later;
		}
		Class<?> inside = laterIn(declared);
		if (inside != null) {
			Class<?> outside = declared.resolve(Object.class);
			throw refusal(method, "it returns a " + inside.getSimpleName()
					+ ((outside != inside) ? " inside of a " + outside.getSimpleName() : ""));
		}
		if (Stream.of(method.getParameterTypes()).anyMatch((parameter) -> isAny(parameter, Set.of(RESPONSE)))) {
			throw refusal(method, "it answers by an AsyncResponse");
		}
		return null;
	}

	/**
	 * Returns what Spring hands on as the result of a suspending function.
	 */
	private Class<?> suspended(Method method) {
		ResolvableType type = ResolvableType.forType(new MethodParameter(method, -1).getGenericParameterType());
		boolean flow = type.resolve(Object.class).getName().equals(FLOW);
		if (this.woven || !COROUTINES) {
			throw refusal(method, "it is a suspending function");
		}
		checkValue(method, flow ? type.getGeneric() : type);
		return flow ? Flux.class : Mono.class;
	}

	/**
	 * Checks that what comes later is the result, and not another one to wait for.
	 */
	private void checkValue(Method method, ResolvableType value) {
		Class<?> later = laterIn(value);
		if (later != null) {
			throw refusal(method, "what it returns brings a " + later.getSimpleName());
		}
	}

	/**
	 * Returns what of a result comes later: itself, or what it contains; {@code null} if
	 * nothing does.
	 */
	private static @Nullable Class<?> laterIn(ResolvableType type) {
		ResolvableType result = resultOf(type);
		Class<?> container = result.resolve(Object.class);
		ResolvableType[] parts = container.isArray() ? new ResolvableType[] { result.getComponentType() }
				: CONTAINERS.stream().anyMatch((each) -> each.isAssignableFrom(container)) ? result.getGenerics()
						: new ResolvableType[0];
		return Stream.concat(Stream.of(result), Stream.of(parts))
			.map((each) -> each.resolve(Object.class))
			.filter(IS_LATER::get)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns what a type is, and what can be returned instead of it.
	 */
	private static @Nullable Class<?> awaitable(Class<?> type) {
		if (CompletionStage.class.isAssignableFrom(type)) {
			return type.isAssignableFrom(CompletableFuture.class) ? CompletionStage.class : null;
		}
		ReactiveAdapter adapter = REACTOR ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) : null;
		// Kotlin's Deferred is not: its work is under way, whoever subscribes.
		return (adapter != null && adapter.getDescriptor().isDeferred() && !isAny(type, Set.of(JOB))
				&& type.isAssignableFrom(adapter.getReactiveType())) ? adapter.getReactiveType() : null;
	}

	/**
	 * Waits for the end of work that goes on after its method has returned: that of a
	 * method which is called on a thread of its own, or whose declared type tells
	 * nothing.
	 * @return the result
	 * @throws IllegalStateException if the work only begins when somebody uses the result
	 */
	static @Nullable Object await(Method method, @Nullable Object result) {
		Object value = valueOf(result);
		boolean anything = value != result || method.getReturnType() == Object.class;
		if (value instanceof Future<?> later && (anything || Future.class.isAssignableFrom(method.getReturnType()))) {
			awaitEnd(later);
		}
		else if (anything) {
			check(method, value);
		}
		return result;
	}

	/**
	 * Returns what a result is, without the response of Spring MVC around it. That may be
	 * absent.
	 */
	private static @Nullable Object valueOf(@Nullable Object result) {
		for (Class<?> type = (result != null) ? result.getClass() : null; type != null; type = type.getSuperclass()) {
			if (ENTITY.contains(type.getName())) {
				return ReflectionUtils.invokeMethod(ClassUtils.getMethod(type, "getBody"), result);
			}
		}
		return result;
	}

	/**
	 * Checks that a result has no work of its own yet to do, which the declared type of
	 * its method does not tell.
	 * @throws IllegalStateException if it has
	 */
	static void check(Method method, @Nullable Object result) {
		Object value = valueOf(result);
		if (value != null && IS_LATER.get(value.getClass())) {
			throw new IllegalStateException(LockedMethod.describe(method) + " returned a " + value.getClass().getName()
					+ ", whose work is not done yet, and its declared type does not say so. " + ADVICE);
		}
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

	private static boolean isAsynchronous(Method method, Class<?> targetClass) {
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
	}

	/**
	 * What a method returns, without the response of Spring MVC around it.
	 */
	private static ResolvableType resultOf(ResolvableType type) {
		return isAny(type.resolve(Object.class), ENTITY) ? type.getGeneric() : type;
	}

	private static boolean isAny(@Nullable Class<?> type, Set<String> names) {
		return type != null && (names.contains(type.getName()) || isAny(type.getSuperclass(), names)
				|| Stream.of(type.getInterfaces()).anyMatch((each) -> isAny(each, names)));
	}

	private LockStartUpException refusal(Method method, String reason) {
		return LockStartUpException.of(method, reason + ", so the lock would be released before the work is done.",
				this.woven ? WOVEN_ADVICE : ADVICE);
	}

}
