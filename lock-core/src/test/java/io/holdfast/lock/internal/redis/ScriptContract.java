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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What the headers of the scripts say, on a real Redis. Requests have the client "one",
 * the lease 60 s and a place for 10 s unless a test says otherwise.
 */
abstract class ScriptContract {

	static final String LEASE = "60000";

	static final String TIMEOUT = "10000";

	static final String RETENTION = "300000";

	/** A place that is dead as soon as it is there. */
	static final String AT_ONCE = "0";

	/** What a request may have. */
	private static final Set<Object> STATES = Set.of("HOLDS", "WAITS", "NONE");

	static final String LATER = "99999999999999";

	static final RedisProcess SERVER = RedisProcess.start();

	private static final RedisConnectionFactory CONNECTIONS = RedisDriver.JEDIS.connect(SERVER);

	static final StringRedisTemplate redis = new StringRedisTemplate(CONNECTIONS);

	final String prefix = UUID.randomUUID() + ":";

	final String key = this.prefix + "lock:a name";

	final String channels = this.prefix + "client:";

	/**
	 * Runs the script of this class on the key in the way that may change most.
	 */
	abstract List<?> runOn(String lock);

	@Test
	void keyOfAnotherTypeIsLeftAlone() {
		redis.opsForValue().set(this.key, "text");

		refusesOtherTypes();

		assertThat(redis.opsForValue().get(this.key)).isEqualTo("text");
		assertThat(redis.getExpire(this.key)).isEqualTo(-1);
	}

