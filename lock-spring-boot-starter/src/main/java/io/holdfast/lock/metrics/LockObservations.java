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

import java.util.function.Function;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.metrics.LockObservationContext.Kind;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes an observation of each acquisition of a lock, and one of each hold, so that
 * traces show them as spans below the one that is current for the caller. They open no
 * scope: a hold may end on another thread. Nested acquisitions are none. Thread-safe.
 */
public final class LockObservations implements LockObserver {

	private final ObservationRegistry registry;

	private final DeclaredNames<String> names;

	private final LockAcquireObservationConvention defaultAcquireConvention;

	private final LockHoldObservationConvention defaultHoldConvention;

	private final @Nullable LockAcquireObservationConvention acquireConvention;

	private final @Nullable LockHoldObservationConvention holdConvention;

	/**
	 * Create the observations.
	 * @param registry where they are made
	 * @param rule what locks are called for which callers do not say it
	 * @param sanitizer what is shown of a lock's name by default
	 * @param acquireConvention replaces the default one, unless it is {@code null}
	 * @param holdConvention replaces the default one, unless it is {@code null}
	 */
	public LockObservations(ObservationRegistry registry, LockNameRule rule, LockNameSanitizer sanitizer,
			@Nullable LockAcquireObservationConvention acquireConvention,
			@Nullable LockHoldObservationConvention holdConvention) {
		this.registry = registry;
		this.names = new DeclaredNames<>(rule, Function.identity());
		this.defaultAcquireConvention = new DefaultLockAcquireObservationConvention(sanitizer);
		this.defaultHoldConvention = new DefaultLockHoldObservationConvention(sanitizer);
		this.acquireConvention = acquireConvention;
		this.holdConvention = holdConvention;
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		if (this.registry.isNoop()) {
			return Attempt.UNOBSERVED;
		}
		return new ObservedAttempt(name, this.names.find(name, declaredName), type);
	}

	private Observation acquire(LockObservationContext context) {
		return Observation.start(this.acquireConvention, this.defaultAcquireConvention, () -> context, this.registry);
	}

	private Observation hold(LockObservationContext context) {
		return Observation.start(this.holdConvention, this.defaultHoldConvention, () -> context, this.registry);
	}

	/**
	 * An acquisition, and then a hold. What it is told comes one after another.
	 */
	private final class ObservedAttempt implements Attempt {

		private volatile LockObservationContext context;

		private volatile Observation observation;

		ObservedAttempt(String lockName, String declaredName, LockType type) {
			this.context = new LockObservationContext(Kind.ACQUIRE, lockName, declaredName, type);
			this.observation = acquire(this.context);
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			stop(LockKeyValues.tag(how));
			this.context = new LockObservationContext(Kind.HOLD, this.context.getLockName(),
					this.context.getDeclaredName(), this.context.getType());
			this.observation = hold(this.context);
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			if (reason != null) {
				this.observation.error(reason);
			}
			stop(LockKeyValues.tag(why));
		}

		@Override
		public void released(Release how, long heldNanos) {
			stop(LockKeyValues.tag(how));
		}

		@Override
		public void lost(LockLoss loss) {
			stop("lost");
		}

		private void stop(String outcome) {
			this.context.end(outcome);
			this.observation.stop();
		}

	}

}
