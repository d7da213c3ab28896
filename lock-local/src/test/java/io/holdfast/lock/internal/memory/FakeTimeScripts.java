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

package io.holdfast.lock.internal.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.holdfast.lock.internal.memory.ScriptCalls.Ask;
import io.holdfast.lock.internal.memory.ScriptCalls.Call;
import io.holdfast.lock.internal.redis.LockHash;
import io.holdfast.lock.internal.redis.ScriptCall;

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

	private final Map<RedisScript<?>, RedisScript<?>> fakes = new HashMap<>();

	private final Map<RedisScript<?>, RedisScript<?>> slowFakes = new HashMap<>();

	private final StringRedisTemplate redis;

	/**
	 * Whether scripts take no quick ways.
	 */
	private boolean stepsOnly;

	private final List<String> settings;

	FakeTimeScripts(RedisConnectionFactory connections, long timeout, long retention) {
		this.redis = new StringRedisTemplate(connections);
		this.settings = List.of(Long.toString(timeout), Long.toString(retention), "PUBLISH", "channel:");
	}

	private RedisScript<?> fake(RedisScript<?> script) {
		return this.stepsOnly ? this.slowFakes.computeIfAbsent(script, (each) -> created(ScriptCall.stepsOnly(each)))
				: this.fakes.computeIfAbsent(script, FakeTimeScripts::created);
	}

	@SuppressWarnings("unchecked")
	private static RedisScript<?> created(RedisScript<?> script) {
		String text = script.getScriptAsString()
			.replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 'seconds', 'micros')")
			.replace("redis.pcall(publish, message[1], message[2])",
					"redis.call('RPUSH', 'messages', string.sub(message[1], #channels + 1) .. ': ' .. message[2])");
		assertThat(text).contains("'clock'").doesNotContain("'TIME'", "pcall(publish");
		return new DefaultRedisScript<>(text, (Class<Object>) script.getResultType());
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
		List<String> answers = switch (call.kind()) {
			case REQUEST -> run(ScriptCall.requests(call.client(), this.settings, asked), keys);
			case RENEW -> {
				List<String> answer = run(ScriptCall.renewals(this.settings, asked), keys);
				assertThat(answer.get(0)).isEqualTo("call");
				yield answer.subList(2, answer.size());
			}
			case DOWNGRADE -> run(ScriptCall.downgrade(this.settings, call.asks().get(0).id()), keys);
			case EVICT -> {
				String[] words = asked.get(0).split(" ");
				List<String> which = List.of(words).subList(1, words.length);
				String name = call.name() + this.redis.opsForValue().increment("calls");
				yield run(ScriptCall.evict(this.settings, name, which), keys).subList(1, 2);
			}
		};
		return IntStream.range(0, keys.size())
			.mapToObj((i) -> ScriptCall.inFull(asked.get(i), answers.get(i)))
			.toList();
	}

	private List<String> run(ScriptCall call, List<String> keys) {
		Object answer = Objects.requireNonNull(this.redis.execute(fake(call.script()), keys, call.args()));
		return (answer instanceof List<?> list) ? list.stream().map(String::valueOf).toList()
				: List.of((String) answer);
	}

	/**
	 * Who holds a lock, as an operator sees it.
	 */
	List<List<String>> holds(String key) {
		List<?> lock = (List<?>) answer(ScriptCall.describe(true), key).get(1);
		assertThat(lock.get(1)).isEqualTo(0L);
		List<List<String>> rows = new ArrayList<>();
		for (Object each : (List<?>) lock.get(3)) {
			List<String> row = texts((List<?>) each);
			row.set(6, row.get(8));
			row.set(7, String.valueOf(lock.get(2)));
			row.remove(8);
			rows.add(row);
		}
		rows.sort(Comparator.comparing((row) -> row.get(0)));
		return rows;
	}

	/**
	 * Who waits for a lock, as an operator sees it.
	 */
	List<List<String>> queue(String key) {
		List<?> answer = answer(ScriptCall.queue(1000), key);
		List<List<String>> rows = new ArrayList<>();
		for (Object each : answer.subList(1, answer.size())) {
			List<String> row = texts((List<?>) each);
			row.remove(4);
			rows.add(row);
		}
		return rows;
	}

	private List<?> answer(ScriptCall call, String key) {
		return (List<?>) Objects.requireNonNull(this.redis.execute(fake(call.script()), List.of(key), call.args()));
	}

	private static List<String> texts(List<?> row) {
		return new ArrayList<>(row.stream().map(String::valueOf).toList());
	}

	LockHash state(String key) {
		return LockHash.of(this.redis.<String, String>opsForHash().entries(key));
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
