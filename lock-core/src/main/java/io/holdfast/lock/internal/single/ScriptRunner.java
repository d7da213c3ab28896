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

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.redis.JedisReserve;
import io.holdfast.lock.redis.LettuceCluster;
import io.holdfast.lock.redis.OwnConnections;
import io.holdfast.lock.redis.Twin;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.DataType;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
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
public final class ScriptRunner implements RequestCombiner.Scripts {

	private final StringRedisTemplate template;

	private final LockKeys keys;

	private final @Nullable LettuceCluster lettuce;

	private final @Nullable ScriptRunner instead;

	public ScriptRunner(RedisConnectionFactory connectionFactory, LockKeys keys) {
		this(() -> connectionFactory, keys, Twin.LETTUCE ? LettuceCluster.of(connectionFactory) : null, null);
	}

	private ScriptRunner(Supplier<RedisConnectionFactory> source, LockKeys keys, @Nullable LettuceCluster lettuce,
			@Nullable ScriptRunner instead) {
		this.template = new StringRedisTemplate(new OwnConnections(source));
		// Nothing here closes a connection, so none needs a proxy against that.
		this.template.setExposeConnection(true);
		this.keys = keys;
		this.lettuce = lettuce;
		this.instead = instead;
	}

	/**
	 * A runner that uses other connections, and those of this one if the others fail in
	 * any way but silence: perhaps the server takes no more of them.
	 */
	ScriptRunner on(JedisReserve reserve) {
		return new ScriptRunner(reserve, this.keys, null, this);
	}

	@Override
	public <A, T> T run(RedisScript<A> script, List<String> lockKeys, boolean interruptible, Function<A, T> reader,
			Object... args) {
		return call(lockKeys, interruptible, (template) -> {
			A answer = template.execute(script, lockKeys, args);
			return reader.apply(Objects.requireNonNull(answer, "Redis answered nothing"));
		});
	}

	/**
	 * Runs a script several times, each time with keys of one slot of a cluster. As far
	 * as is known all of them go to the same server: if it does not answer one of them,
	 * the others are not sent.
	 * @return what came of each, in the same order
	 */
	public <A, T> List<Outcome<T>> runEach(RedisScript<A> script, List<Call<A, T>> calls, boolean interruptible) {
		List<Outcome<T>> outcomes = new ArrayList<>();
		LockServerException silence = null;
		for (Call<A, T> call : calls) {
			if (this.lettuce != null && outcomes.size() == 1 && silence == null) {
				// The first has left the script there for these.
				outcomes.addAll(runTogether(this.lettuce, script, calls.subList(1, calls.size()), interruptible));
				break;
			}
			Outcome<T> outcome = (silence != null) ? new Outcome<>(null, failure(call.keys(), causeOf(silence)))
					: run(script, call, interruptible);
			silence = outcome.isUnanswered() ? outcome.failure() : silence;
			outcomes.add(outcome);
		}
		return outcomes;
	}

	private <A, T> Outcome<T> run(RedisScript<A> script, Call<A, T> call, boolean interruptible) {
		try {
			return new Outcome<>(run(script, call.keys(), interruptible, call.reader(), call.args().toArray()), null);
		}
		catch (LockServerException ex) {
			return new Outcome<>(null, ex);
		}
	}

	private <A, T> List<Outcome<T>> runTogether(LettuceCluster together, RedisScript<A> script, List<Call<A, T>> calls,
			boolean interruptible) {
		RedisCallback<List<Object>> run = (connection) -> together.run(connection, script, calls);
		List<Object> answers;
		try {
			answers = call(List.of(), interruptible, (template) -> Objects.requireNonNull(template.execute(run)));
		}
		catch (LockServerException ex) {
			return calls.stream().map((each) -> new Outcome<T>(null, failure(each.keys(), causeOf(ex)))).toList();
		}
		List<Outcome<T>> outcomes = new ArrayList<>();
		for (int i = 0; i < answers.size(); i++) {
			Call<A, T> call = calls.get(i);
			Outcome<T> outcome = read(call, answers.get(i));
			// If it was refused, be it because another server has the lock by now, it is
			// sent alone; every script may run twice.
			boolean refused = outcome.failure() != null && !outcome.isUnanswered();
			outcomes.add(refused ? run(script, call, interruptible) : outcome);
		}
		return outcomes;
	}

