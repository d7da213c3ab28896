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

package io.holdfast.lock.internal.client;

import java.time.Duration;

import io.holdfast.lock.LockObserver.ClientState;
import io.holdfast.lock.internal.server.MessageChannel;

/**
 * The {@link ClientState} of a runtime.
 */
final class RuntimeState implements ClientState {

	private final LockRuntime runtime;

	RuntimeState(LockRuntime runtime) {
		this.runtime = runtime;
	}

	@Override
	public String id() {
		return this.runtime.settings().clientId();
	}

	@Override
	public int held() {
		return this.runtime.engine().view().held();
	}

	@Override
	public int waiting() {
		return this.runtime.engine().view().waiting();
	}

	@Override
	public Duration renewalLag() {
		return Duration.ofNanos(this.runtime.engine().view().renewalLagNanos());
	}

	@Override
	public int pendingReleases() {
		return this.runtime.pendingReleases().size();
	}

	@Override
	public long resubscriptions() {
		return this.runtime.channels()
			.stream()
			.mapToLong(MessageChannel::subscriptions)
			.map((made) -> Math.max(0, made - 1))
			.sum();
	}

	@Override
	public Duration subscriptionDownFor() {
		Duration down = this.runtime.health().subscriptionDownFor();
		return (down != null) ? down : Duration.ZERO;
	}

}
