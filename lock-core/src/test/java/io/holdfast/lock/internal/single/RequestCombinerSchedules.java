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

package io.holdfast.lock.internal.single;

import java.util.List;
import java.util.function.Function;

import io.holdfast.lock.internal.server.LockKeys;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/**
 * {@link RequestCombiner} under many orders of the steps of a few threads, one at a time,
 * as Lincheck chooses them. There is one place for calls, so threads meet. Each answer
 * must be that of the thread's own request, and none may wait for ever. Time stands
 * still, so nobody's patience ends. Runs in a JVM of its own, because Lincheck rewrites
 * classes.
 */
public class RequestCombinerSchedules {

	private static final LockKeys KEYS = new LockKeys("requests:");

	private final RequestCombiner requests = new RequestCombiner(new Echo(), KEYS, List.of("client"), 1);

	/**
	 * Sends a request, whose answer is its own text.
	 */
	@Operation
	public String send(@Param(gen = IntGen.class) int number) {
		return this.requests.send(new CombinedRequest<>(KEYS.lock("name"), "request " + number, Function.identity()));
	}

	@Test
	void everyRequestIsAnsweredAndNoneWithTheAnswerOfAnother() {
		new ModelCheckingOptions().threads(3)
			.actorsPerThread(2)
			.actorsBefore(0)
			.actorsAfter(1)
			.iterations(Integer.getInteger("schedules.scenarios", 5))
			.invocationsPerIteration(Integer.getInteger("schedules", 100))
			.check(getClass());
	}

	/**
	 * Answers each request with its own text.
	 */
	private static final class Echo implements RequestCombiner.Scripts {

		@Override
		public boolean takesManyKeys(String lockKey) {
			return true;
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T> T run(ScriptRunner.Call<?, T> call) {
			int args = call.args().size();
			return ((ScriptRunner.Call<List<String>, T>) call).reader()
				.apply(call.args().subList(args - call.keys().size(), args));
		}

	}

}