	@SuppressWarnings("unchecked")
	private <A, T> Outcome<T> read(Call<A, T> call, Object answer) {
		try {
			if (answer instanceof Exception ex) {
				return new Outcome<>(null, failure(call.keys(), ex));
			}
			return new Outcome<>(call.reader().apply((A) answer), null);
		}
		catch (RuntimeException ex) {
			return new Outcome<>(null, failure(call.keys(), ex));
		}
	}

	private static Throwable causeOf(LockServerException failure) {
		return Objects.requireNonNullElse(failure.getCause(), failure);
	}

	/**
	 * Does several things on one connection.
	 * @param action what to do, with the connection or with this runner
	 */
	public <T> T session(String lockKey, boolean interruptible, Function<RedisConnection, T> action) {
		SessionCallback<T> session = new SessionCallback<>() {

			@Override
			public <K, V> T execute(RedisOperations<K, V> operations) {
				RedisCallback<T> callback = action::apply;
				return Objects.requireNonNull(ScriptRunner.this.template.execute(callback));
			}

		};
		return call(List.of(lockKey), interruptible, (template) -> template.execute(session));
	}

	/**
	 * The servers of the cluster; none if Redis is no cluster.
	 */
	List<RedisClusterNode> clusterNodes() {
		RedisCallback<List<RedisClusterNode>> nodes = (
				connection) -> (connection instanceof RedisClusterConnection cluster)
						? StreamSupport.stream(cluster.clusterGetNodes().spliterator(), false).toList() : List.of();
		return call(List.of(), false, (template) -> Objects.requireNonNull(template.execute(nodes)));
	}

	long serverMillis(String key, boolean interruptible) {
		RedisCallback<Long> time = (connection) -> connection.serverCommands().time(TimeUnit.MILLISECONDS);
		return call(List.of(key), interruptible, (template) -> Objects.requireNonNull(template.execute(time)));
	}

	@Override
	public boolean takesManyKeys(String lockKey, boolean interruptible) {
		RedisCallback<Boolean> isCluster = RedisClusterConnection.class::isInstance;
		return !Boolean.TRUE.equals(call(List.of(lockKey), interruptible, (template) -> template.execute(isCluster)));
	}

	private <T extends @Nullable Object> T call(List<String> lockKeys, boolean interruptible,
			Function<StringRedisTemplate, T> command) {
		try {
			return callHere(lockKeys, interruptible, command);
		}
		catch (LockServerException ex) {
			if (this.instead == null || RedisErrors.isSilence(ex)) {
				throw ex;
			}
			return this.instead.call(lockKeys, interruptible, command);
		}
	}

	private <T extends @Nullable Object> T callHere(List<String> lockKeys, boolean interruptible,
			Function<StringRedisTemplate, T> command) {
		boolean interrupted = !interruptible && Thread.interrupted();
		try {
			while (true) {
				try {
					return command.apply(this.template);
				}
				catch (RuntimeException | Error ex) {
					interrupted |= RedisErrors.isInterrupt(ex);
					if (interruptible || !RedisErrors.isInterrupt(ex)) {
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
		LockServerException failure = RedisErrors.classify(this.keys.nameOf(key), thrown);
		if (this.lettuce != null && Outcome.isUnanswered(failure)) {
			this.lettuce.refresh();
		}
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

	/**
	 * One run of a script.
	 *
	 * @param <A> the type of the script's answer
	 * @param <T> the type of what is made of it
	 * @param keys in one slot
	 * @param reader what becomes of the answer
	 * @param args texts
	 */
	public record Call<A, T>(List<String> keys, Function<A, T> reader,
			List<String> args) implements LettuceCluster.ScriptCall {
	}

}
