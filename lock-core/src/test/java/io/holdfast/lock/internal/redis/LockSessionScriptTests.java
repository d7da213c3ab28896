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
import java.util.Properties;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code lock-session.lua}, which tells whether somebody listens to a session.
 */
class LockSessionScriptTests extends ScriptContract {

	@Override
	List<?> runOn(String lock) {
		return run(new ScriptCall(LockScript.SESSION, List.of()), lock);
	}

	@Override
	void refusesOtherTypes() {
		assertThat(runOn(this.key).get(0)).isEqualTo(0L);
	}

	@Test
	void tellsHowManyListenAndOnWhichRun() {
		Properties server = redis.execute((RedisConnection connection) -> connection.serverCommands().info("server"));

		assertThat(runOn(this.channels + "one#1")).isEqualTo(List.of(0L, server.getProperty("run_id").substring(0, 6)));
	}

	@Test
	void isToldIfItMayNotAsk() {
		SERVER.command("ACL", "SETUSER", "default", "-pubsub");
		try {
			assertThat(runOn(this.key)).singleElement().asString().containsAnyOf("permission", "can't run");
		}
		finally {
			SERVER.command("ACL", "SETUSER", "default", "+pubsub");
		}
	}

}
