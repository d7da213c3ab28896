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

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What becomes of data that another version has written, or that are damaged.
 */
class LockLayoutTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return run(ScriptCall.queue(10), lock);
	}

	// Another layout

	@Test
	void otherLayoutIsNamedAndLeftAlone() {
		for (Map<String, String> other : List.of(
				Map.of("hold", "2:a", "until", "2:99999999999999", "token", "1000", "lost", "999"),
				Map.of("hold", "2:a", "token", "1000", "lost", "999"), Map.of("hold", "4:"),
				Map.of("until", "4:something", "more", "4:x"),
				Map.of("hold", "12:a", "until", "3:1", "token", "1000"))) {
			redis.delete(this.key);
			redis.opsForHash().putAll(this.key, other);
			redis.expire(this.key, Duration.ofMinutes(20));
			String layout = other.getOrDefault("hold", "4:").replaceAll(":.*", "");

			for (Runnable call : List.<Runnable>of(() -> acquire("b"), () -> join("b"), () -> evict("a"),
					() -> run(ScriptCall.describe(true), this.key), () -> run(ScriptCall.queue(10), this.key),
					() -> many("acquire 3:b xr 1000 1 1 1 0 " + LATER))) {
				assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
					.havingRootCause()
					.withMessageContaining("LAYOUT this lock is written in layout " + layout)
					.withMessageContaining("this client knows layout 3; bring");
			}
			assertThat(release("a").get(1)).isEqualTo("GONE");
			assertThat(renew("a", LEASE, "0").get(1)).isEqualTo("NONE");
			assertThat(downgrade("a").get(1)).isEqualTo("NONE");
			assertThat(run(ScriptCall.describe(false), this.key).get(1)).isEqualTo(List.of(0L, 0L, 0L, List.of()));
			assertThat(stored()).isEqualTo(other);
			assertThat(redis.getExpire(this.key)).isGreaterThan(1100);
		}
		assertThat(messages()).isEmpty();
	}

	// Damage

	@ParameterizedTest
	@ValueSource(strings = { "hold=3:a token=text", "hold=3:a", "hold=3:a token=5 until=text",
			"hold=3:a token=5 until=3:text owner=xr,one", "hold=3:a token=5 until=3: owner=xr,one",
			"hold=3:a token=5 until=3:1", "hold=3: token=5 until=3:1 owner=xr,one",
			"hold=3:a token=5 lost=text until=3:1 owner=xr,one", "hold=3:a token=5 head=3:w until=3:1 owner=xr,one",
			"hold=3:a token=5 until=3:1 tail=3:w owner=xr,one",
			"hold=3:a token=5 until=3:1 head=3:w tail=3:w owner=xr,one",
			"hold=3:a token=5 until=3:1 head=3:w tail=3:w w:3:w=-,-,1 owner=xr,one",
			"hold=3:a token=5 until=3:1 owner=xr,one head=3:w tail=3:w w:3:w=-,-,1,xr,text,1,1,1,1,99999999999999,one",
			"hold=3:a token=5 until=3:1 owner=xr,one head=3:w tail=3:w w:3:w=-,-,1,xr,1,1,1,1,99999999999999,one",
			"hold=3:a token=5 until=3:1 owner=xr,one head=3:w tail=3:w w:3:w=-,-,1,xr,1,1,1,-1,1,99999999999999,one",
			"hold=3: token=5 until=3:1 group=s", "hold=3: token=5 until=3:1 group=x,1,1", "hold=3: token=5 group=s,1,1",
			"hold=3:a token=5 until=3:1 group=s,1,1", "hold=3: token=5 until=3:1 group=s,1,1",
			"hold=3: token=5 until=3:1 group=s,1,1 h:3:a=text", "hold=3: until=3:1 group=s,1,1",
			"hold=a token=text until=1", "hold=a until=99999999999999 token=5", "token=5" })
	void damagedDataAreAClearErrorAndLeftAlone(String fields) {
		for (String field : fields.split(" ", -1)) {
			int at = field.indexOf('=');
			redis.opsForHash().put(this.key, field.substring(0, at), field.substring(at + 1).replace(',', ' '));
		}
		Map<String, String> before = stored();

		for (Runnable call : List.<Runnable>of(() -> acquire("b"), () -> join("b"),
				() -> many("acquire 3:b xr 1000 1 1 1 1 " + LATER))) {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(call::run)
				.satisfies((ex) -> assertThat(RedisErrors.classify("a name", ex))
					.hasMessageContaining("Lock 'a name': the data of the lock are damaged")
					.returns(Reason.REFUSED, LockServerException::reason));
		}

		assertThat(stored()).isEqualTo(before);
	}

	private String many(String request) {
		return (String) run(ScriptCall.together("new", settings(TIMEOUT), List.of(request)), this.key).get(0);
	}

}
