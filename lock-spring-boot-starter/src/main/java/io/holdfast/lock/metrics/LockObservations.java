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

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.metrics.LockObservationContext.Kind;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Makes an observation of each acquisition of a lock, and one of each hold, so that
 * traces show them as spans below the one that is current for the caller. They open no
 * scope: a hold may end on another thread. Nested acquisitions are none. Thread-safe.
 */
public final class LockObservations implements LockObserver {

	private final ObservationRegistry registry;

	private final LockNameRule rule;

	private final LockNameSanitizer sanitizer;

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
		this.rule = rule;
		this.sanitizer = sanitizer;
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
		return new ObservedAttempt(name, LockKeyValues.name(this.rule, name, declaredName), type);
	}

	private Observation acquire(LockObservationContext context) {
		return Observation.start(this.acquireConvention, this.defaultAcquireConvention, () -> context, this.registry);
	}

	private Observation hold(LockObservationContext context) {
		return Observation.start(this.holdConvention, this.defaultHoldConvention, () -> context, this.registry);
	}

	/**
	 * What a trace may show of a failure. Its message has names of locks, and so may have
	 * its cause.
	 */
	private Throwable shown(LockServerException failure, String lockName) {
		if (isShown(lockName) && isShown(failure.lockName())) {
			return failure;
		}
		Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
		return new LockServerException("", failure.reason(),
				failure.reason() + " (" + root.getClass().getSimpleName() + ")", null);
	}

	private boolean isShown(String lockName) {
		return LockKeyValues.shown(lockName, this.sanitizer).equals(lockName);
	}

	/**
	 * An acquisition, and then a hold. What it is told comes one after another. Each of
	 * the two is stopped once, also if a handler or a convention throws: nothing is left
	 * to stop while one of them is at work.
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
			LockObservationContext hold = new LockObservationContext(Kind.HOLD, this.context.getLockName(),
					this.context.getDeclaredName(), this.context.getType());
			try {
				stop(LockKeyValues.tag(how));
			}
			finally {
				this.context = hold;
				this.observation = hold(hold);
			}
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			try {
				if (reason != null) {
					this.observation.error(shown(reason, this.context.getLockName()));
				}
			}
			finally {
				stop(LockKeyValues.tag(why));
			}
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
			Observation current = this.observation;
			this.observation = Observation.NOOP;
			this.context.end(outcome);
			current.stop();
		}

	}

}
