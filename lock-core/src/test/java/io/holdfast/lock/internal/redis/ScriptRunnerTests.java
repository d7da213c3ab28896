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
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.MaybeSentException;
import io.holdfast.lock.internal.driver.NotSentException;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.driver.RedisSubscription;
import io.holdfast.lock.internal.protocol.LockKeys;
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
		assertThat(failure(dead(), noPermission)).isEqualTo(Reason.TIMED_OUT);
	}

	@Test
	void callOnADeadConnectionIsSentOnceMoreAndNoMore() {
		RuntimeException dead = dead();

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

	private static RuntimeException dead() {
		return new MaybeSentException(new IOException("d"));
	}

	private static ScriptRunner.Call<Object, Object> call(String name) {
		RedisScript<Object> script = RedisScript.of("return 1", Object.class);
		return new ScriptRunner.Call<>(script, List.of("a:lock:" + name), (answer) -> answer, List.of());
	}

	private static Reason failure(RuntimeException... thrown) {
		Failing connections = new Failing(new ArrayDeque<>(List.of(thrown)));
		LockServerException failure = assertThatExceptionOfType(LockServerException.class)
			.isThrownBy(() -> new ScriptRunner(connections, new LockKeys("a:"), false).run(call("b")))
			.actual();
		assertThat(connections.thrown).isEmpty();
		return failure.reason();
	}

	private record Failing(Queue<RuntimeException> thrown) implements RedisDriver {

		@Override
		public Duration longestRequest() {
			return LONGEST_REQUEST;
		}

		@Override
		public <T> T call(boolean reserved, Function<RedisConnection, T> command) {
			throw this.thrown.remove();
		}

		@Override
		public RedisSubscription subscription(List<String> channels, RedisSubscription.Listener listener) {
			throw new UnsupportedOperationException();
		}

	}

}
