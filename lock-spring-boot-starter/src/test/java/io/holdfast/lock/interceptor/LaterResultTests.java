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

import java.io.File;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.autoconfigure.LocalLockAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.ConnectableFlux;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Methods that return before their work is done stop an application at start-up. */
class LaterResultTests {

	private static final String LATER = "Return a CompletableFuture, or a Mono or Flux of Reactor: the lock is held until "
			+ "that is done. Or annotate the method that does the work and returns when it is done.";

	private static final String RELEASED = ", so the lock would be released before the work is done.";

	private static final String IN_RESPONSE = " inside of a ResponseEntity" + RELEASED;

	@Test
	void mistakesAreRefused() {
		StartUpFailures.assertRefuses(Mistakes.class);
	}

	@Test
	void futureOfATypeArgumentStopsApplication() {
		StartUpFailures.assertStops(LockRunner.create(), ReturnsFutureByItsTypeArgument.class,
				"run(): it returns a Future" + RELEASED, LATER);
	}

	@Test
	void stageOfATypeArgumentIsLocked() {
		LockRunner.create()
			.withBean(ReturnsStageByItsTypeArgument.class)
			.run((context) -> assertThat(context.getBean(ReturnsStageByItsTypeArgument.class)
				.run()
				.toCompletableFuture()
				.get(20, TimeUnit.SECONDS)).isEqualTo("locked: true"));
	}

	/** Kotlin's type is known by its name, where nothing adapts it to Reactor. */
	@Test
	void flowOfKotlinIsNotDone() throws Exception {
		Class<?> flow = new ClassLoader(getClass().getClassLoader()) {

			Class<?> define() {
				ClassWriter type = new ClassWriter(0);
				type.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT,
						"kotlinx/coroutines/flow/Flow", null, "java/lang/Object", null);
				return defineClass(null, type.toByteArray(), 0, type.toByteArray().length);
			}

		}.define();
		Object result = Proxy.newProxyInstance(flow.getClassLoader(), new Class<?>[] { flow },
				(proxy, method, arguments) -> null);

