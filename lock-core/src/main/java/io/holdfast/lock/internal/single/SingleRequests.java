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
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.single.CombinedRequest.Single;
import org.jspecify.annotations.Nullable;

/**
 * Words requests for {@code mutex-acquire.lua} and {@code mutex-release.lua}, which take
 * one each. That costs the server half of what the script for many does.
 */
final class SingleRequests {

	private final String clientId;

	private final long retentionMillis;

	/**
	 * What the scripts need to know only where they do not go the quick way.
	 */
	private final String settings;

	SingleRequests(ServerSettings settings) {
		this.clientId = settings.clientId();
		this.retentionMillis = settings.tokenRetention().toMillis();
		this.settings = settings.waiterTimeout().toMillis() + " " + this.retentionMillis + ' '
				+ settings.keys().channelPrefix();
	}

	/**
	 * A question for a lock.
	 * @param notAfterMillis server time after which nothing new may be done
	 */
	Single acquire(String id, LockRequest wanted, boolean waits, long notAfterMillis) {
		boolean quick = wanted.block() == 1 && wanted.leaseMillis() <= this.retentionMillis;
		return new Single(LockScript.ACQUIRE,
				List.of(id, wanted.mode() + ' ' + this.clientId, Long.toString(wanted.leaseMillis()),
						Long.toString(wanted.leaseMillis() + this.retentionMillis),
						quick ? Long.toString(TimeUnit.MILLISECONDS.toMicros(notAfterMillis)) : "0",
						wanted.block() + " " + (waits ? 1 : 0) + ' ' + notAfterMillis + ' ' + this.settings));
	}

	/**
	 * A release, if it takes no next request along; else {@code null}.
	 */
	@Nullable Single release(ReleaseCommand command) {
		return (command.next() == null)
				? new Single(LockScript.RELEASE, List.of(command.id(), command.token() + " " + this.settings)) : null;
	}

}
