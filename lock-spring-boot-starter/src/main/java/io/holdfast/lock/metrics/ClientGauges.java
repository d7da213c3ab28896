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

package io.holdfast.lock.metrics;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

import io.holdfast.lock.LockObserver.ClientState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;

/**
 * What all clients of a registry do at the moment. Several application contexts, at once
 * or one after another, may share a registry, which keeps the first gauge of a name and
 * ignores all others. So there is one of these for each registry, as long as that lives:
 * gauges refer to it weakly, and this class strongly. Thread-safe.
 */
final class ClientGauges {

	private static final Map<MeterRegistry, ClientGauges> PER_REGISTRY = Collections
		.synchronizedMap(new WeakHashMap<>());

	private final List<ClientState> clients = new CopyOnWriteArrayList<>();

	/**
	 * Those of clients that are closed. Guarded by the monitor, and changes together with
	 * the clients, so that the sum never falls.
	 */
	private long pastResubscriptions;

	private ClientGauges() {
	}

	static ClientGauges of(MeterRegistry registry) {
		ClientGauges gauges = PER_REGISTRY.computeIfAbsent(registry, (key) -> new ClientGauges());
		// Again, as the registry may have been cleared.
		gauges.register(registry);
		return gauges;
	}

	private void register(MeterRegistry registry) {
		gauge(registry, "held", "Locks that are held", ClientState::held);
		gauge(registry, "unsure", "Held locks of which owners are not sure, as Redis is silent", ClientState::unsure);
		gauge(registry, "waiting", "Callers that wait for a lock", ClientState::waiting);
		gauge(registry, "releases.pending", "Releases that Redis did not answer, or refused, and that are tried again",
				ClientState::pendingReleases);
		longest(registry, "renewal.lag", "How late the most overdue renewal is", ClientState::renewalLag);
		longest(registry, "subscription.down", "For how long no message has come through",
				ClientState::subscriptionDownFor);
		FunctionCounter.builder(LockMetrics.PREFIX + "resubscriptions", this, ClientGauges::resubscriptions)
			.description("How often a subscription to messages was made again")
			.register(registry);
	}

	private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<ClientState> value) {
		Gauge.builder(LockMetrics.PREFIX + name, this, (gauges) -> gauges.clients.stream().mapToDouble(value).sum())
			.description(description)
			.register(registry);
	}

	private void longest(MeterRegistry registry, String name, String description,
			Function<ClientState, Duration> time) {
		TimeGauge
			.builder(LockMetrics.PREFIX + name, this, TimeUnit.MILLISECONDS,
					(gauges) -> gauges.clients.stream().map(time).mapToLong(Duration::toMillis).max().orElse(0))
			.description(description)
			.register(registry);
	}

	private synchronized double resubscriptions() {
		return this.pastResubscriptions + this.clients.stream().mapToLong(ClientState::resubscriptions).sum();
	}

	void add(ClientState client) {
		this.clients.add(client);
	}

	synchronized void remove(ClientState client) {
		if (this.clients.remove(client)) {
			this.pastResubscriptions += client.resubscriptions();
		}
	}

}
