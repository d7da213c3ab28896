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

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Methods that return before their work is done stop an application at start-up. */
class LaterResultTests {

	private static final String LATER = "Annotate the method that does the work and returns when it is done, or take a lease "
			+ "with LockClient.acquire and close it when the result is there.";

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void invalidMethodStopsApplication(Class<?> type, String method, String description, String action) {
		StartUpFailures.assertInvalid(type, method, description, action);
	}

	static Stream<Arguments> invalidMethodStopsApplication() {
		return Stream.of(
				Arguments.of(ReturnsFuture.class, "run()",
						"it returns a Future, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsCompletableFuture.class, "run()",
						"it returns a CompletableFuture, so the lock would be released before the work is done.",
						LATER),
				Arguments.of(ReturnsCallable.class, "run()",
						"it returns a Callable, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsStream.class, "run()",
						"it returns a Stream, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsDeferredResult.class, "run()",
						"it returns a DeferredResult, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsWebAsyncTask.class, "run()",
						"it returns a WebAsyncTask, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsStreamingResponseBody.class, "run()",
						"it returns a StreamingResponseBody, so the lock would be released before the work is done.",
						LATER),
				Arguments.of(ReturnsSseEmitter.class, "run()",
						"it returns a SseEmitter, so the lock would be released before the work is done.", LATER),
				Arguments.of(ReturnsResponseThatStreams.class, "run()",
						"it returns a StreamingResponseBody, so the lock would be released before the work is done.",
						LATER));
	}

	@Test
	void futureOfATypeArgumentStopsApplication() {
		LockRunner.create()
			.withBean(ReturnsFutureByItsTypeArgument.class)
			.run((context) -> StartUpFailures.assertFailure(context.getStartupFailure(),
					"run(): it returns a CompletableFuture, so the lock would be released before the work is done.",
					LATER));
	}

	public static class ReturnsFuture {

		@DistributedLock(name = "x")
		public Future<String> run() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public static class ReturnsCompletableFuture {

		@DistributedLock(name = "x")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("x");
		}

	}

	public static class ReturnsCallable {

		@DistributedLock(name = "x")
		public Callable<String> run() {
			return () -> "x";
		}

	}

	public static class ReturnsStream {

		@DistributedLock(name = "x")
		public Stream<String> run() {
			return Stream.of("x");
		}

	}

	public static class ReturnsDeferredResult {

		@DistributedLock(name = "x")
		public DeferredResult<String> run() {
			return new DeferredResult<>();
		}

	}

	public static class ReturnsWebAsyncTask {

		@DistributedLock(name = "x")
		public WebAsyncTask<String> run() {
			return new WebAsyncTask<>(() -> "x");
		}

	}

	public static class ReturnsStreamingResponseBody {

		@DistributedLock(name = "x")
		public StreamingResponseBody run() {
			return (out) -> {
			};
		}

	}

	public static class ReturnsSseEmitter {

		@DistributedLock(name = "x")
		public SseEmitter run() {
			return new SseEmitter();
		}

	}

	public static class ReturnsResponseThatStreams {

		@DistributedLock(name = "x")
		public ResponseEntity<StreamingResponseBody> run() {
			return ResponseEntity.ok().build();
		}

	}

	public abstract static class Returning<T> {

		@DistributedLock(name = "x")
		public T run() {
			return result();
		}

		abstract T result();

	}

	public static class ReturnsFutureByItsTypeArgument extends Returning<CompletableFuture<String>> {

		@Override
		CompletableFuture<String> result() {
			return CompletableFuture.completedFuture("x");
		}

	}

}
