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
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times what happens to locks. Tags are the declared name of a lock (never its
 * own, and {@code other} after the first 100), {@code fair} if the caller asked for that,
 * and the outcome. A meter with tags is there from its first use on. Thread-safe.
 */
public final class LockMetrics implements LockObserver {

	static final String PREFIX = "holdfast.lock.";

	private final MeterRegistry registry;

	private final LockNames names;

	private final ClientGauges clients;

	/**
	 * Create the metrics.
	 * @param registry where the meters are
	 * @param rule what locks are called for which callers do not say it
	 */
	public LockMetrics(MeterRegistry registry, LockNameRule rule) {
		this.registry = registry;
		this.names = new LockNames(rule);
		this.clients = ClientGauges.of(registry);
		// Now, so that an increase to one is seen as such.
		forced();
		deadlocks();
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
		return new Counted(Tags.of("name", this.names.of(name, declaredName), "fair", Boolean.toString(fair), "mode",
				LockNames.tag(mode.kind())));
	}

	@Override
	public void lost(LockLoss loss, Attempt attempt) {
		if (attempt instanceof Counted hold) {
			counter("lost", "Locks that were lost before they were released",
					hold.tags.and("cause", LockNames.tag(loss.cause())))
				.increment();
		}
	}

	@Override
	public void renewalFailed(String name, LockServerException reason) {
		counter("renewals.failed", "Renewals that failed and are tried again",
				Tags.of("reason", LockNames.tag(reason.reason())))
			.increment();
	}

	@Override
	public void forced(String name) {
		forced().increment();
	}

	@Override
	public void deadlocked(List<String> names) {
		deadlocks().increment();
	}

	@Override
	public void started(ClientState client) {
		this.clients.add(client);
	}

	@Override
	public void stopped(ClientState client) {
		this.clients.remove(client);
	}

	private Counter forced() {
		return counter("forced", "Locks that were released by force through this application", Tags.empty());
	}

	private Counter deadlocks() {
		return counter("deadlocks", "Cycles of threads that wait for each other", Tags.empty());
	}

	private Counter counter(String name, String description, Tags tags) {
		return Counter.builder(PREFIX + name).description(description).tags(tags).register(this.registry);
	}

	/**
	 * One attempt at a lock, and then a hold.
	 */
	private final class Counted implements Attempt {

		private final Tags tags;

		Counted(Tags tags) {
			this.tags = tags;
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			countAcquired(LockNames.tag(how));
			waited("acquired", waitedNanos);
		}

		@Override
		public void reentered() {
			countAcquired("reentrant");
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			waited(LockNames.tag(why), waitedNanos);
		}

		@Override
		public void released(Release how, long heldNanos) {
			counter("released", "Locks that were released", this.tags.and("how", LockNames.tag(how))).increment();
			time("usage", "How long owners had the lock until they released it", this.tags, heldNanos);
		}

		private void countAcquired(String how) {
			counter("acquired", "Locks that were acquired", this.tags.and("how", how)).increment();
		}

		private void waited(String outcome, long nanos) {
			time("wait", "How long callers waited for the lock", this.tags.and("outcome", outcome), nanos);
		}

		private void time(String name, String description, Tags tags, long nanos) {
			Timer.builder(PREFIX + name)
				.description(description)
				.tags(tags)
				.register(LockMetrics.this.registry)
				.record(nanos, TimeUnit.NANOSECONDS);
		}

	}

}
