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
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.micrometer.common.KeyValues;
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

	private final LockNames names;

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
		this.names = new LockNames(rule);
		this.sanitizer = sanitizer;
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
		if (this.registry.isNoop()) {
			return Attempt.UNOBSERVED;
		}
		String shownName = this.names.of(name, declaredName);
		KeyValues tags = KeyValues.of("lock.name", shownName, "lock.fair", Boolean.toString(fair), "lock.mode",
				LockNames.tag(mode.kind()), OUTCOME, "none");
		String key = this.sanitizer.apply(name);
		// What comes later may be told by another thread.
		Observation parent = this.registry.getCurrentObservation();
		return new ObservedAttempt((what) -> Observation.createNotStarted("holdfast.lock." + what, this.registry)
			.parentObservation(parent)
			.contextualName("lock " + what + " " + shownName)
			.lowCardinalityKeyValues(tags)
			.highCardinalityKeyValue("lock.key", key)
			.start());
	}

	/**
	 * What a trace may show of a failure: its message has names of locks, and so may have
	 * its cause.
	 */
	private static Throwable shown(LockServerException failure) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
		return new LockServerException("", failure.reason(),
				failure.reason() + " (" + root.getClass().getSimpleName() + ")", null);
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
	private static final class ObservedAttempt implements Attempt {

		private final Function<String, Observation> start;

		private volatile Observation observation;

		ObservedAttempt(Function<String, Observation> start) {
			this.start = start;
			this.observation = start.apply("acquire");
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			try {
				stop(LockNames.tag(how));
			}
			finally {
				this.observation = this.start.apply("hold");
			}
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			try {
				if (reason != null) {
					this.observation.error(shown(reason));
				}
			}
			finally {
				stop(LockNames.tag(why));
			}
		}

		@Override
		public void released(Release how, long heldNanos) {
			stop(LockNames.tag(how));
		}

		private void stop(String outcome) {
			Observation current = this.observation;
			this.observation = Observation.NOOP;
			current.lowCardinalityKeyValue(OUTCOME, outcome).stop();
		}

	}

}
