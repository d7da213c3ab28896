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

import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLostException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Calls of methods that return a {@link CompletionStage}. The lock is held until the
 * method's own stage is done, whatever becomes of the result that the caller has: Java
 * stops no work by completing its stage.
 */
final class StageCall {

	/** A method may wait for other stages, so it has a thread of its own. */
	private static final SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("holdfast-stage-");

	static {
		threads.setDaemon(true);
		if (Runtime.version().feature() >= 21) {
			threads.setVirtualThreads(true);
		}
	}

	private StageCall() {
	}

	static CompletionStage<Object> invoke(Supplier<LaterCall> begin) {
		LaterCall call;
		try {
			call = begin.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		CompletableFuture<Object> result = call.newResult();
		CompletableFuture<?> unused = result.whenComplete((value, thrown) -> call.stopWaiting());
		// The thread, transaction and locks of the caller are not those of the method.
		Executor executor = call.needsLock() ? threads : Runnable::run;
		CompletableFuture<?> begun = call.outcome().thenAccept((failure) -> {
			if (result.isDone()) {
				throw new CancellationException();
			}
			executor.execute(() -> work(call, failure, result));
		});
		// Also if there is no thread for it.
		unused = begun.whenComplete((value, thrown) -> {
			if (thrown != null) {
				end(call, null, LaterCall.unwrap(thrown), result);
			}
		});
		return result;
	}

	@SuppressWarnings("unchecked")
	private static void work(LaterCall call, Optional<LockException> failure, CompletableFuture<Object> result) {
		try {
			CompletableFuture<?> unused = call.lost()
				.thenAccept((loss) -> result.completeExceptionally(new LockLostException(loss)));
			Object returned = call.run(failure);
			CompletionStage<Object> work = (returned != null) ? (CompletionStage<Object>) returned
					: CompletableFuture.completedFuture(null);
			CompletionStage<?> ignored = work.whenComplete((value, thrown) -> end(call, value, thrown, result));
		}
		catch (Throwable ex) {
			end(call, null, ex, result);
		}
	}

	private static void end(LaterCall call, @Nullable Object value, @Nullable Throwable thrown,
			CompletableFuture<Object> result) {
		CompletableFuture<Void> unused = call.end(thrown).whenComplete((none, failure) -> {
			try {
				Throwable cause = (thrown != null) ? thrown : LaterCall.unwrap(failure);
				if (cause != null) {
					throw cause;
				}
				LaterResult.check(call.method().method(), value);
				result.complete(value);
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
	}

}
