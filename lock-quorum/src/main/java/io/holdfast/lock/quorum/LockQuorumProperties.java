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

package io.holdfast.lock.quorum;

import java.util.List;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.convert.LockTime;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of locks on several independent Redis servers: all that there are under
 * {@code holdfast.lock.quorum}. One that does not exist stops the start: locks could be
 * on another Redis than is meant.
 *
 * @param nodes Servers, 3 or 5 (any odd number up to 9), as
 * redis://user:password@host:port/database, or rediss:// with TLS. Without any, locks are
 * on the application's Redis.
 * @param timeout How long to wait for servers that are slow to answer, while the others
 * do not decide without them.
 * @param restartGuard For how long a server that was started does not grant locks,
 * because it may have forgotten what it had granted; in whole seconds, and no lease may
 * be longer. As long as the watchdog timeout if not set; 0 if every server writes each
 * command to disk before it answers.
 */
@ConfigurationProperties(prefix = "holdfast.lock.quorum", ignoreUnknownFields = false)
record LockQuorumProperties(@DefaultValue List<String> nodes, @DefaultValue("500ms") LockTime timeout,
		@Nullable LockTime restartGuard) {

	LockQuorumProperties {
		for (LockTime time : (restartGuard != null) ? List.of(timeout, restartGuard) : List.of(timeout)) {
			if (time.duration().equals(LockOptions.WATCHDOG) || time.duration().equals(LockOptions.FOREVER)) {
				throw new IllegalArgumentException("'" + time + "' is no duration");
			}
		}
	}

	/**
	 * Says how many servers there are, not which: addresses have passwords.
	 */
	@Override
	public String toString() {
		return "Quorum[nodes=" + this.nodes.size() + ", timeout=" + this.timeout + ", restartGuard=" + this.restartGuard
				+ "]";
	}

}
