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

import java.util.function.UnaryOperator;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
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

	private static final String OUTCOME = "lock.outcome";

	private final ObservationRegistry registry;

	private final LockNameRule rule;

	private final UnaryOperator<String> sanitizer;

	/**
	 * Create the observations.
	 * @param registry where they are made
	 * @param rule what locks are called for which callers do not say it
	 * @param sanitizer returns what is shown of a lock's name. It is asked on the threads
	 * of callers, so it must be quick; if it throws, there is no observation
	 */
	public LockObservations(ObservationRegistry registry, LockNameRule rule, UnaryOperator<String> sanitizer) {
		this.registry = registry;
		this.rule = rule;
		this.sanitizer = sanitizer;
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
		if (this.registry.isNoop()) {
			return Attempt.UNOBSERVED;
		}
		return new ObservedAttempt(name, LockKeyValues.name(this.rule, name, declaredName), fair, mode);
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
		return this.sanitizer.apply(lockName).equals(lockName);
	}

	@Override
	public void lost(LockLoss loss, Attempt attempt) {
		if (attempt instanceof ObservedAttempt hold) {
			hold.stop("lost");
		}
	}

	/**
	 * An acquisition, and then a hold. What it is told comes one after another. Each of
	 * the two is stopped once, also if a handler throws: nothing is left to stop while
	 * one of them is at work.
	 */
	private final class ObservedAttempt implements Attempt {

		private final String lockName;

		private final String declaredName;

		private final boolean fair;

		private final LockMode mode;

		private volatile Observation observation;

		ObservedAttempt(String lockName, String declaredName, boolean fair, LockMode mode) {
			this.lockName = lockName;
			this.declaredName = declaredName;
			this.fair = fair;
			this.mode = mode;
			this.observation = start("acquire");
		}

		private Observation start(String what) {
			return Observation.createNotStarted("holdfast.lock." + what, LockObservations.this.registry)
				.contextualName("lock " + what + " " + this.declaredName)
				.lowCardinalityKeyValue("lock.name", this.declaredName)
				.lowCardinalityKeyValue("lock.fair", Boolean.toString(this.fair))
				.lowCardinalityKeyValue("lock.mode", LockKeyValues.tag(this.mode.kind()))
				.lowCardinalityKeyValue(OUTCOME, "none")
				.highCardinalityKeyValue("lock.key", LockObservations.this.sanitizer.apply(this.lockName))
				.start();
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			try {
				stop(LockKeyValues.tag(how));
			}
			finally {
				this.observation = start("hold");
			}
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			try {
				if (reason != null) {
					this.observation.error(shown(reason, this.lockName));
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

		private void stop(String outcome) {
			Observation current = this.observation;
			this.observation = Observation.NOOP;
			current.lowCardinalityKeyValue(OUTCOME, outcome).stop();
		}

	}

}
