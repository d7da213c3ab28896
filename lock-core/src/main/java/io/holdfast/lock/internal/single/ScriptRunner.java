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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.driver.MaybeSentException;
import io.holdfast.lock.internal.driver.NotSentException;
import io.holdfast.lock.internal.driver.RedisConnections;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.RedisErrors;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.DataType;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Runs scripts through Spring's template. Whatever goes wrong becomes a
 * {@link LockServerException}, even an {@code Error}: for the one who asked, all of them
 * mean that the outcome is unknown.
 * <p>
 * The only place that sends a call again, because every script may run twice: where a
 * thread was interrupted while it waited for the answer, which has its interrupt status
 * set afterwards, and once where a connection was dead. What drivers repeat by themselves
 * comes on top.
 */
public final class ScriptRunner implements RequestCombiner.Scripts {

	private final LimitedLog logger = new LimitedLog(ScriptRunner.class);

	private final RedisConnections connections;

	private final LockKeys keys;

	/**
	 * How long to wait for an answer.
	 */
	private final Duration longest;

	private final ScriptTemplate template;

	public ScriptRunner(RedisConnections connections, LockKeys keys) {
		this(connections, keys, RedisDriver.LONGEST_REQUEST);
	}

	public ScriptRunner(RedisConnections connections, LockKeys keys, Duration longest) {
		this.connections = connections;
		this.keys = keys;
		this.longest = longest;
		this.template = new ScriptTemplate(connections, longest);
	}

	<A, T> T run(RedisScript<A> script, List<String> lockKeys, Function<A, T> reader, String... args) {
		return run(new Call<>(script, lockKeys, reader, List.of(args)));
	}

	@Override
	public <T> T run(Call<?, T> call) {
		return guard(call.keys(), () -> call.runOn(this.template));
	}

	/**
	 * Runs scripts, each with keys of one slot of a cluster. As far as is known all of
	 * them go to the same server: if it does not answer one of them, the others are not
	 * sent.
	 * @return what came of each, in the same order
	 */
	public <A, T> List<Outcome<T>> runEach(List<Call<A, T>> calls) {
		List<Outcome<T>> outcomes = new ArrayList<>();
		LockServerException silence = null;
		for (Call<A, T> call : calls) {
			if (this.connections.hasPipeline() && outcomes.size() == 1 && silence == null) {
				// The first has left the script, which is that of all, there for these.
				outcomes.addAll(runTogether(calls.subList(1, calls.size())));
				break;
			}
			Outcome<T> outcome = (silence != null) ? alsoOf(call, silence) : outcomeOf(call);
			if (isSilence(outcome.failure())) {
				silence = outcome.failure();
			}
			outcomes.add(outcome);
		}
		return outcomes;
	}

	private <T> Outcome<T> outcomeOf(Call<?, T> call) {
		try {
			return new Outcome<>(run(call), null);
		}
		catch (LockServerException ex) {
			return new Outcome<>(null, ex);
		}
	}

	private <A, T> List<Outcome<T>> runTogether(List<Call<A, T>> calls) {
		try {
			List<Object> answers = guard(List.of(),
					() -> this.connections.call(this.longest, (connection) -> send(calls, connection)));
			List<Outcome<T>> outcomes = new ArrayList<>();
			for (int i = 0; i < calls.size(); i++) {
				outcomes.add(read(calls.get(i), answers.get(i)));
			}
			return outcomes;
		}
		catch (LockServerException ex) {
			if (isSilence(ex)) {
				return calls.stream().map((each) -> alsoOf(each, ex)).toList();
			}
			// One of them was refused, be it because another server has the lock by now.
			// Each is sent alone; every script may run twice.
			return calls.stream().map(this::outcomeOf).toList();
		}
	}

