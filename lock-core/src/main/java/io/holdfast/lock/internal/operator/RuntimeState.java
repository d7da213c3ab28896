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

package io.holdfast.lock.internal.operator;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.lock.LockObserver.ClientState;
import io.holdfast.lock.internal.protocol.MessageChannel;

/**
 * What observers may look at.
 *
 * @param id the client
 * @param view its locks
 * @param channels where its messages come from
 * @param health how it is
 */
public record RuntimeState(String id, EngineView view, List<MessageChannel> channels,
		HealthMonitor health) implements ClientState {

	@Override
	public int held() {
		return this.view.held();
	}

	@Override
	public int unsure() {
		return this.view.unsure();
	}

	@Override
	public int waiting() {
		return this.view.waiting();
	}

	@Override
	public Duration renewalLag() {
		return Duration.ofNanos(this.view.renewalLagNanos());
	}

	@Override
	public int pendingReleases() {
		return this.view.context().owed().failed();
	}

	@Override
	public long resubscriptions() {
		return this.channels.stream().mapToLong((each) -> Math.max(0, each.subscriptions() - 1)).sum();
	}

	@Override
	public Duration subscriptionDownFor() {
		return Objects.requireNonNullElse(this.health.subscriptionDownFor(), Duration.ZERO);
	}

}
