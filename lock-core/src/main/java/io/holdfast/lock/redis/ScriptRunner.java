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

package io.holdfast.lock.redis;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.DataType;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs scripts through Spring's template. Whatever goes wrong becomes a
 * {@link LockServerException}, even an {@code Error}: for the one who asked, all of them
 * mean that the outcome is unknown.
 * <p>
 * A thread that is interrupted while it waits for an answer asks the same again, because
 * every script may run twice, and has its interrupt status set afterwards. An
 * interruptible call fails instead, with the status set.
 */
final class ScriptRunner {

	private final StringRedisTemplate template;

	private final LockKeys keys;

	ScriptRunner(RedisConnectionFactory connectionFactory, LockKeys keys) {
		this.template = new StringRedisTemplate(new OwnConnections(connectionFactory));
		// Nothing here closes a connection, so none needs a proxy against that.
		this.template.setExposeConnection(true);
		this.keys = keys;
	}

	<A, T> T run(RedisScript<A> script, List<String> lockKeys, boolean interruptible, Function<A, T> reader,
			Object... args) {
		return call(lockKeys, interruptible, () -> {
			A answer = this.template.execute(script, lockKeys, args);
			return reader.apply(Objects.requireNonNull(answer, "Redis answered nothing"));
		});
	}

	long serverMillis(String key, boolean interruptible) {
		RedisCallback<Long> time = (connection) -> connection.serverCommands().time(TimeUnit.MILLISECONDS);
		return call(List.of(key), interruptible, () -> Objects.requireNonNull(this.template.execute(time)));
	}

	/**
	 * Whether a script can take keys of any locks at once.
	 */
	boolean takesManyKeys() {
		RedisCallback<Boolean> isCluster = RedisClusterConnection.class::isInstance;
		return !Boolean.TRUE.equals(call(List.of(), false, () -> this.template.execute(isCluster)));
	}

	private <T extends @Nullable Object> T call(List<String> lockKeys, boolean interruptible, Supplier<T> command) {
		boolean interrupted = !interruptible && Thread.interrupted();
		try {
			while (true) {
				try {
					return command.get();
				}
				catch (RuntimeException | Error ex) {
					interrupted |= ServerFailures.isInterrupt(ex);
					if (interruptible || !ServerFailures.isInterrupt(ex)) {
						throw failure(lockKeys, ex);
					}
					// Clears the status, or the next attempt would fail as well.
					Thread.interrupted();
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
		String key = lockKeys.isEmpty() ? this.keys.lockPrefix() : lockKeys.get(0);
		LockServerException failure = ServerFailures.sort(this.keys.nameOf(key), thrown);
		String message = String.valueOf(failure.getMessage());
		if (failure.reason() != Reason.REFUSED || !message.contains("WRONGTYPE")) {
			return failure;
		}
		return new LockServerException(failure.lockName(), Reason.REFUSED,
				"Lock '" + failure.lockName() + "': the key '" + key + "' is not a lock but a " + typeOf(key)
						+ ", which nothing of Holdfast wrote; rename that key, or set another key prefix",
				thrown);
	}

	private String typeOf(String key) {
		try {
			DataType type = this.template.type(key);
			return (type != null) ? type.code() : "key of unknown type";
		}
		catch (RuntimeException ex) {
			return "key of unknown type";
		}
	}

}
