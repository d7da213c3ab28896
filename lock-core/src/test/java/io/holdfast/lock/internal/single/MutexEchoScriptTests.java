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

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.RedisCallback;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code mutex-echo.lua}, which sends a client a message.
 */
class MutexEchoScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return run(LockScript.ECHO, lock, this.channels + "one");
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key)).isEqualTo(List.of(1L));
	}

	@Test
	void messageArrives() {
		assertThat(runOn(this.key)).isEqualTo(List.of(1L));

		assertThat(messages()).containsExactly("one: echo ");
	}

	@Test
	void isToldIfItMayNotPublish() {
		acl("-publish");
		try {
			assertThat(runOn(this.key)).isEqualTo(List.of(0L));
		}
		finally {
			acl("+publish");
		}

		assertThat(messages()).isEmpty();
	}

	@Test
	void keyIsNotTouched() {
		runOn(this.key);
		assertThat(hash()).isEmpty();

		acquire("a");
		Map<String, String> before = hash();
		runOn(this.key);

		assertThat(hash()).isEqualTo(before);
	}

	private static void acl(String rule) {
		byte[][] words = Stream.of("SETUSER", "default", rule).map(String::getBytes).toArray(byte[][]::new);
		redis.execute((RedisCallback<Object>) (connection) -> connection.execute("ACL", words));
	}

}
