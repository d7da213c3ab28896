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

import java.util.concurrent.CompletionStage;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.annotation.OnContention;
import org.junit.jupiter.api.Test;

/** Times and fallbacks that stop an application at start-up. */
class InvalidAttributeTests {

	private static final String TIME = "Use a duration such as 500ms or 5s, or leave it out.";

	private static final String OPTION = "Correct the attribute, or leave it out: then what is set in holdfast.lock.* holds.";

	private static final String PERMITS = "Set one of them: permits = 5, or permitsString = \"${mails.limit}\".";

	private static final String LIMIT = "Use a whole number of at least 1, or a placeholder for one: ${property:5}.";

	private static final String ONE_NAME = "Different @AliasFor mirror values for annotation";

	@Test
	void mistakesAreRefused() {
		StartUpFailures.assertRefuses(Mistakes.class);
	}

	public interface Mistakes {

		@Refused(value = ONE_NAME, action = "Keep one of name and value.")
		@DistributedReadLock(value = "a", name = "b")
		void twoNamesOfReadLock();

		@Refused(value = "permits and permitsString are not set.", action = PERMITS)
		@DistributedLimit(name = "x")
		void noPermits();

		@Refused(value = "permits and permitsString are both set.", action = PERMITS)
		@DistributedLimit(name = "x", permits = 5, permitsString = "5")
		void twoPermits();

		@Refused(value = "permits 0 is not valid: ", action = LIMIT)
		@DistributedLimit(name = "x", permits = 0)
		void zeroPermits();

		@Refused(value = "permitsString \"some\" is not valid: For input string", action = LIMIT)
		@DistributedLimit(name = "x", permitsString = "some")
		void badPermits();

		@Refused(
				value = "permitsString \"${shop.limit}\" cannot be resolved: Could not resolve placeholder 'shop.limit'",
				action = "Define the property, or give a default: ${property:default}.")
		@DistributedLimit(name = "x", permitsString = "${shop.limit}")
		void unresolvedPermits();

		@Refused(value = "mode is PERMITS, and nothing says how many.", action = "Use @DistributedLimit(permits = 5).")
		@DistributedLock(name = "x", mode = LockMode.Kind.PERMITS)
		void permitsOfLock();

		@Refused(value = "onContention is SKIP, and a call that was skipped has no int to return.",
				action = "Return an Optional or an object that may be null (in Kotlin \"?\"), or use THROW or a fallbackMethod.")
		@DistributedLock(name = "x", onContention = OnContention.SKIP)
		int skippedPrimitive();

		@Refused(value = "fallbackMethod is set, but onContention is SKIP, so it is never called.",
				action = "Keep one of them.")
		@DistributedLock(name = "x", onContention = OnContention.SKIP, fallbackMethod = "later")
		void uselessFallback();

		@Refused(value = "fallbackMethod \"missing\" does not exist, or does not fit.",
				action = "It must be one method of io.holdfast.lock.interceptor.InvalidAttributeTests$Mistakes with the "
						+ "same parameters, with or without one more for an exception that the lock can throw "
						+ "(LockException, a subclass or a superclass of it), or with that one alone, and return String.")
		@DistributedLock(name = "x", fallbackMethod = "missing")
		String missingFallback(Long id);

		@Refused(value = ONE_NAME, action = "Keep one of name and value.")
		@DistributedLock(value = "a", name = "b")
		void twoNames();

		@Refused(
				value = "fallbackMethod \"two\" is ambiguous: [{type}.two(LockNotAcquiredException), {type}.two(Long)].",
				action = "and return String.")
		@DistributedLock(name = "x", fallbackMethod = "two")
		String twoFallbacks(Long id);

		String two(Long id);

		String two(LockNotAcquiredException ex);

		@Refused(value = "fallbackMethod \"unfit\" does not exist, or does not fit.", action = "and return String.")
		@DistributedLock(name = "x", fallbackMethod = "unfit")
		String unfitFallback(Long id);

		String unfit(String id);

		@Refused(value = "fallbackMethod \"otherType\" does not exist, or does not fit.", action = "and return String.")
		@DistributedLock(name = "x", fallbackMethod = "otherType")
		String fallbackOfOtherType(Long id);

