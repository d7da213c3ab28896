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

import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockObserver.Attempt;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLocks;
import io.holdfast.lock.testing.TestThreads;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a trace shows of locks. */
class LockObservationsTests {

	private static final LockOptions ORDER = LockOptions.defaults().named("order");

	private final ObservationRegistry registry = ObservationRegistry.create();

	private final Queue<String> stopped = new ConcurrentLinkedQueue<>();

	private final Queue<Observation.Context> contexts = new ConcurrentLinkedQueue<>();

	private final LocalLocks locks = new LocalLocks();

	private final LocalLockClient client = LocalLockClient.builder()
		.locks(this.locks)
		.observer(new LockObservations(this.registry, LockNameRule.NONE, (lockName) -> "***"))
		.build();

	private final LocalLockClient other = LocalLockClient.builder().locks(this.locks).build();

	@BeforeEach
	void observe() {
		this.registry.observationConfig().observationHandler(new Recorder());
	}

	@AfterEach
	void close() {
		this.client.close();
		this.other.close();
	}

	@Test
	void acquisitionAndHold() throws Exception {
		this.client.acquire("order:4711", ORDER).close();

		assertThat(this.stopped).containsExactly(
				"holdfast.lock.acquire [lock.fair=false, lock.mode=exclusive, lock.name=order, lock.outcome=first_attempt] [lock.key=***]",
				"holdfast.lock.hold [lock.fair=false, lock.mode=exclusive, lock.name=order, lock.outcome=returned] [lock.key=***]");
		assertThat(this.contexts).extracting(Observation.Context::getContextualName)
			.containsExactly("lock acquire order", "lock hold order");
	}

	@Test
	void bothAreBelowTheObservationOfTheCaller() {
		Observation caller = Observation.createNotStarted("caller", this.registry);

		caller.observe(() -> {
			LeaseLock lock = this.client.getLock("a");
			lock.lock();
			assertThat(this.registry.getCurrentObservation()).as("no scope is left open").isSameAs(caller);
			lock.unlock();
		});

		assertThat(this.contexts).filteredOn((context) -> context.getName().startsWith("holdfast"))
			.hasSize(2)
			.allSatisfy((context) -> assertThat(context.getParentObservation()).isSameAs(caller));
	}

	@Test
	void bothAreBelowTheObservationOfWhoAcquiredAsynchronously() {
		Observation caller = Observation.createNotStarted("caller", this.registry);
		CompletableFuture<Lease> acquired = new CompletableFuture<>();

		caller.observe(() -> this.client.acquireAsync("a", ORDER).thenAccept(acquired::complete));
		acquired.join().close();

		assertThat(this.contexts).filteredOn((context) -> context.getName().startsWith("holdfast"))
			.hasSize(2)
			.allSatisfy((context) -> assertThat(context.getParentObservation()).isSameAs(caller));
	}

	@Test
	void nestedAcquisitionIsNone() {
		LeaseLock lock = this.client.getLock("a");

		lock.lock();
		lock.lock();
		lock.unlock();
		lock.unlock();

		assertThat(this.stopped).hasSize(2);
	}

	@Test
	void refusalAndTimeOut() throws Exception {
		try (Lease held = this.other.acquire("a", LockOptions.defaults())) {
			assertThat(this.client.tryAcquire("a", ORDER.waitTime(Duration.ZERO))).isEmpty();
			assertThat(this.client.tryAcquire("a", ORDER.waitTime(Duration.ofMillis(20)))).isEmpty();
			assertThat(held.isValid()).isTrue();
		}

		assertThat(this.stopped).hasSize(2)
			.first()
			.asString()
			.startsWith("holdfast.lock.acquire")
			.contains("lock.outcome=refused");
		assertThat(this.stopped).last().asString().contains("lock.outcome=timed_out");
	}

