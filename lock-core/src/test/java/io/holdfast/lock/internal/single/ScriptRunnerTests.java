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

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.MaybeSentException;
import io.holdfast.lock.internal.driver.NotSentException;
import io.holdfast.lock.internal.driver.RedisConnections;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.Outcome;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What {@link ScriptRunner} says of calls that fail twice.
 */
class ScriptRunnerTests {

	private final RuntimeException interrupted = new RedisSystemException("a", new InterruptedException());

	private final RuntimeException refused = new RedisConnectionFailureException("b", new ConnectException());

	@Test
	void callThatWasInterruptedMayHaveTakenEffectAlthoughItCannotBeSentAgain() {
		assertThat(failure(this.refused)).isEqualTo(Reason.UNREACHABLE);
		assertThat(failure(this.interrupted, this.refused)).isEqualTo(Reason.TIMED_OUT);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void callThatWasRefusedWhenItWasSentAgainMayHaveTakenEffect() {
		RuntimeException noPermission = new RedisSystemException("c", new IllegalStateException("NOPERM on purpose"));

		assertThat(failure(noPermission)).isEqualTo(Reason.REFUSED);
		assertThat(failure(this.interrupted, noPermission)).isEqualTo(Reason.TIMED_OUT);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(failure(new MaybeSentException(noPermission, false))).isEqualTo(Reason.TIMED_OUT);
	}

	@Test
	void callOnADeadConnectionIsSentOnceMoreAndNoMore() {
		RuntimeException dead = new MaybeSentException(new IOException("d"), true);

		assertThat(failure(dead, dead)).isEqualTo(Reason.TIMED_OUT);
		assertThat(failure(dead, new NotSentException(this.refused))).isEqualTo(Reason.TIMED_OUT);
		assertThat(failure(new NotSentException(this.refused))).isEqualTo(Reason.UNREACHABLE);
	}

	@Test
	void callThatWasInterruptedBeforeItWasSentHasTakenNoEffect() {
		RuntimeException notSent = new NotSentException(new InterruptedException());

		assertThat(failure(notSent, this.refused)).isEqualTo(Reason.UNREACHABLE);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void refusalOfOneLockIsNoneOfTheNextOneAlthoughItsCallWasSentTwice() {
		RuntimeException damaged = new RedisSystemException("d", new IllegalStateException("DAMAGED on purpose"));

		List<Outcome<Object>> outcomes = runner(new MaybeSentException(damaged, false), this.refused)
			.runEach(List.of(call("b"), call("c")));

		assertThat(outcomes).extracting((each) -> each.failure().lockName()).containsExactly("b", "c");
		assertThat(outcomes).extracting((each) -> each.failure().reason())
			.containsExactly(Reason.TIMED_OUT, Reason.UNREACHABLE);
	}

	@Test
	void serverThatDidNotAnswerOnceIsNotAskedForTheOthers() {
		List<Outcome<Object>> outcomes = runner(new MaybeSentException(this.refused, false))
			.runEach(List.of(call("b"), call("c")));

		assertThat(outcomes).extracting((each) -> each.failure().lockName()).containsExactly("b", "c");
		assertThat(outcomes).extracting((each) -> each.failure().reason()).containsOnly(Reason.TIMED_OUT);
		assertThat(outcomes.get(1).failure()).hasMessageStartingWith("Lock 'c': Redis did not answer");
	}

	private static ScriptRunner.Call<Object, Object> call(String name) {
		RedisScript<Object> script = RedisScript.of("return 1", Object.class);
		return new ScriptRunner.Call<>(script, List.of("a:lock:" + name), (answer) -> answer, List.of());
	}

	private static ScriptRunner runner(RuntimeException... thrown) {
		return new ScriptRunner(new Failing(new ArrayDeque<>(List.of(thrown))), new LockKeys("a:"));
	}

	private static Reason failure(RuntimeException... thrown) {
		Failing connections = new Failing(new ArrayDeque<>(List.of(thrown)));
		LockServerException failure = assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> new ScriptRunner(connections, new LockKeys("a:")).run(call("b")))
			.actual();
		assertThat(connections.thrown).isEmpty();
		return failure.reason();
	}

	private record Failing(Queue<RuntimeException> thrown) implements RedisConnections {

		@Override
		public <T> T call(Duration limit, Function<RedisConnection, T> command) {
			throw this.thrown.remove();
		}

	}

}
