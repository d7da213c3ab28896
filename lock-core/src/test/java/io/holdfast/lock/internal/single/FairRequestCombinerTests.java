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

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link FairRequestCombiner} on one server and on a cluster, whose scripts only note the
 * calls.
 */
@ParameterizedClass
@ValueSource(booleans = { true, false })
class FairRequestCombinerTests {

	private static final LockKeys KEYS = new LockKeys("fair:");

	@Parameter
	boolean takesManyKeys;

	private final TestThreads threads = new TestThreads();

	private final List<List<String>> calls = new CopyOnWriteArrayList<>();

	private final RequestCombiner requests = new RequestCombiner(new Notes(), KEYS, List.of("client"));

	private final FairRequestCombiner fair = new FairRequestCombiner(this.requests, Duration.ofHours(1).toNanos());

	private final Queue<Reason> answers = new ConcurrentLinkedQueue<>();

	private volatile boolean fails;

	@AfterEach
	void close() {
		this.threads.close();
	}

	@Test
	void unhurriedOnesGoBeforeTheNextOneForTheSameLockInTheirOrder() {
		List<TestThreads.Running<String>> gathered = List.of(gather("a", "a1"), gather("b", "b1"), gather("a", "a2"));

		assertThat(this.fair.send(request("a", "a3"), false)).isEqualTo("a3");

		assertThat(this.calls).containsExactly(List.of("a1", "a2", "a3"));
		assertThat(gathered.get(0).result()).isEqualTo("a1");
		assertThat(gathered.get(2).result()).isEqualTo("a2");
		assertThat(gathered.get(1).isDone()).isFalse();
		this.fair.released(KEYS.lock("b"));
		assertThat(gathered.get(1).result()).isEqualTo("b1");
	}

	@Test
	void releaseTakesNoneAlongAndHasThemSentTogether() {
		List<TestThreads.Running<String>> gathered = List.of(gather("a", "a1"), gather("a", "a2"));

		this.requests.send(request("a", "release"));
		assertThat(gathered).noneMatch(TestThreads.Running::isDone);
		this.fair.released(KEYS.lock("a"));

		assertThat(gathered.get(0).result()).isEqualTo("a1");
		assertThat(gathered.get(1).result()).isEqualTo("a2");
		assertThat(this.calls).containsExactly(List.of("release"), List.of("a1", "a2"));
	}

	@Test
	void nobodyWaitsForLong() {
		FairRequestCombiner hasty = new FairRequestCombiner(this.requests);

		assertThat(hasty.send(request("a", "a1"), true)).isEqualTo("a1");
	}

	@Test
	void oneCallTakesNoMoreThanItHasRoomFor() {
		List<TestThreads.Running<String>> gathered = IntStream.range(0, 40)
			.mapToObj((number) -> gather("a", "a" + number))
			.toList();

		this.fair.send(request("a", "last"), false);
		this.fair.released(KEYS.lock("a"));

		gathered.forEach(TestThreads.Running::result);
		assertThat(this.calls).extracting(List::size).containsExactly(32, 9);
	}

	@Test
	void interruptDoesNotEndTheWaitForOthers() {
		TestThreads.Running<String> first = gather("a", "a1");

		first.interrupt();
		this.fair.send(request("a", "a2"), false);

		assertThat(first.result()).isEqualTo("a1");
		assertThat(this.calls).containsExactly(List.of("a1", "a2"));
	}

	@Test
	void whatWasSentInACallThatIsRefusedMayHaveTakenEffectAlthoughItCannotBeSentAgain() {
		TestThreads.Running<String> gathered = gather("a", "a1");
		this.answers.add(Reason.REFUSED);
		this.answers.add(Reason.UNREACHABLE);
		this.answers.add(Reason.UNREACHABLE);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> this.fair.send(request("a", "a2"), false))
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));

		assertThat(gathered.failure()).isInstanceOfSatisfying(LockServerException.class,
				(ex) -> assertThat(ex.reason()).isEqualTo(Reason.TIMED_OUT));
	}

	@Test
	void failureBeforeTheCallLeavesTheOthersToSendTheirOwn() {
		TestThreads.Running<String> gathered = gather("a", "a1");
		this.fails = true;

		assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> this.fair.send(request("a", "a2"), false));

		assertThat(gathered.result()).isEqualTo("a1");
	}

	private static CombinedRequest<String> request(String name, String text) {
		return new CombinedRequest<>(KEYS.lock(name), text, Function.identity());
	}

	/**
	 * Has a thread send an unhurried request, and waits until it waits for others.
	 */
	private TestThreads.Running<String> gather(String name, String text) {
		return awaitGathering(this.threads.start(() -> this.fair.send(request(name, text), true)));
	}

	private static TestThreads.Running<String> awaitGathering(TestThreads.Running<String> running) {
		Awaitility.await()
			.atMost(TestThreads.LONG)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> running.sleepsIn(FairRequestCombiner.class));
		return running;
	}

	/**
	 * Answers each request with its own text.
	 */
	private final class Notes implements RequestCombiner.Scripts {

		@Override
		public boolean takesManyKeys(String lockKey) {
			if (FairRequestCombinerTests.this.fails) {
				throw new LockServerException("a", Reason.UNREACHABLE, "away", null);
			}
			return FairRequestCombinerTests.this.takesManyKeys;
		}

		@Override
		@SuppressWarnings("unchecked")
		public <T> T run(Duration limit, ScriptRunner.Call<?, T> call) {
			List<String> texts = call.args().subList(1, call.args().size());
			FairRequestCombinerTests.this.calls.add(texts);
			Reason failure = FairRequestCombinerTests.this.answers.poll();
			if (failure != null) {
				throw new LockServerException("a", failure, "no", null);
			}
			return ((ScriptRunner.Call<List<String>, T>) call).reader().apply(texts);
		}

	}

}
