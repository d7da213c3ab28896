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

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code lock-echo.lua}, which sends a client a message.
 */
class LockEchoScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return run(new ScriptCall(LockScript.ECHO, List.of("RPUSH", this.channels + "one", "some text")), lock);
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key)).isEqualTo(List.of("OK"));
	}

	@Test
	void messageArrives() {
		assertThat(runOn(this.key)).isEqualTo(List.of("OK"));

		assertThat(messages()).containsExactly("one: echo some text");
	}

	@Test
	void isToldIfItMayNotPublish() {
		SERVER.command("ACL", "SETUSER", "default", "-rpush");
		try {
			assertThat((String) runOn(this.key).get(0)).containsAnyOf("permission", "can't run");
		}
		finally {
			SERVER.command("ACL", "SETUSER", "default", "+rpush");
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

}