		Object otherType(Long id);

		@Refused(value = "fallbackMethod \"otherException\" does not exist, or does not fit.",
				action = "and return String.")
		@DistributedLock(name = "x", fallbackMethod = "otherException")
		String fallbackOfOtherException(Long id);

		String otherException(Long id, IllegalStateException ex);

		@Refused(value = "Wait time must not be negative: -1ms.", action = OPTION)
		@DistributedLock(name = "x", waitTime = -1)
		void negativeWait();

		@Refused(value = "Lease time must be between 10ms and 366d", action = OPTION)
		@DistributedLock(name = "x", leaseTime = 1)
		void shortLease();

		@Refused(value = "waitTimeString \"soon\" is not valid: ", action = TIME)
		@DistributedLock(name = "x", waitTimeString = "soon")
		void badWait();

		@Refused(value = "leaseTimeString \"-5s\" is not valid: '-5s' is negative.", action = TIME)
		@DistributedLock(name = "x", leaseTimeString = "-5s")
		void negativeLeaseString();

		@Refused(value = "waitTimeString \"5\" is not valid: '5' has no unit. Write 5s or 5ms.", action = TIME)
		@DistributedLock(name = "x", waitTimeString = "5")
		void waitWithoutUnit();

		@Refused(value = "leaseTimeString \"${shop.lease:30}\" is not valid: '30' has no unit.", action = TIME)
		@DistributedLock(name = "x", leaseTimeString = "${shop.lease:30}")
		void leaseWithoutUnit();

		@Refused(
				value = "waitTimeString \"${shop.wait}\" cannot be resolved: Could not resolve placeholder 'shop.wait'",
				action = "Define the property, or give a default: ${property:default}.")
		@DistributedLock(name = "x", waitTimeString = "${shop.wait}")
		void unresolvedWait();

		@Refused(value = "waitTime and waitTimeString are both set.", action = "Keep one of them.")
		@DistributedLock(name = "x", waitTime = 5, waitTimeString = "5s")
		void twoWaits();

		@Refused(value = "holdAtLeast is not between 1ms and 366d.",
				action = "Leave it out to release the lock when the method is done.")
		@DistributedLock(name = "x", holdAtLeast = "forever")
		void endlessHold();

		@Refused(value = "holdAtLeast is not between 1ms and 366d.",
				action = "Leave it out to release the lock when the method is done.")
		@DistributedLock(name = "x", holdAtLeast = "0s")
		void heldAtLeastForNoTime();

		@Refused(value = "holdAtLeast \"-1s\" is not valid: '-1s' is negative.", action = TIME)
		@DistributedLock(name = "x", holdAtLeast = "-1s")
		void negativeHold();

		@Refused(value = "holdAtLeast \"${shop.hold:}\" is not valid: ", action = TIME)
		@DistributedLock(name = "x", holdAtLeast = "${shop.hold:}")
		void holdThatIsEmpty();

		@Refused(value = "holdAtLeast is set beside leaseTime or maxHold.",
				action = "Leave the other out: the watchdog renews a lock that is held at least for a time.")
		@DistributedLock(name = "x", holdAtLeast = "5s", maxHold = "5m")
		void heldAtLeastAndAtMost();

		@Refused(value = "Max hold must be between 10ms and 366d, or without end: 0s.", action = OPTION)
		@DistributedLock(name = "x", maxHold = "0s")
		void neverHeld();

		@Refused(value = "Max waiters must be between 0 and 10000: -1.", action = OPTION)
		@DistributedReadLock(name = "x", maxWaiters = -1)
		void negativeWaiters();

		@Refused(value = "holdAtLeast is set beside leaseTime or maxHold.",
				action = "Leave the other out: the watchdog renews a lock that is held at least for a time.")
		@DistributedLock(name = "x", holdAtLeast = "1m", leaseTimeString = "30s")
		void holdAndLease();

		@Refused(value = "holdAtLeast is set, and the result comes later.",
				action = "Leave it out, or return when the work is done.")
		@DistributedLock(name = "x", holdAtLeast = "1m")
		CompletionStage<String> holdOfStage();

	}

}