	/**
	 * Runs the script on a key that is not a hash.
	 */
	void refusesOtherTypes() {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> runOn(this.key))
			.havingRootCause()
			.withMessageContaining("WRONGTYPE");
	}

	final List<?> acquire(String id) {
		return acquire(id, "one", LEASE, "1", "0", LATER, TIMEOUT);
	}

	final List<?> join(String id) {
		return join(id, "one");
	}

	final List<?> join(String id, String client) {
		return acquire(id, client, LEASE, "1", "1", LATER, TIMEOUT);
	}

	final List<?> joinDead(String id) {
		return acquire(id, "dead", LEASE, "1", "1", LATER, AT_ONCE);
	}

	final List<?> acquire(String id, String client, String lease, String block, String callers, String notAfter,
			String timeout) {
		return words(id, request(client, timeout,
				"acquire " + id + " xr " + lease + " 1 1 " + block + " " + callers + " " + notAfter));
	}

	/**
	 * A reader, with a client of its own.
	 */
	final List<?> read(String id) {
		return share(id, "sr", 1, 1);
	}

	/**
	 * Permits, for a client of their own.
	 */
	final List<?> permits(String id, int units, int limit) {
		return share(id, "pr", units, limit);
	}

	final List<?> share(String id, String mode, int units, int limit) {
		return words(id, request("of-" + id, TIMEOUT,
				"acquire " + id + " " + mode + " " + LEASE + " " + units + " " + limit + " 1 1 " + LATER));
	}

	/**
	 * The answer behind a zero, where that to other requests has the server's time.
	 */
	final List<?> release(String id) {
		return release(id, 0);
	}

	final List<?> release(String id, long stamp) {
		return words("-", "- 0 " + withoutId(id, request("one", TIMEOUT, "release " + id + " " + stamp)));
	}

	/**
	 * The answer with the server's time in front, as for other requests.
	 */
	final List<?> release(String id, String nextId) {
		List<Object> words = new ArrayList<>(words(id,
				request("one", TIMEOUT, "release " + id + " 0 " + nextId + " xr " + LEASE + " 1 1 1 1 " + LATER)));
		Collections.swap(words, 0, 1);
		return words;
	}

	/**
	 * What a request is answered, in full and with bare ids.
	 */
	final String request(String client, String timeout, String bare) {
		return request(client, timeout, bare, this.key);
	}

	final String request(String client, String timeout, String bare, String lock) {
		String request = withLayout(bare);
		ScriptCall call = ScriptCall.requests(client, settings(timeout), List.of(request));
		Object answer = Objects.requireNonNull(redis.execute(call.script(), List.of(lock), call.args()));
		return bare(
				ScriptCall.inFull(request, (answer instanceof List<?> list) ? (String) list.get(0) : (String) answer));
	}

	final List<String> settings(String timeout) {
		return List.of(timeout, RETENTION, "RPUSH", this.channels);
	}

	/**
	 * A request with ids as clients draw them.
	 */
	static String withLayout(String request) {
		String[] words = request.split(" ", -1);
		words[1] = "3:" + words[1];
		if (words[0].equals("release") && words.length > 3) {
			words[3] = "3:" + words[3];
		}
		return String.join(" ", words);
	}

	/**
	 * A text without the layout of ids, moments and messages, and without the mark of a
	 * hold.
	 */
	static String bare(String text) {
		return text.replaceAll("\\b3:", "").replaceAll("^3 ", "").replaceAll(" \\+$", "");
	}

	final List<?> renew(String id, String lease, String block) {
		String request = "renew 3:" + id + " " + lease + (block.equals("0") ? " 0" : " 0 " + block + " 0");
		ScriptCall call = ScriptCall.renewals(settings(TIMEOUT), List.of(request));
		List<?> answer = run(call, this.key);
		assertThat(answer.get(0)).isEqualTo("call");
		List<Object> words = new ArrayList<>(words(id, bare(ScriptCall.inFull(request, (String) answer.get(2)))));
		words.add(0, Long.valueOf((String) answer.get(1)));
		return words;
	}

	final List<?> downgrade(String id) {
		ScriptCall call = ScriptCall.downgrade(settings(TIMEOUT), "3:" + id);
		return words(id,
				bare((String) Objects.requireNonNull(redis.execute(call.script(), List.of(this.key), call.args()))));
	}

	final List<?> evict(String id) {
		return evict(id, "call of " + id);
	}

	final List<?> evict(String id, String call) {
		return run(ScriptCall.evict(settings(TIMEOUT), call.replace(' ', '-'), List.of("3:" + id)), this.key);
	}

	static List<?> run(ScriptCall call, String... locks) {
		return (List<?>) Objects.requireNonNull(redis.execute(call.script(), List.of(locks), call.args()));
	}

	/**
	 * The words of an answer behind the id that it begins with; numbers as such.
	 */
	static List<?> words(String id, String line) {
		return Arrays.stream(withoutId(id, line).split(" "))
			.map((word) -> word.matches("\\d+") ? (Object) Long.valueOf(word) : word)
			.toList();
	}

	private static String withoutId(String id, String line) {
		assertThat(line).startsWith(id + " ");
		return line.substring(id.length() + 1);
	}

	/**
	 * The answer without the server's time and without what is left of a lease.
	 */
	static List<Object> stable(List<?> answer) {
		List<Object> values = new ArrayList<>(answer);
		values.set(0, "now");
		int state = values.stream().filter(STATES::contains).mapToInt(values::indexOf).findFirst().orElse(-1);
		if (state >= 0) {
			values.set(state + 1, "left");
		}
		return values;
	}

	final void endHold() {
		redis.opsForHash().put(this.key, "until", "3:1");
	}

	/**
	 * What is stored, with bare ids and moments.
	 */
	final Map<String, String> hash() {
		Map<String, String> bare = new TreeMap<>();
		stored().forEach((field, value) -> bare.put(bare(field), bare(value)));
		return bare;
	}

	final Map<String, String> stored() {
		return redis.<String, String>opsForHash().entries(this.key);
	}

	final long number(String field) {
		return Long.parseLong(hash().get(field));
	}

	/**
	 * What was sent so far, by client and in order. A message is an entry of a list here.
	 */
	final List<String> messages() {
		return redis.keys(this.channels + "*")
			.stream()
			.sorted()
			.flatMap((channel) -> redis.opsForList()
				.range(channel, 0, -1)
				.stream()
				.map((text) -> channel.substring(this.channels.length()) + ": " + bare(text)))
			.toList();
	}

	final LockHash state() {
		return LockHash.of(stored());
	}

	final void assertTtl(long millis) {
		Long ttl = redis.getExpire(this.key, TimeUnit.MILLISECONDS);
		assertThat(ttl).isBetween(millis - 10_000, millis);
	}

	/**
	 * Does something while Redis has no memory left.
	 */
	static void withFullMemory(Runnable action) {
		SERVER.command("CONFIG", "SET", "maxmemory", "1");
		try {
			action.run();
		}
		finally {
			SERVER.command("CONFIG", "SET", "maxmemory", "0");
		}
	}

	static List<String> ids(int count) {
		return IntStream.range(0, count).mapToObj((i) -> "id" + i).toList();
	}

}
