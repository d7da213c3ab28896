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

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

import io.holdfast.lock.LockException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.core.ReactiveAdapter;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Calls of methods that return a publisher, once for each subscription. The only class,
 * with {@link ReactiveLeases}, that needs Reactor.
 */
final class ReactiveCall {

	private static final Class<?> CONTEXT_KEY = Held.class;

	private ReactiveCall() {
	}

	/**
	 * Returns the result of a call, which begins when somebody subscribes to it.
	 * @param begin begins it, with what it runs under already, innermost first, and
	 * whether it is inside of a transaction; does not wait
	 */
	static Object invoke(ReactiveAdapter adapter, BiFunction<List<Held>, Boolean, LaterCall> begin) {
		Mono<Boolean> inTransaction = TransactionSynchronizationManager.forCurrentTransaction()
			.map(TransactionSynchronizationManager::isActualTransactionActive)
			.onErrorReturn(NoTransactionException.class, false);
		Flux<Object> result = inTransaction.flatMapMany((active) -> Flux
			.deferContextual((context) -> Flux.usingWhen(Mono.fromCallable(() -> begin.apply(entered(context), active)),
					(call) -> work(adapter, call).concatWith(Mono.defer(() -> end(call, null)).then(Mono.empty())),
					(call) -> Mono.empty(), ReactiveCall::end, (call) -> end(call, new CancellationException()))));
		// A single value is told when all is over, so after the release.
		return result(adapter, result);
	}

	/**
	 * Returns a result for each subscription to which a call proceeds anew.
	 */
	static Object eachTime(ReactiveAdapter adapter, ProxyMethodInvocation invocation) {
		return result(adapter, Flux.defer(() -> publisher(adapter,
				() -> ExposeInvocationInterceptor.INSTANCE.invoke(invocation.invocableClone()))));
	}

	private static Object result(ReactiveAdapter adapter, Flux<Object> result) {
		return adapter.fromPublisher(adapter.isMultiValue() ? result : result.singleOrEmpty());
	}

	private static Publisher<Object> publisher(ReactiveAdapter adapter, Work work) {
		try {
			Object result = work.run();
			// A cache returns the value of a suspending function as it is.
			return (result == null || adapter.getReactiveType().isInstance(result)) ? adapter.toPublisher(result)
					: Mono.just(result);
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	/**
	 * What a subscription runs under, innermost first.
	 */
	static List<Held> entered(ContextView context) {
		return context.<List<Held>>getOrEmpty(CONTEXT_KEY).orElse(List.of());
	}

	/**
	 * The work, or what is done instead, on a thread that may block if the call asked for
	 * a lock: it is neither that of the caller nor one of the client.
	 */
	private static Flux<Object> work(ReactiveAdapter adapter, LaterCall call) {
		CompletableFuture<Optional<LockException>> outcome = call.outcome();
		Scheduler scheduler = call.needsLock() ? Schedulers.boundedElastic() : Schedulers.immediate();
		return Mono.fromFuture(outcome).flatMapMany((failure) -> {
			Flux<Object> work = Flux.defer(() -> publisher(adapter, () -> call.run(failure)))
				.doOnNext((value) -> LaterResult.check(call.method().method(), value))
				.subscribeOn(scheduler, false);
			// A loss ends the work as if it were done: the end of the call tells of it.
			return failure.isPresent() ? work : work.takeUntilOther(Mono.fromFuture(call.lost()))
				.contextWrite((context) -> context.put(CONTEXT_KEY, call.entered()));
		});
	}

	private static Mono<Void> end(LaterCall call, @Nullable Throwable thrown) {
		CompletableFuture<Void> end = call.end(thrown);
		// Once begun it goes on, also if nobody wants to know any more.
		Mono<Void> told = Mono.fromFuture(end, true);
		return end.isDone() ? told : told.publishOn(Schedulers.boundedElastic());
	}

	private interface Work {

		@Nullable Object run() throws Throwable;

	}

}
