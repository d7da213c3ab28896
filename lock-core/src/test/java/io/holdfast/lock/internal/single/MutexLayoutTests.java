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
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.testing.Fuzz;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.core.script.DefaultRedisScript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of data that another version has written, or that are damaged. The scripts
 * of layout 1 are those of the last version that had it.
 */
class MutexLayoutTests extends ScriptContract {

	private static final String NO_TOKEN = "99999999999999";

	@Override
	List<?> runOn(String lock) {
		return run(LockScript.WAITERS, lock, "10");
	}

	// A newer layout

	@Test
	void newerLayoutIsNamedAndLeftAlone() {
		for (Map<String, String> newer : List.of(
				Map.of("hold", "3:a", "until", "3:99999999999999", "token", "1000", "lost", "999"),
				Map.of("hold", "3:a", "token", "1000", "lost", "999"), Map.of("hold", "3:"),
				Map.of("until", "3:something", "more", "3:x"),
				Map.of("hold", "12:a", "until", "2:1", "token", "1000"))) {
			redis.delete(this.key);
			redis.opsForHash().putAll(this.key, newer);
			redis.expire(this.key, Duration.ofMinutes(20));
			String layout = newer.getOrDefault("hold", "3:").replaceAll(":.*", "");

			for (Runnable call : List.<Runnable>of(() -> acquire("b"), () -> join("b"), () -> evict("a"),
					() -> vote("b"), () -> run(LockScript.DESCRIBE, this.key, "1"),
					() -> run(LockScript.WAITERS, this.key, "10"), () -> many("acquire 2:b xr 1000 1 0 " + LATER))) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
					.havingRootCause()
					.withMessageContaining("LAYOUT this lock is written in layout " + layout)
					.withMessageContaining("this client knows layout 2; update");
			}
			assertThat(release("a").get(1)).isEqualTo("GONE");
			assertThat(renew("a", LEASE, "0").get(1)).isEqualTo("NONE");
			assertThat(takeUp("a")).isEqualTo(0L);
			assertThat(run(LockScript.DESCRIBE, this.key, "0").get(1)).isEqualTo("");
			assertThat(stored()).isEqualTo(newer);
			assertThat(redis.getExpire(this.key)).isGreaterThan(1100);
		}
		assertThat(messages()).isEmpty();
	}

	// Layout 1

	@Test
	void holdOfLayout1IsRefusedClearlyAndLeftAlone() {
		assertThat(old("acquire a reentrant 60000 1 1 " + LATER)).contains(" HOLDS ");
		assertThat(old("acquire b reentrant 60000 1 1 " + LATER)).contains(" WAITS ");
		Map<String, String> before = stored();

		for (Runnable call : List.<Runnable>of(() -> acquire("c"), () -> join("c"), () -> vote("c"),
				() -> evict("a"))) {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
				.havingRootCause()
				.withMessageContaining("LAYOUT a client of an older version")
				.withMessageContaining("layout 1, this client has layout 2); stop the clients of that version first");
		}
		assertThat(release("c").get(1)).isEqualTo("GONE");
		assertThat(renew("c", LEASE, "0").get(1)).isEqualTo("NONE");
		assertThat(takeUp("c")).isEqualTo(0L);

		assertThat(stored()).isEqualTo(before);
		assertThat(old("release a 0")).isEqualTo("a RELEASED");
		assertThat(stored()).containsEntry("hold", "b");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void holdOfLayout2IsRefusedByLayout1AndLeftAlone(boolean queue) {
		acquire("a");
		if (queue) {
			join("b");
		}
		Map<String, String> before = stored();

		for (String request : List.of("acquire c reentrant 60000 1 0 " + LATER,
				"acquire c fair 60000 1000 1 " + LATER)) {
			assertRefused(() -> old(request));
		}
		assertRefused(() -> run(script("mutex-evict.lua"), this.key, "c", TIMEOUT, RETENTION, this.channels));
		assertRefused(() -> redis.execute(text("mutex-vote.lua"), List.of(this.key), "old", TIMEOUT, RETENTION,
				this.channels, "c", "1", LEASE, "0", LATER));
		assertRefused(
				() -> run(script("mutex-renew.lua"), this.key, TIMEOUT, RETENTION, this.channels, "c", LEASE, "0"));
		assertRefused(() -> run(script("mutex-takeup.lua"), this.key, TIMEOUT, RETENTION, this.channels, "old", "0",
				LATER, "c", LEASE, NO_TOKEN, NO_TOKEN));
		assertThat(old("release c 0")).isEqualTo("c GONE");

		assertThat(stored()).isEqualTo(before);
		assertThat(release("a").get(1)).isEqualTo("RELEASED");
	}

	private static void assertRefused(Runnable call) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
			.havingRootCause()
			.withMessageContaining("attempt to");
	}

	@Test
	void freeLockGoesFromOneLayoutToTheOtherWithGrowingTokens() {
		long token = 0;
		for (int i = 0; i < 3; i++) {
			assertThat(old("acquire old" + i + " fair 60000 1000 0 " + LATER)).contains(" HOLDS ");
			assertThat(number("token")).isGreaterThan(token);
			token = Math.max(number("token"), Long.parseLong(stored().getOrDefault("last", "0")));
			assertThat(old("release old" + i + " 0")).endsWith(" RELEASED");

			assertThat((Long) acquire("new" + i).get(3)).isGreaterThan(token);
			token = number("token");
			assertThat(stored()).containsOnlyKeys("hold", "until", "owner", "token", "released", "lost");
			assertTtl(360_000);
			assertThat(release("new" + i, token).get(1)).isEqualTo("RELEASED");
		}
	}

	@Test
	void holdOfLayout1ThatEndedIsTakenWhenItsWaitersAreDead() {
		old("acquire a reentrant 60000 1 1 " + LATER);
		old("acquire b reentrant 60000 1 1 " + LATER);
		long token = number("token");
		redis.opsForHash().put(this.key, "until", Long.toString(System.currentTimeMillis() - 1000));

		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> acquire("c"))
			.havingRootCause()
			.withMessageContaining("LAYOUT");
		redis.opsForHash().put(this.key, "until", "1");

		assertThat((Long) acquire("c").get(3)).isGreaterThan(token);
		assertThat(number("lost")).isEqualTo(token);
		assertNoQueue();
		assertThat(release("a", token).get(1)).isEqualTo("GONE");
	}

	@Test
	void neitherLayoutGrantsWhatTheOtherHolds() {
		int tries = Fuzz.forAbout(Duration.ofSeconds(3), (random) -> {
			redis.delete(this.key);
			Set<String> holders = new HashSet<>();
			List<String> log = new ArrayList<>();
			List<String> ids = new ArrayList<>();
			for (int i = 0; i < 60; i++) {
				boolean old = random.nextBoolean();
				String id = (ids.isEmpty() || random.nextInt(3) == 0) ? (old ? "" : "2:") + "id" + i
						: Fuzz.oneOf(random, ids.toArray(String[]::new));
				ids.add(id);
				step(random.nextInt(8), id, random.nextInt(3) > 0, log);
				String until = stored().get("until");
				String hold = (until != null) ? stored().get("hold").replace(" +", "") : null;
				// Whoever stopped to hold has released, or its hold was ended by the
				// test.
				holders.removeIf((each) -> log.get(log.size() - 1).startsWith("end " + each + " ")
						|| log.get(log.size() - 1).equals("end all"));
				if (hold != null && !until.matches("(2:)?1")) {
					holders.add(hold);
				}
				assertThat(holders).as("holders after %s", log).hasSizeLessThanOrEqualTo(1);
			}
		});

		assertThat(tries).isPositive();
	}

	private void step(int what, String id, boolean waits, List<String> log) {
		boolean old = !id.startsWith("2:");
		String mode = old ? "fair" : "xf";
		try {
			switch (what) {
				case 0, 1, 2 -> log.add("acquire "
						+ call(old, "acquire " + id + " " + mode + " 60000 " + (waits ? "1000 1 " : "1 0 ") + LATER));
				case 3, 4, 5 -> log.add("end " + call(old, "release " + id + " 0"));
				case 6 -> log.add("renew " + run(old ? script("mutex-renew.lua") : LockScript.RENEW, this.key,
						Stream
							.concat(Stream.of(TIMEOUT, RETENTION, this.channels),
									old ? Stream.of(id, LEASE, "0") : Stream.of("call", id, LEASE, "0"))
							.toArray()));
				default -> {
					String until = stored().get("until");
					if (until != null) {
						redis.opsForHash().put(this.key, "until", until.startsWith("2:") ? "2:1" : "1");
					}
					log.add("end all");
				}
			}
		}
		catch (RuntimeException ex) {
			log.add("refused " + id);
		}
	}

	private String call(boolean old, String request) {
		return old ? old(request) : many(request);
	}

	// Damage

	@ParameterizedTest
	@ValueSource(strings = { "hold=2:a token=text", "hold=2:a", "hold=2:a token=5 until=text",
			"hold=2:a token=5 until=2:text", "hold=2:a token=5 until=2:", "hold=2:a token=5 lost=text until=2:1",
			"hold=2:a token=5 head=2:w until=2:1", "hold=2:a token=5 until=2:1 tail=2:w",
			"hold=2:a token=5 until=2:1 head=2:w tail=2:w", "hold=2:a token=5 until=2:1 head=2:w tail=2:w w:2:w=-,-,1",
			"hold=2:a token=5 until=2:1 head=2:v tail=2:w w:2:w=-,-,1,99999999999999,1,1,1,xr,one",
			"hold=2:a token=5 until=2:1 head=2:w tail=2:w w:2:w=-,-,1,99999999999999,1,1,text,xr,one",
			"hold=2:a token=5 until=2:1 head=2:w tail=2:w w:2:w=-,-,1,99999999999999,1,1,1,1,xr,one",
			"hold=2:a token=5 until=2:1 head=2:w tail=2:w w:2:w=-,-,1,99999999999999,1,1,-1,xr,one",
			"hold=a token=text until=1" })
	void damagedDataAreAClearErrorAndLeftAlone(String fields) {
		for (String field : fields.split(" ", -1)) {
			int at = field.indexOf('=');
			redis.opsForHash().put(this.key, field.substring(0, at), field.substring(at + 1).replace(',', ' '));
		}
		Map<String, String> before = stored();

		for (Runnable call : List.<Runnable>of(() -> acquire("b"), () -> join("b"),
				() -> many("acquire 2:b xr 1000 1 1 " + LATER))) {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
				.satisfies((ex) -> assertThat(RedisErrors.classify("a name", ex))
					.hasMessageContaining("Lock 'a name': the data of the lock are damaged")
					.returns(Reason.REFUSED, LockServerException::reason));
		}

		assertThat(stored()).isEqualTo(before);
	}

	private String old(String request) {
		return Objects.requireNonNull(redis.execute(text("mutex-request.lua"), List.of(this.key), "old", TIMEOUT,
				RETENTION, this.channels, request));
	}

	private String many(String request) {
		return (String) run(LockScript.REQUESTS, this.key, "new", TIMEOUT, RETENTION, this.channels, request).get(0);
	}

	private void vote(String id) {
		redis.execute(LockScript.VOTE, List.of(this.key), "new", TIMEOUT, RETENTION, this.channels, "2:" + id, "1",
				LEASE, "0", LATER);
	}

	private Object takeUp(String id) {
		return run(LockScript.TAKE_UP, this.key, TIMEOUT, RETENTION, this.channels, "new", "0", LATER, "2:" + id, LEASE,
				"5", "5")
			.get(1);
	}

	private static DefaultRedisScript<String> text(String file) {
		return new DefaultRedisScript<>(read(file), String.class);
	}

	@SuppressWarnings("unchecked")
	private static DefaultRedisScript<List<?>> script(String file) {
		return new DefaultRedisScript<>(read(file), (Class<List<?>>) (Class<?>) List.class);
	}

	/**
	 * A script of layout 1, with what it includes.
	 */
	private static String read(String file) {
		try (InputStream in = MutexLayoutTests.class.getResourceAsStream("layout1/" + file)) {
			return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8).lines()
				.map((line) -> line.startsWith("--#include ") ? read(line.substring(11)) : line)
				.collect(Collectors.joining("\n"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
