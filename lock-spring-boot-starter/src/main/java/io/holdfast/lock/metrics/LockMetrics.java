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

import java.util.List;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times what happens to locks. Tags are the declared name of a lock, never its
 * own, its type, and what came of it; after 100 declared names of a type all others are
 * {@code other}. Thread-safe.
 */
public final class LockMetrics implements LockObserver {

	static final String PREFIX = "holdfast.lock.";

	/**
	 * One map per type: creates meters only for combinations in use.
	 */
	private final PerConstant<LockType, DeclaredNames<LockMeters>> meters;

	private final PerConstant<Reason, Counter> renewalFailures;

	private final Counter forced;

	private final Counter deadlocks;

	private final ClientGauges clients;

	/**
	 * Create the metrics, and the meters that are not about a single lock.
	 * @param registry where the meters are
	 * @param rule what locks are called for which callers do not say it
	 */
	public LockMetrics(MeterRegistry registry, LockNameRule rule) {
		this.meters = new PerConstant<>(LockType.class,
				(type) -> new DeclaredNames<>(rule, (name) -> new LockMeters(registry, name, type)));
		this.renewalFailures = new PerConstant<>(Reason.class,
				(reason) -> Counter.builder(PREFIX + "renewals.failed")
					.description("Renewals that failed and are tried again")
					.tag("reason", LockKeyValues.tag(reason))
					.register(registry));
		this.forced = Counter.builder(PREFIX + "forced")
			.description("Locks that were released by force through this application")
			.register(registry);
		this.deadlocks = Counter.builder(PREFIX + "deadlocks")
			.description("Cycles of threads that wait for each other")
			.register(registry);
		this.clients = ClientGauges.of(registry);
	}

	private LockMeters meters(String lockName, @Nullable String declaredName, LockType type) {
		return this.meters.get(type).find(lockName, declaredName);
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		return meters(name, declaredName, type);
	}

	@Override
	public void renewalFailed(String name, LockServerException reason) {
		this.renewalFailures.get(reason.reason()).increment();
	}

	@Override
	public void forced(String name) {
		this.forced.increment();
	}

	@Override
	public void deadlocked(List<String> names) {
		this.deadlocks.increment();
	}

	@Override
	public void started(ClientState client) {
		this.clients.add(client);
	}

	@Override
	public void stopped(ClientState client) {
		this.clients.remove(client);
	}

}