	@Test
	void lossEndsTheHold() throws Exception {
		Lease lease = this.client.acquire("a", ORDER);

		this.other.directory().forceUnlock("a");

		Awaitility.await().atMost(TestThreads.LONG).until(() -> this.stopped.size() == 2);
		assertThat(this.stopped).last().asString().startsWith("holdfast.lock.hold").contains("lock.outcome=lost");
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void failureOfTheServerIsAnErrorThatDoesNotShowWhatIsMasked() {
		LockServerException reason = new LockServerException("order:bob", Reason.UNREACHABLE,
				"Lock 'order:bob': no connection", new IOException("order:bob"));

		fail((lockName) -> "***", reason);
		fail((lockName) -> lockName.equals("order:1") ? lockName : "***", reason);

		assertThat(this.contexts).hasSize(2).allSatisfy((context) -> {
			assertThat(context.getError()).isInstanceOf(LockServerException.class)
				.hasMessage("UNREACHABLE (IOException)")
				.hasNoCause();
			assertThat(((LockServerException) context.getError()).lockName()).isEmpty();
		});
	}

	private void fail(UnaryOperator<String> sanitizer, LockServerException reason) {
		new LockObservations(this.registry, LockNameRule.NONE, sanitizer)
			.wanted("order:1", null, false, LockMode.EXCLUSIVE)
			.failed(LockObserver.Failure.SERVER, 1, reason);
	}

	@Test
	void nothingIsObservedIfNobodyCanSayWhatIsShown() {
		hold(new LockObservations(this.registry, LockNameRule.NONE, (lockName) -> {
			throw new IllegalStateException("thrown on purpose");
		}));

		assertThat(this.contexts).isEmpty();
	}

	@Test
	void eachIsStoppedOnceIfAHandlerThrows() {
		ObservationRegistry failing = ObservationRegistry.create();
		// They are told of an end in the reverse order.
		failing.observationConfig().observationHandler(new FailsOnce()).observationHandler(new Recorder());

		hold(new LockObservations(failing, LockNameRule.NONE, (lockName) -> lockName));

		assertThat(this.contexts).extracting(Observation.Context::getName)
			.containsExactly("holdfast.lock.acquire", "holdfast.lock.hold");
	}

	@Test
	void acquisitionIsStoppedOnceIfTheHoldCannotBeStarted() {
		this.registry.observationConfig().observationHandler(new FailsAtHolds());

		hold(new LockObservations(this.registry, LockNameRule.NONE, (lockName) -> lockName));

		assertThat(this.contexts).extracting(Observation.Context::getName).containsExactly("holdfast.lock.acquire");
	}

	private static void hold(LockObservations observations) {
		try (LocalLockClient observed = LocalLockClient.builder().observer(observations).build()) {
			LeaseLock lock = observed.getLock("a");
			lock.lock();
			lock.unlock();
		}
	}

	@Test
	void nothingIsDoneIfNobodyListens() {
		LockObservations unheard = new LockObservations(ObservationRegistry.create(), LockNameRule.NONE,
				(lockName) -> "***");

		assertThat(unheard.wanted("a", null, false, LockMode.EXCLUSIVE)).isSameAs(Attempt.UNOBSERVED);
	}

	private abstract static class Handler implements ObservationHandler<Observation.Context> {

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	private static final class FailsOnce extends Handler {

		private boolean failed;

		@Override
		public void onStop(Observation.Context context) {
			if (!this.failed) {
				this.failed = true;
				throw new IllegalStateException("thrown on purpose");
			}
		}

	}

	private static final class FailsAtHolds extends Handler {

		@Override
		public void onStart(Observation.Context context) {
			if (context.getName().equals("holdfast.lock.hold")) {
				throw new IllegalStateException("thrown on purpose");
			}
		}

	}

	private final class Recorder extends Handler {

		@Override
		public void onStop(Observation.Context context) {
			LockObservationsTests.this.contexts.add(context);
			LockObservationsTests.this.stopped.add(context.getName() + " " + text(context.getLowCardinalityKeyValues())
					+ " " + text(context.getHighCardinalityKeyValues()));
		}

		private static String text(KeyValues values) {
			return values.stream().map((each) -> each.getKey() + "=" + each.getValue()).toList().toString();
		}

	}

}
