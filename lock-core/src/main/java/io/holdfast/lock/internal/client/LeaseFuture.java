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

package io.holdfast.lock.internal.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What users depend on runs on an executor of the client, unless they name another one.
 *
 * @param <T> the type of the result
 */
final class LeaseFuture<T> extends CompletableFuture<T> {

	private final Executor executor;

	LeaseFuture(Executor executor) {
		this.executor = executor;
	}

	@Override
	public Executor defaultExecutor() {
		return this.executor;
	}

	@Override
	public <U> CompletableFuture<U> newIncompleteFuture() {
		return new LeaseFuture<>(this.executor);
	}

}
