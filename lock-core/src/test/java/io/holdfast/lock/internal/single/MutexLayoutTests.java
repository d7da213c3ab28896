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
import java.util.List;
import java.util.Map;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.RedisErrors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of data that another version has written, or that are damaged.
 */
class MutexLayoutTests extends ScriptContract {

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
					() -> run(LockScript.DESCRIBE, this.key, "1"), () -> run(LockScript.WAITERS, this.key, "10"),
					() -> many("acquire 2:b xr 1000 1 0 " + LATER))) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
					.havingRootCause()
					.withMessageContaining("LAYOUT this lock is written in layout " + layout)
					.withMessageContaining("this client knows layout 2; update");
			}
			assertThat(release("a").get(1)).isEqualTo("GONE");
			assertThat(renew("a", LEASE, "0").get(1)).isEqualTo("NONE");
			assertThat(run(LockScript.DESCRIBE, this.key, "0").get(1)).isEqualTo("");
			assertThat(stored()).isEqualTo(newer);
			assertThat(redis.getExpire(this.key)).isGreaterThan(1100);
		}
		assertThat(messages()).isEmpty();
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
			"hold=a token=text until=1", "hold=a until=99999999999999 token=5", "token=5" })
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

	private String many(String request) {
		return (String) run(LockScript.REQUESTS, this.key, "new", TIMEOUT, RETENTION, this.channels, request).get(0);
	}

}
