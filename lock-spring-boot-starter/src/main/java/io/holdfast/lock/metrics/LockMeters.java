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

import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one declared name and type. Follows all attempts at such locks, so it has
 * no state of any of them. All meters are there from the first attempt on, as an increase
 * misses a counter that begins with one.
 */
final class LockMeters implements LockObserver.Attempt {

	private final MeterRegistry registry;

	private final Tags tags;

	private final Timer acquiredWait;

	private final PerConstant<LockObserver.Failure, Timer> failed;

	private final Timer usage;

	private final PerConstant<LockObserver.Acquisition, Counter> acquired;

	private final Counter reentered;

	private final PerConstant<LockObserver.Release, Counter> released;

	private final PerConstant<LockLoss.Cause, Counter> lost;

	LockMeters(MeterRegistry registry, String name, LockType type) {
		this.registry = registry;
		this.tags = Tags.of("name", name, "type", LockKeyValues.tag(type));
		this.acquiredWait = waitTimer("acquired");
		this.failed = new PerConstant<>(LockObserver.Failure.class, (why) -> waitTimer(LockKeyValues.tag(why)));
		this.usage = timer("usage", "How long owners had the lock until they released it");
		this.acquired = new PerConstant<>(LockObserver.Acquisition.class,
				(how) -> acquiredCounter(LockKeyValues.tag(how)));
		this.reentered = acquiredCounter("reentrant");
		this.released = new PerConstant<>(LockObserver.Release.class,
				(how) -> counter("released", "Locks that were released", "how", LockKeyValues.tag(how)));
		this.lost = new PerConstant<>(LockLoss.Cause.class, (cause) -> counter("lost",
				"Locks that were lost before they were released", "cause", LockKeyValues.tag(cause)));
	}

	private Timer waitTimer(String outcome) {
		return timer("wait", "How long callers waited for the lock", "outcome", outcome);
	}

	private Timer timer(String name, String description, String... more) {
		return Timer.builder(LockMetrics.PREFIX + name)
			.description(description)
			.tags(this.tags.and(more))
			.register(this.registry);
	}

	private Counter acquiredCounter(String how) {
		return counter("acquired", "Locks that were acquired", "how", how);
	}

	private Counter counter(String name, String description, String... more) {
		return Counter.builder(LockMetrics.PREFIX + name)
			.description(description)
			.tags(this.tags.and(more))
			.register(this.registry);
	}

	@Override
	public void acquired(LockObserver.Acquisition how, long waitedNanos) {
		this.acquired.get(how).increment();
		this.acquiredWait.record(waitedNanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void reentered() {
		this.reentered.increment();
	}

	@Override
	public void failed(LockObserver.Failure why, long waitedNanos, @Nullable LockServerException reason) {
		this.failed.get(why).record(waitedNanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void released(LockObserver.Release how, long heldNanos) {
		this.released.get(how).increment();
		this.usage.record(heldNanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void lost(LockLoss loss) {
		this.lost.get(loss.cause()).increment();
	}

}
