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

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.MaybeSentException;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.driver.RedisSubscription;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.protocol.Wish;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@link RedisLockServer} makes of answers that are not to what it asked. */
class RedisLockServerTests {

	private static final List<Command> RELEASES = List.of(new Command.Release("p:lock:a", "1", 0, null),
			new Command.Release("p:lock:b", "2", 0, null));

	private final List<Object> answers = new ArrayList<>();

	private int calls;

	private final RedisLockServer server = new RedisLockServer(new Answering(),
			new ServerSettings(new LockKeys("p:"), "test@host/1", Duration.ofSeconds(10), Duration.ofMinutes(5)));

	@Test
	void releasesThatTheServerAnswersHaveTheirOutcomes() {
		this.answers.add(List.of("1 RELEASED", "2 GONE"));

		assertThat(PortClient.done(this.server.sendTogether(RELEASES))).extracting(Reply::word)
			.containsExactly(Reply.Word.RELEASED, Reply.Word.GONE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1 RELEASED", "1 RELEASED,3 RELEASED", "1 RELEASED,2 RELEASED,3 RELEASED", "1,2",
			"1 RELEASED,2 NOVEL", "1 RELEASED,2 HOLDS", "1 RELEASED,2 RELEASED 7 LATE" })
	void releasesHaveNoOutcomeWhereTheAnswerIsNoneToThem(String answer) {
		this.answers.add(List.of(answer.split(",")));

		assertThat(reasons(this.server.sendTogether(RELEASES))).containsExactly(Reason.TIMED_OUT, Reason.TIMED_OUT);
	}

	@ParameterizedTest
	@ValueSource(strings = { "2 7 HOLDS 9 1 1 0 0", "1 7 HOLDS 9 1 1", "1 7 RELEASED 9 1 1 0 0", "1 7", "1 HELD x", "",
			"1 7 HOLDS nine 1 1 0 0" })
	void questionHasNoOutcomeWhereTheAnswerIsNoneToIt(String answer) {
		this.answers.add(List.of(7L));
		this.answers.add(answer);

		assertThat(reasons(List.of(this.server.send(question())))).containsExactly(Reason.TIMED_OUT);
	}

	@Test
	void renewalsHaveNoOutcomeWhereTheAnswerIsToAnotherCall() {
		this.answers.add(List.of("another call", "7", "9"));

		assertThat(reasons(this.server.sendTogether(renewals(1)))).containsExactly(Reason.TIMED_OUT);
	}

	@Test
	void serverThatDidNotAnswerOnceIsNotAskedForTheOthers() {
		this.answers.add(new MaybeSentException(new IOException("dead")));
		this.answers.add(new RedisConnectionFailureException("b", new ConnectException()));

		List<Command> commands = new ArrayList<>(renewals(500));
		commands.addAll(RELEASES);

		List<CompletableFuture<Reply>> outcomes = this.server.sendTogether(commands);

		assertThat(reasons(outcomes)).hasSize(502).containsOnly(Reason.TIMED_OUT);
		assertThat(failure(outcomes.get(501))).hasMessageStartingWith("Lock 'b': Redis did not answer");
		assertThat(this.calls).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "DAMAGED, 11", "CROSSSLOT, 11", "OOM, 1" })
	void batchIsTakenApartWhereOneMayBeAtFaultAndNotMuchIfAllAre(String words, int sent) {
		this.answers.addAll(Collections.nCopies(12,
				new RedisSystemException("d", new IllegalStateException(words + " on purpose"))));

		assertThat(reasons(this.server.sendTogether(renewals(100)))).hasSize(100).containsOnly(Reason.REFUSED);
		assertThat(this.calls).isEqualTo(sent);
	}

	@Test
	void errorIsAFailureOfItsCommandAndNothingThrows() {
		this.answers.add(List.of(7L));
		this.answers.add(new OutOfMemoryError("on purpose"));

		assertThat(reasons(List.of(this.server.send(question())))).containsExactly(Reason.TIMED_OUT);
	}

	private static Command question() {
		return new Command.Ask("p:lock:a", "1", Wish.exclusive(false), 1000, 1, 1, System.nanoTime(), "");
	}

	private static List<Command> renewals(int count) {
		return IntStream.range(0, count)
			.<Command>mapToObj((i) -> new Command.Renew("p:lock:" + i, "3:" + i, 1000, 0, 1, 0, ""))
			.toList();
	}

	private static List<Reason> reasons(List<CompletableFuture<Reply>> outcomes) {
		return outcomes.stream().map((each) -> failure(each).reason()).toList();
	}

	private static LockServerException failure(CompletableFuture<Reply> outcome) {
		assertThat(outcome).isCompletedExceptionally();
		return (LockServerException) outcome.handle((reply, failure) -> failure).join();
	}

	/**
	 * Gives answers, or throws them.
	 */
	private final class Answering implements RedisDriver {

		@Override
		@SuppressWarnings("unchecked")
		public <T> T call(boolean reserved, Function<RedisConnection, T> command) {
			Object answer = RedisLockServerTests.this.answers.get(RedisLockServerTests.this.calls++);
			if (answer instanceof RuntimeException failure) {
				throw failure;
			}
			if (answer instanceof Error failure) {
				throw failure;
			}
			return (T) answer;
		}

		@Override
		public Duration longestRequest() {
			return LONGEST_REQUEST;
		}

		@Override
		public RedisSubscription subscription(List<String> channels, RedisSubscription.Listener listener) {
			throw new UnsupportedOperationException();
		}

	}

}
