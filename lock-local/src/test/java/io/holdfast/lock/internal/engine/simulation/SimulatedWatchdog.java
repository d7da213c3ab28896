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

package io.holdfast.lock.internal.engine.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.Look;
import io.holdfast.lock.internal.engine.PendingReleases;
import io.holdfast.lock.internal.engine.PendingReleases.Lane;
import io.holdfast.lock.internal.engine.PendingReleases.Pending;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.ReleaseCommand;

/**
 * Tells an engine that time passes, and sends what that demands. It mirrors
 * {@code Watchdog}, {@code RenewalSender} and {@code PendingReleaseSender}.
 */
final class SimulatedWatchdog {

	private static final long MIN_SLEEP = World.millis(5);

	private final SimulatedClient client;

	private final World world;

	private final Network network;

	private final LockEngine engine;

	private final PendingReleases pending;

	private final Deque<List<Look.Due>> renewals = new ArrayDeque<>();

	/**
	 * By key, how many renewals were due since the latest one of a hold was answered.
	 */
	private final Map<String, Integer> unanswered = new HashMap<>();

	private int renewing;

	/**
	 * Number of the latest sleep: only that one ends by itself.
	 */
	private long sleep;

	private boolean awake;

	private boolean stopped;

	SimulatedWatchdog(SimulatedClient client, World world, Network network, LockEngine engine,
			PendingReleases pending) {
		this.client = client;
		this.world = world;
		this.network = network;
		this.engine = engine;
		this.pending = pending;
	}

	void wake() {
		if (!this.awake) {
			this.awake = true;
			this.client.after(this.world.random(10_000, 200_000), this::look);
		}
	}

	void stop() {
		this.stopped = true;
	}

	int unansweredRenewals(String key) {
		return this.unanswered.getOrDefault(key, 0);
	}

	void look() {
		if (this.stopped) {
			return;
		}
		this.awake = false;
		Look look = this.engine.time().look();
		if (!look.renewals().isEmpty()) {
			this.renewals.add(List.copyOf(look.renewals()));
			look.renewals().forEach((each) -> this.unanswered.merge(each.key(), 1, Integer::sum));
			sendRenewals();
		}
		this.pending.takeDue(this.client.nanoTime()).forEach(this::send);
		long sleepNanos = Math.max(MIN_SLEEP, this.engine.time().nextLookNanos() - this.client.nanoTime());
		long current = ++this.sleep;
		this.client.after(sleepNanos + this.world.random(0, 100_000), () -> {
			if (this.sleep == current) {
				look();
			}
		});
	}

	private void sendRenewals() {
		while (this.renewing < LockServer.RENEWAL_THREADS && !this.renewals.isEmpty()) {
			List<Look.Due> batch = this.renewals.remove();
			this.renewing++;
			this.network.send(this.client, "renews " + batch.stream().map(Look.Due::renewal).toList(),
					Network.LONGEST_RENEWAL,
					() -> this.client.server().renew(batch.stream().map(Look.Due::renewal).toList()),
					(replies, failure) -> {
						this.renewing--;
						for (int i = 0; i < batch.size(); i++) {
							if (replies != null) {
								this.engine.time().renewed(batch.get(i), replies.get(i));
								if (replies.get(i).holds()) {
									this.unanswered.remove(batch.get(i).key());
								}
							}
							else {
								this.engine.time().renewalFailed(batch.get(i), Objects.requireNonNull(failure));
							}
						}
						sendRenewals();
					});
		}
	}

	private void send(Lane lane) {
		List<Pending> batch = this.pending.next(lane, 1);
		if (batch.isEmpty()) {
			this.pending.rest(lane);
			return;
		}
		Pending next = batch.get(0);
		this.network.send(this.client, "releases " + next.id() + " later", Network.LONGEST_REQUEST,
				() -> this.client.server().release(next.key(), ReleaseCommand.of(next.id())), (reply, failure) -> {
					if (failure == null || failure.reason() == Reason.REFUSED) {
						this.pending.answered(lane, next);
					}
					else {
						this.pending.unanswered(lane, next);
					}
					send(lane);
				});
	}

	/**
	 * Sends what is pending, due or not.
	 */
	void sendAll() {
		this.pending.takeAll().forEach(this::send);
	}

}
