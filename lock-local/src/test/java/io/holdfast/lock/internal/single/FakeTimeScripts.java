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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.internal.single.MutexCalls.Ask;
import io.holdfast.lock.internal.single.MutexCalls.Call;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts on a Redis of which all is known: they read the time from a key, and write
 * their messages to another.
 */
final class FakeTimeScripts {

	private final Map<RedisScript<?>, RedisScript<?>> scripts = new HashMap<>();

	private final StringRedisTemplate redis;

	/**
	 * Whether scripts take no quick ways.
	 */
	private boolean stepsOnly;

	private final String timeout;

	private final String retention;

	FakeTimeScripts(RedisConnectionFactory connections, long timeout, long retention) {
		this.redis = new StringRedisTemplate(connections);
		this.timeout = Long.toString(timeout);
		this.retention = Long.toString(retention);
	}

	@SuppressWarnings("unchecked")
	private <T> RedisScript<T> fake(RedisScript<T> script) {
		return (RedisScript<T>) this.scripts.computeIfAbsent(this.stepsOnly ? ScriptCall.stepsOnly(script) : script,
				(original) -> {
					String text = original.getScriptAsString()
						.replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 'seconds', 'micros')")
						.replace("redis.pcall('PUBLISH', message[1], message[2])",
								"redis.call('RPUSH', 'messages', string.sub(message[1], #channels + 1) .. ': ' .. message[2])");
					assertThat(text).contains("'clock'").doesNotContain("'TIME'", "'PUBLISH'");
					return new DefaultRedisScript<>(text, (Class<T>) original.getResultType());
				});
	}

	void takeStepsOnly(boolean only) {
		this.stepsOnly = only;
	}

	void loseData() {
		this.redis.execute((RedisCallback<Object>) (connection) -> {
			connection.serverCommands().flushAll();
			return null;
		});
	}

	void setClock(long micros) {
		this.redis.opsForHash()
			.putAll("clock",
					Map.of("seconds", Long.toString(micros / 1_000_000), "micros", Long.toString(micros % 1_000_000)));
	}

	/**
	 * Lets a key grow older, or younger.
	 * @return whether this was its end
	 */
	boolean age(String key, long millis) {
		long left = millisLeft(key);
		if (left > millis) {
			this.redis.expire(key, Duration.ofMillis(left - millis));
			return false;
		}
		return this.redis.delete(key);
	}

	/**
	 * Makes a call.
	 * @return the answer to each thing that is asked
	 */
	List<String> answers(Call call, List<String> keys) {
		List<String> asked = call.asks().stream().map(Ask::text).toList();
		List<String> answers = answers(call, keys, asked);
		return IntStream.range(0, keys.size())
			.mapToObj((i) -> ScriptCall.inFull(asked.get(i), answers.get(i)))
			.toList();
	}

	private List<String> answers(Call call, List<String> keys, List<String> asked) {
		Stream<String> texts = asked.stream();
		return switch (call.kind()) {
			case REQUEST -> {
				if (ScriptCall.suits(asked)) {
					ScriptCall one = ScriptCall.of(asked.get(0), call.client(), this.timeout, this.retention,
							"channel:");
					yield List.of(Objects.requireNonNull(this.redis.execute(fake(one.script()), keys, one.args())));
				}
				yield run(LockScript.REQUESTS, keys,
						Stream.concat(Stream.of(call.client(), this.timeout, this.retention, "channel:"), texts)
							.toArray());
			}
			case RENEW -> {
				Stream<String> signs = texts.flatMap((text) -> Arrays.stream(text.split(" ", 4)).skip(1));
				List<String> answer = run(LockScript.RENEW, keys,
						Stream.concat(Stream.of(this.timeout, this.retention, "channel:", "call"), signs).toArray());
				assertThat(answer.get(0)).isEqualTo("call");
				yield answer.subList(2, answer.size());
			}
			case EVICT -> run(LockScript.EVICT, keys, call.asks().get(0).id(), this.timeout, this.retention, "channel:")
				.subList(1, 2);
		};
	}

	List<String> run(RedisScript<List<?>> script, List<String> keys, Object... args) {
		return Objects.requireNonNull(this.redis.execute(fake(script), keys, args))
			.stream()
			.map(String::valueOf)
			.toList();
	}

	MutexState state(String key) {
		return MutexState.of(this.redis.<String, String>opsForHash().entries(key));
	}

	/**
	 * What is left of a key's time to live, or -1 or -2, as Redis says it.
	 */
	long millisLeft(String key) {
		return this.redis.getExpire(key, TimeUnit.MILLISECONDS);
	}

	List<String> takeMessages() {
		List<String> messages = this.redis.opsForList().range("messages", 0, -1);
		this.redis.delete("messages");
		return messages;
	}

}
