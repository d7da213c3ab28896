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
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.driver.MaybeSentException;
import io.holdfast.lock.internal.driver.NotSentException;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.LockKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs scripts through Spring's template, on the calling thread. Whatever goes wrong
 * becomes a {@link LockServerException}, even an {@code Error}: for the one who asked,
 * all of them mean that the outcome is unknown.
 * <p>
 * The only place that repeats a call whose connection broke, once, or whose thread was
 * interrupted while it waited for the answer; that has its interrupt status set
 * afterwards. Every script may run twice. What drivers repeat by themselves comes on top.
 */
final class ScriptRunner {

	private final LimitedLog logger = new LimitedLog(ScriptRunner.class);

	private final RedisDriver driver;

	private final LockKeys keys;

	private final StringRedisTemplate template;

	/**
	 * Create a runner.
	 * @param reserved whether to use the connections that requests leave
	 */
	ScriptRunner(RedisDriver driver, LockKeys keys, boolean reserved) {
		this.driver = driver;
		this.keys = keys;
		// Runs a script by its hash and by its text where the server does not know it;
		// never on the connection that Spring has bound to the calling thread.
		this.template = new StringRedisTemplate() {

			@Override
			public <T extends @Nullable Object> T execute(RedisCallback<T> action, boolean expose, boolean pipeline) {
				return driver.call(reserved, action::doInRedis);
			}

		};
		this.template.setScriptExecutor(new DefaultScriptExecutor<>(this.template));
	}

	/**
	 * Runs a script.
	 * @throws LockServerException if that fails
	 */
	<T> T run(Call<?, T> call) {
		return guard(call.keys, () -> call.run(this.template));
	}

	/**
	 * The servers of the cluster; none if Redis is no cluster.
	 */
	Iterable<RedisClusterNode> clusterNodes() {
		return guard(List.of(), this.driver::clusterNodes);
	}

	private <T extends @Nullable Object> T guard(List<String> lockKeys, Supplier<T> command) {
		boolean interrupted = Thread.interrupted();
		boolean sent = false;
		boolean dead = false;
		try {
			while (true) {
				try {
					return command.get();
				}
				catch (RuntimeException | Error ex) {
					boolean interrupt = RedisErrors.isInterrupt(ex);
					boolean again = interrupt || (ex instanceof MaybeSentException && !dead);
					dead |= ex instanceof MaybeSentException;
					sent |= dead || (interrupt && !(ex instanceof NotSentException));
					if (!again) {
						LockServerException failure = failure(lockKeys, ex);
						throw sent ? RedisErrors.ofRepeated(failure) : failure;
					}
					// Clears the status, or the next attempt would fail as well.
					interrupted |= Thread.interrupted() || interrupt;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private LockServerException failure(List<String> lockKeys, Throwable thrown) {
		this.logger.warnOfError("A call failed", thrown);
		if (RedisErrors.isOfReplica(thrown)) {
			this.driver.demoted();
		}
		return RedisErrors.classify(lockKeys.isEmpty() ? "" : this.keys.nameOf(lockKeys.get(0)), thrown);
	}

	/**
	 * One run of a script.
	 *
	 * @param <A> the type of the script's answer
	 * @param <T> the type of what is made of it
	 * @param script what runs
	 * @param keys in one slot
	 * @param reader what becomes of the answer
	 * @param args texts
	 */
	record Call<A, T>(RedisScript<A> script, List<String> keys, Function<A, T> reader, List<String> args) {

		private T run(StringRedisTemplate template) {
			A answer = template.execute(this.script, this.keys, this.args.toArray());
			return this.reader.apply(Objects.requireNonNull(answer, "Redis answered nothing"));
		}

	}

}
