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

package io.holdfast.lock.interceptor;

import java.util.stream.Stream;

import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Times and fallbacks that stop an application at start-up. */
class InvalidAttributeTests {

	private static final String TIMES = "Use a duration such as 500ms or 5s, a number in the annotation's timeUnit, ";

	private static final String WAIT = TIMES
			+ "or forever (Long.MAX_VALUE). Without waitTime, holdfast.lock.wait-time is used.";

	private static final String LEASE = TIMES
			+ "or watchdog (-1). Without leaseTime, holdfast.lock.lease-time is used.";

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void invalidMethodStopsApplication(Class<?> type, String method, String description, String action) {
		StartUpFailures.assertInvalid(type, method, description, action);
	}

	static Stream<Arguments> invalidMethodStopsApplication() {
		return Stream.of(Arguments.of(SkippedPrimitive.class, "run()",
				"onContention is SKIP, and a call that was skipped has no int to return.",
				"Return an Optional or an object that may be null (@Nullable, in Kotlin \"?\"), or use THROW or FALLBACK."),
				Arguments.of(NoFallback.class, "run()", "onContention is FALLBACK, and fallbackMethod is not set.",
						"Set fallbackMethod to the name of a method of the same class."),
				Arguments.of(UselessFallback.class, "run()",
						"fallbackMethod is set, but onContention is SKIP, so it is never called.", "Keep one of them."),
				Arguments.of(MissingFallback.class, "run(Long)", "fallbackMethod \"other\" does not exist.",
						"It must be one method of " + MissingFallback.class.getName()
								+ " with the same parameters, with or without one more for an exception that the lock can "
								+ "throw (LockException, a subclass or a superclass of it), or with that one alone, and "
								+ "return String."),
				Arguments.of(TwoNames.class, "run()", "Different @AliasFor mirror values for annotation",
						"Keep one of name and value."),
				Arguments.of(TwoFallbacks.class, "run(Long)",
						"fallbackMethod \"other\" is ambiguous: [" + TwoFallbacks.class.getName()
								+ ".other(LockNotAcquiredException), " + TwoFallbacks.class.getName()
								+ ".other(Long)].",
						"and return String."),
				Arguments.of(UnfitFallback.class, "run(Long)",
						"fallbackMethod \"other\" does not fit: [" + UnfitFallback.class.getName() + ".other(String)].",
						"and return String."),
				Arguments.of(FallbackOfOtherType.class, "run(Long)", "fallbackMethod \"other\" does not fit: ",
						"and return String."),
				Arguments.of(FallbackOfOtherException.class, "run(Long)", "fallbackMethod \"other\" does not fit: ",
						"and return String."),
				Arguments.of(NegativeWait.class, "run()",
						"waitTime \"-1\" is not valid: Wait time must not be negative: -1ms.", WAIT),
				Arguments.of(ShortLease.class, "run()",
						"leaseTime \"1\" is not valid: Lease time must be between 10ms and 366d", LEASE),
				Arguments.of(BadWait.class, "run()", "waitTimeString \"soon\" is not valid: ", WAIT),
				Arguments.of(NegativeLeaseString.class, "run()",
						"leaseTimeString \"-5s\" is not valid: Lease time must be between", LEASE),
				Arguments.of(UnresolvedWait.class, "run()",
						"waitTimeString \"${shop.wait}\" cannot be resolved: Could not resolve placeholder 'shop.wait'",
						"Define the property, or give a default: ${property:5s}."),
				Arguments.of(TwoWaits.class, "run()", "waitTime and waitTimeString are both set.",
						"Keep one of them."));
	}

	public static class SkippedPrimitive {

		@DistributedLock(name = "x", onContention = OnContention.SKIP)
		public int run() {
			return 0;
		}

	}

	public static class NoFallback {

		@DistributedLock(name = "x", onContention = OnContention.FALLBACK)
		public void run() {
		}

	}

	public static class UselessFallback {

		@DistributedLock(name = "x", onContention = OnContention.SKIP, fallbackMethod = "run")
		public void run() {
		}

	}

	public static class MissingFallback {

		@DistributedLock(name = "x", onContention = OnContention.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

	}

	public static class TwoNames {

		@DistributedLock(value = "a", name = "b")
		public void run() {
		}

	}

	public static class TwoFallbacks {

		@DistributedLock(name = "x", onContention = OnContention.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		String other(Long id) {
			return "";
		}

		String other(LockNotAcquiredException ex) {
			return "";
		}

	}

	public static class UnfitFallback extends MissingFallback {

		@Override
		@DistributedLock(name = "x", onContention = OnContention.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		String other(String id) {
			return "";
		}

	}

	public static class FallbackOfOtherType {

		@DistributedLock(name = "x", onContention = OnContention.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		Object other(Long id) {
			return "";
		}

	}

	public static class FallbackOfOtherException {

		@DistributedLock(name = "x", onContention = OnContention.FALLBACK, fallbackMethod = "other")
		public String run(Long id) {
			return "";
		}

		String other(Long id, IllegalStateException ex) {
			return "";
		}

	}

	public static class NegativeWait {

		@DistributedLock(name = "x", waitTime = -1)
		public void run() {
		}

	}

	public static class ShortLease {

		@DistributedLock(name = "x", leaseTime = 1)
		public void run() {
		}

	}

	public static class BadWait {

		@DistributedLock(name = "x", waitTimeString = "soon")
		public void run() {
		}

	}

	public static class NegativeLeaseString {

		@DistributedLock(name = "x", leaseTimeString = "-5s")
		public void run() {
		}

	}

	public static class UnresolvedWait {

		@DistributedLock(name = "x", waitTimeString = "${shop.wait}")
		public void run() {
		}

	}

	public static class TwoWaits {

		@DistributedLock(name = "x", waitTime = 5, waitTimeString = "5s")
		public void run() {
		}

	}

}