	private static <A, T> List<Object> send(List<Call<A, T>> calls, RedisConnection connection) {
		connection.openPipeline();
		for (Call<A, T> call : calls) {
			connection.scriptingCommands()
				.evalSha(call.script().getSha1(), ReturnType.MULTI, call.keys().size(), call.keysAndArgs());
		}
		return connection.closePipeline();
	}

	private <A, T> Outcome<T> read(Call<A, T> call, Object answer) {
		try {
			return new Outcome<>(call.read(answer), null);
		}
		catch (Throwable ex) {
			return new Outcome<>(null, failure(call.keys(), ex));
		}
	}

	private static boolean isSilence(@Nullable LockServerException failure) {
		return failure != null && Outcome.isUnanswered(failure) && !RedisErrors.isRepeatedAndRefused(failure);
	}

	private <T> Outcome<T> alsoOf(Call<?, T> call, LockServerException silence) {
		return new Outcome<>(null, RedisErrors.alsoOf(this.keys.nameOf(call.keys().get(0)), silence));
	}

	/**
	 * The servers of the cluster; none if Redis is no cluster.
	 */
	List<RedisClusterNode> clusterNodes() {
		return guard(List.of(), () -> this.connections.clusterNodes());
	}

	@Override
	public boolean takesManyKeys(String lockKey) {
		return !guard(List.of(lockKey), () -> this.connections.isCluster());
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
					boolean again = !dead && ex instanceof MaybeSentException died && died.isRepeatable();
					sent |= ex instanceof MaybeSentException || (interrupt && !(ex instanceof NotSentException));
					dead |= again;
					if (!interrupt && !again) {
						LockServerException failure = failure(lockKeys, ex);
						throw sent ? RedisErrors.ofRepeated(failure) : failure;
					}
					if (interrupt) {
						interrupted = true;
						// Clears the status, or the next attempt would fail as well.
						Thread.interrupted();
					}
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
		this.logger.warnOfError("A call failed", thrown);
		if (Outcome.isUnanswered(failure)) {
			this.connections.unanswered();
		}
		else if (RedisErrors.isOfReplica(thrown)) {
			this.connections.demoted();
		}
		boolean isNoLock = failure.reason() == Reason.REFUSED
				&& String.valueOf(failure.getMessage()).contains("WRONGTYPE");
		if (!isNoLock || lockKeys.size() > 1) {
			// Of several keys it is not known which one.
			return failure;
		}
		return RedisErrors.failure(failure.lockName(), Reason.REFUSED, "the key '" + key + "' is not a lock but a "
				+ typeOf(key) + ", which nothing of Holdfast wrote; rename that key, or set another key prefix",
				thrown);
	}

	private String typeOf(String key) {
		try {
			DataType type = this.connections.call(this.longest,
					(connection) -> connection.keyCommands().type(key.getBytes(StandardCharsets.UTF_8)));
			return (type != null) ? type.code() : "key of unknown type";
		}
		catch (Throwable ex) {
			// The failure that is being described counts, and the memory may be full.
			return "key of unknown type";
		}
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
	public record Call<A, T>(RedisScript<A> script, List<String> keys, Function<A, T> reader, List<String> args) {

		private byte[][] keysAndArgs() {
			return Stream.concat(this.keys.stream(), this.args.stream())
				.map((each) -> each.getBytes(StandardCharsets.UTF_8))
				.toArray(byte[][]::new);
		}

		private T runOn(StringRedisTemplate template) {
			A answer = template.execute(this.script, this.keys, this.args.toArray());
			return this.reader.apply(Objects.requireNonNull(answer, "Redis answered nothing"));
		}

		@SuppressWarnings("unchecked")
		private T read(Object answer) {
			return this.reader.apply((A) decode(answer));
		}

		/** What Spring's template makes of an answer. */
		private static Object decode(Object answer) {
			if (answer instanceof List<?> answers) {
				return answers.stream().map(Call::decode).toList();
			}
			return (answer instanceof byte[] text) ? new String(text, StandardCharsets.UTF_8) : answer;
		}

	}

}
