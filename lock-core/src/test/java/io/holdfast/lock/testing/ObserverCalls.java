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

package io.holdfast.lock.testing;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockObserver.Attempt;
import io.holdfast.lock.LockObserver.ClientState;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;

/**
 * An observer that notes what it is told.
 */
public final class ObserverCalls {

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private final Queue<ClientState> states = new ConcurrentLinkedQueue<>();

	/**
	 * An observer that notes its calls here.
	 */
	public LockObserver observer() {
		return noting(LockObserver.class);
	}

	/**
	 * The calls so far: each method with the names and the words that it was given.
	 */
	public List<String> calls() {
		return this.calls;
	}

	/**
	 * Those that are about locks.
	 */
	public List<String> told() {
		return this.calls.stream().filter((call) -> !call.matches("(started|stopped)")).toList();
	}

	/**
	 * Of the clients that have started and have not stopped.
	 */
	public Queue<ClientState> states() {
		return this.states;
	}

	private <T> T noting(Class<T> type) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				this.calls.add(describe(method, args));
				if (method.getName().equals("started")) {
					this.states.add((ClientState) args[0]);
				}
				else if (method.getName().equals("stopped")) {
					this.states.remove(args[0]);
				}
				return (method.getReturnType() == Attempt.class) ? noting(Attempt.class) : null;
			}));
	}

	/**
	 * Calls each method of an observer, and of an attempt that it made.
	 * @return what was called
	 */
	public static List<String> callAll(LockObserver observer) throws ReflectiveOperationException {
		List<String> called = new ArrayList<>();
		callAll(LockObserver.class, observer, called);
		Attempt attempt = observer.wanted("order", null, true, LockMode.EXCLUSIVE);
		called.add("wanted order true");
		callAll(Attempt.class, attempt, called);
		return called;
	}

	private static void callAll(Class<?> type, Object target, List<String> called) throws ReflectiveOperationException {
		for (Method method : type.getDeclaredMethods()) {
			if (Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())) {
				Object[] arguments = Stream.of(method.getParameterTypes()).map(ObserverCalls::argument).toArray();
				method.invoke(target, arguments);
				called.add(describe(method, arguments));
			}
		}
	}

	private static String describe(Method method, Object[] arguments) {
		return Stream
			.concat(Stream.of(method.getName()),
					Stream.ofNullable(arguments).flatMap(Stream::of).map(ObserverCalls::word).filter(Objects::nonNull))
			.collect(Collectors.joining(" "));
	}

	private static String word(Object argument) {
		if (argument instanceof LockLoss loss) {
			return loss.cause().name();
		}
		return (argument instanceof String || argument instanceof Enum || argument instanceof Boolean)
				? argument.toString() : null;
	}

	private static Object argument(Class<?> type) {
		if (type.isEnum()) {
			return type.getEnumConstants()[0];
		}
		if (type == long.class) {
			return 1L;
		}
		if (type == boolean.class) {
			return true;
		}
		if (type == String.class) {
			return "order";
		}
		if (type == List.class) {
			return List.of("order");
		}
		if (type == LockMode.class) {
			return LockMode.EXCLUSIVE;
		}
		if (type == LockLoss.class) {
			return new LockLoss("order", true, 1, Instant.EPOCH, Cause.GONE, Duration.ZERO);
		}
		if (type == LockServerException.class) {
			return new LockServerException("order", Reason.TIMED_OUT, "no answer", null);
		}
		return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> null);
	}

}