		assertThatIllegalStateException().isThrownBy(() -> LaterResult.await(Callable.class.getMethod("call"), result))
			.withMessageContaining("whose work is not done yet");
	}

	@Test
	void responseThatDoesNotTellOfItsWorkIsNotDone() throws Exception {
		for (String name : List.of("response", "anything")) {
			Method method = Responses.class.getMethod(name);
			CompletableFuture<String> later = CompletableFuture.supplyAsync(() -> "x",
					CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS));
			ResponseEntity<?> response = ResponseEntity.ok(later);

			assertThat(LaterResult.await(method, response)).isSameAs(response);
			assertThat(later).isDone();
			assertThatIllegalStateException()
				.isThrownBy(() -> LaterResult.await(method, ResponseEntity.ok(Mono.just("x"))))
				.withMessageContaining("whose work is not done yet");
			assertThat(LaterResult.await(method, ResponseEntity.noContent().build())).isNotNull();
		}
	}

	/**
	 * Where Reactor is absent, no class of it is looked for.
	 */
	@Test
	void stagesAreLockedWithoutReactor() throws Exception {
		URL[] classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((path) -> !path.contains("reactor"))
			.map(LaterResultTests::url)
			.toArray(URL[]::new);
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(classPath, ClassLoader.getPlatformClassLoader())) {
			thread.setContextClassLoader(loader);
			Callable<?> application = (Callable<?>) loader.loadClass(WithoutReactor.class.getName())
				.getDeclaredConstructor()
				.newInstance();

			assertThat(application.call()).asString()
				.startsWith("locked: true, it returns a Publisher, so the lock would be released");
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static URL url(String path) {
		try {
			return Path.of(path).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	public static class WithoutReactor implements Callable<String> {

		@Override
		public String call() throws Exception {
			try (AnnotationConfigApplicationContext context = context(ReturnsStageByItsTypeArgument.class)) {
				context.refresh();
				return context.getBean(ReturnsStageByItsTypeArgument.class).run().toCompletableFuture().get() + ", "
						+ refusal();
			}
		}

		private static String refusal() {
			try (AnnotationConfigApplicationContext context = context(ReturnsPublisher.class)) {
				context.refresh();
				return "not refused";
			}
			catch (RuntimeException ex) {
				return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage())
					.replaceFirst(".*run\\(\\): ", "");
			}
		}

		private static AnnotationConfigApplicationContext context(Class<?> bean) {
			AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
			TestPropertyValues.of("holdfast.lock.mode=local").applyTo(context);
			context.register(AopAutoConfiguration.class, LocalLockAutoConfiguration.class,
					LockAnnotationAutoConfiguration.class, bean);
			return context;
		}

	}

	public static class ReturnsPublisher {

		@DistributedLock(name = "x")
		public Publisher<String> run() {
			return (subscriber) -> {
			};
		}

	}

	public static class OwnFuture extends CompletableFuture<String> {

	}

	public interface Mistakes {

		@Refused(value = "it returns a Future" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Future<String> future();

		@Refused(value = "it returns a OwnFuture" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		OwnFuture ownFuture();

		@Refused(value = "it returns a ConnectableFlux" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		ConnectableFlux<String> connectable();

		@Refused(value = "it returns a Mono" + IN_RESPONSE, action = LATER)
		@DistributedLock(name = "x")
		ResponseEntity<Mono<String>> responseWithMono();

		@Refused(value = "it returns a CompletableFuture inside of a List" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		List<CompletableFuture<String>> stages();

		@Refused(value = "it returns a CompletableFuture inside of a CompletableFuture[]" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		CompletableFuture<?>[] stagesInAnArray();

		@Refused(value = "it returns a Stream inside of a Optional" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Optional<Stream<String>> maybeStream();

		@Refused(value = "it returns a Future inside of a Map" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Map<String, ? extends Future<String>> futures();

		@Refused(value = "what it returns brings a Mono" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Mono<List<Mono<String>>> monoOfMonos();

		@Refused(value = "it returns a Callable" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Callable<String> callable();

		@Refused(value = "it returns a Stream" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Stream<String> stream();

		@Refused(value = "it returns a DeferredResult" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		DeferredResult<String> deferred();

		@Refused(value = "it returns a WebAsyncTask" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		WebAsyncTask<String> task();

		@Refused(value = "it returns a StreamingResponseBody" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		StreamingResponseBody body();

		@Refused(value = "it returns a SseEmitter" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		SseEmitter emitter();

		@Refused(value = "it returns a StreamingResponseBody" + IN_RESPONSE, action = LATER)
		@DistributedLock(name = "x")
		ResponseEntity<StreamingResponseBody> responseThatStreams();

		@Refused(value = "what it returns brings a CompletableFuture" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		CompletionStage<CompletableFuture<String>> stageOfStage();

		@Refused(value = "what it returns brings a Flux" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Mono<Flux<String>> monoOfFlux();

		@Refused(value = "what it returns brings a Flux" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Mono<ResponseEntity<Flux<String>>> monoOfResponseWithFlux();

		@Refused(value = "what it returns brings a ServerResponse" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Mono<ServerResponse> serverResponse();

		@Refused(value = "what it returns brings a Mono" + RELEASED, action = LATER)
		@DistributedLock(name = "x")
		Flux<Mono<String>> fluxOfMono();

		@Refused(value = "it returns a Future" + RELEASED, action = LATER)
		@DistributedLimit(name = "x", permits = 5)
		Future<String> limited();

	}

	public interface Responses {

		ResponseEntity<?> response();

		Object anything();

	}

	public abstract static class Returning<T> {

		@DistributedLock(name = "x")
		public T run() {
			return result();
		}

		abstract T result();

	}

	public static class ReturnsFutureByItsTypeArgument extends Returning<Future<String>> {

		@Override
		Future<String> result() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public static class ReturnsStageByItsTypeArgument extends Returning<CompletionStage<String>> {

		private final LockClient client;

		ReturnsStageByItsTypeArgument(LockClient client) {
			this.client = client;
		}

		@Override
		CompletionStage<String> result() {
			return CompletableFuture.completedFuture("locked: " + this.client.getLock("x").isLocked());
		}

	}

}
