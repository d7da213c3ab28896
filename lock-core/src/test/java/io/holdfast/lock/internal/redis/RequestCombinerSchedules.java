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

package io.holdfast.lock.internal.redis;

import java.util.List;

import io.holdfast.lock.internal.protocol.Command.Renew;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply;
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

	private final RequestCombiner requests = new RequestCombiner(RequestCombinerSchedules::echo, 1_000_000_000, 1);

	/**
	 * Sends a request, whose answer is its own number.
	 */
	@Operation
	public long send(@Param(gen = IntGen.class) int number) {
		Pending request = new Pending(new Renew("key:lock:name", "id", number, 0, 0, 0, ""), new LockKeys("key:"));
		this.requests.send(request);
		return request.join().leftMillis();
	}

	private static List<Reply> echo(List<Pending> together) {
		return together.stream()
			.map((each) -> new Reply(Reply.Word.HOLDS, ((Renew) each.command).leaseMillis(), 0, 0, false, 0, null))
			.toList();
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

}
