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

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockObserver.Attempt;
import io.holdfast.lock.LockObserver.ClientState;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLocks;
import io.holdfast.lock.testing.TestThreads;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Each meter moves when what it counts happens, and there are few of them. */
class LockMetricsTests {

	private static final LockOptions ORDER = LockOptions.defaults().named("order");

	private final TestThreads threads = new TestThreads();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final LockMetrics metrics = new LockMetrics(this.registry,
			(lockName) -> lockName.startsWith("customer:") ? "customer" : null);

	private final LocalLocks locks = new LocalLocks();

	private final LocalLockClient client = LocalLockClient.builder().locks(this.locks).observer(this.metrics).build();

	private final LocalLockClient other = LocalLockClient.builder().locks(this.locks).build();

	@AfterEach
	void close() throws Exception {
		this.threads.close();
		this.client.close();
		this.other.close();
	}

	@Test
	void keysMakeNoMeters() throws Exception {
		use("order:0", "customer:0", "else:0");
		int before = this.registry.getMeters().size();

		for (int i = 0; i < 1000; i++) {
			use("order:" + i, "customer:" + i, "else:" + i);
		}

		assertThat(this.registry.getMeters()).hasSize(before);
		assertThat(count("acquired", "name", "order")).isEqualTo(1001);
		assertThat(count("acquired", "name", "customer")).isEqualTo(1001);
		assertThat(count("acquired", "name", "unnamed")).isEqualTo(1001);
	}

	private void use(String order, String customer, String unnamed) throws Exception {
		this.client.acquire(order, ORDER).close();
		this.client.acquire(customer, LockOptions.defaults()).close();
		this.client.acquire(unnamed, LockOptions.defaults()).close();
	}

	@Test
	void namesThatAreTooManyAreOne() throws Exception {
		try (LogCapture log = LogCapture.of(LockNames.class.getName(), Level.WARN)) {
			for (int i = 0; i < 1000; i++) {
				this.client.acquire("a", LockOptions.defaults().named("order-" + i)).close();
			}

			assertThat(log.lines()).singleElement().asString().contains("100 declared names", "'order-100'", "'other'");
		}
		assertThat(count("acquired", "name", "order-99")).isOne();
		assertThat(count("acquired", "name", "other")).isEqualTo(900);
		assertThat(this.registry.find("holdfast.lock.acquired").tag("name", "order-100").counters()).isEmpty();
	}

	@Test
	void metersAppearAtTheirFirstUse() throws Exception {
		this.client.acquire("order:1", ORDER).close();

		assertThat(this.registry.getMeters()).filteredOn((meter) -> meter.getId().getTag("name") != null)
			.extracting((meter) -> meter.getId().getName())
			.containsExactlyInAnyOrder("holdfast.lock.acquired", "holdfast.lock.wait", "holdfast.lock.released",
					"holdfast.lock.usage");
	}

	@Test
	void uncontendedLock() throws Exception {
		this.client.acquire("order:1", ORDER.fair(true)).close();

		assertThat(count("acquired", "name", "order", "fair", "true", "how", "first_attempt")).isOne();
		assertThat(count("released", "name", "order", "fair", "true", "how", "returned")).isOne();
		assertThat(timer("wait", "name", "order", "fair", "true", "outcome", "acquired").count()).isOne();
		assertThat(timer("usage", "name", "order", "fair", "true").count()).isOne();
	}

	@Test
	void reentry() {
		LeaseLock lock = this.client.getLock("order:1").named("order");

		lock.lock();
		lock.lock();
		lock.unlock();
		lock.unlock();

		assertThat(count("acquired", "name", "order", "how", "reentrant")).isOne();
		assertThat(count("acquired", "name", "order", "how", "first_attempt")).isOne();
		assertThat(count("released", "name", "order")).isOne();
	}

	@Test
	void timeOutAndRefusal() throws Exception {
		try (Lease held = this.other.acquire("order:1", LockOptions.defaults())) {
			assertThat(this.client.tryAcquire("order:1", ORDER.waitTime(Duration.ofMillis(30)))).isEmpty();
			assertThat(this.client.tryAcquire("order:1", ORDER.waitTime(Duration.ZERO))).isEmpty();
			assertThat(held.isValid()).isTrue();
		}

		Timer timedOut = timer("wait", "name", "order", "fair", "false", "outcome", "timed_out");
		assertThat(timedOut.count()).isOne();
		assertThat(timedOut.totalTime(TimeUnit.MILLISECONDS)).isGreaterThanOrEqualTo(30);
		assertThat(timer("wait", "name", "order", "fair", "false", "outcome", "refused").count()).isOne();
		assertThat(count("acquired")).isZero();
	}

	@Test
	void deadlock() {
		assertThat(count("deadlocks")).isZero();

		this.metrics.deadlocked(List.of("order:1", "customer:1"));

		assertThat(count("deadlocks")).isOne();
	}

	@Test
	void waitAndHandOver() throws Exception {
		Lease held = this.client.acquire("order:1", ORDER);
		// Two, so that the next hold has tokens for several owners.
		TestThreads.Running<Void> one = this.threads.run(() -> this.client.acquire("order:1", ORDER).close());
		TestThreads.Running<Void> other = this.threads.run(() -> this.client.acquire("order:1", ORDER).close());
		Awaitility.await().atMost(TestThreads.LONG).until(() -> gauge("waiting") == 2);

		assertThat(gauge("held")).isOne();
		held.close();
		one.result();
		other.result();

		assertThat(count("released", "how", "passed_on")).isOne();
		assertThat(count("acquired", "how", "passed_on")).isOne();
		assertThat(gauge("held")).isZero();
		assertThat(gauge("waiting")).isZero();
	}

	@Test
	void waitForAnotherClient() throws Exception {
		Lease held = this.other.acquire("order:1", LockOptions.defaults());
		TestThreads.Running<Void> waiting = this.threads.run(() -> this.client.acquire("order:1", ORDER).close());
		Awaitility.await().atMost(TestThreads.LONG).until(() -> !this.other.directory().queue("order:1", 1).isEmpty());
		held.close();
		waiting.result();

		assertThat(count("acquired", "how", "waited")).isOne();
	}

	@Test
	void lossByCause() throws Exception {
		Lease lease = this.client.acquire("order:1", ORDER);
		this.other.directory().forceUnlock("order:1");

		Awaitility.await()
			.atMost(TestThreads.LONG)
			.untilAsserted(() -> assertThat(count("lost", "name", "order", "cause", "forced")).isOne());
		assertThat(lease.isValid()).isFalse();
		assertThat(count("lost")).isOne();
	}

	@Test
	void whatIsNotAboutOneAttempt() {
		this.metrics.renewalFailed("order:1", new LockServerException("order:1", Reason.TIMED_OUT, "no answer", null));
		this.metrics.forced("order:1");

		assertThat(count("renewals.failed", "reason", "timed_out")).isOne();
		assertThat(count("forced")).isOne();
	}

	@Test
	void whatTheServerDid() {
		Attempt attempt = this.metrics.wanted("order:1", "order", false, LockMode.SHARED);
		attempt.failed(LockObserver.Failure.SERVER, 1, null);
		attempt.released(LockObserver.Release.PENDING, 1);

		assertThat(timer("wait", "name", "order", "fair", "false", "mode", "shared", "outcome", "server").count())
			.isOne();
		assertThat(count("released", "name", "order", "how", "pending")).isOne();
	}

	@Test
	void gaugesAreOfAllClients() {
		State one = new State(1, 5, 2, Duration.ofMillis(1500), 3, 4, Duration.ofMillis(250));
		this.metrics.started(one);
		this.metrics.started(new State(10, 50, 20, Duration.ofMillis(500), 30, 40, Duration.ofSeconds(3)));

		assertThat(List.of(gauge("held"), gauge("waiting"), gauge("releases.pending"))).containsExactly(11.0, 22.0,
				33.0);
		assertThat(gauge("unsure")).isEqualTo(55);
		assertThat(seconds("renewal.lag")).isEqualTo(1.5);
		assertThat(seconds("subscription.down")).isEqualTo(3);
		assertThat(this.registry.get("holdfast.lock.resubscriptions").functionCounter().count()).isEqualTo(44);

		this.metrics.stopped(one);

		assertThat(gauge("held")).isEqualTo(10);
		assertThat(this.registry.get("holdfast.lock.resubscriptions").functionCounter().count()).as("never less")
			.isEqualTo(44);
	}

	@Test
	void gaugesAreOfAllThatShareARegistry() {
		this.metrics.started(new State(1, 5, 2, Duration.ZERO, 3, 4, Duration.ZERO));
		LockMetrics next = new LockMetrics(this.registry, LockNameRule.NONE);
		State ofNext = new State(10, 50, 20, Duration.ofSeconds(1), 30, 40, Duration.ZERO);

		next.started(ofNext);

		assertThat(List.of(gauge("held"), gauge("waiting"), gauge("releases.pending"))).containsExactly(11.0, 22.0,
				33.0);
		assertThat(seconds("renewal.lag")).isOne();
		next.stopped(ofNext);
		assertThat(gauge("held")).isOne();
		assertThat(resubscriptions()).isEqualTo(44);
	}

	@Test
	void gaugesOutliveThoseWhoMadeThem() {
		SimpleMeterRegistry shared = new SimpleMeterRegistry();
		WeakReference<LockMetrics> first = new WeakReference<>(new LockMetrics(shared, LockNameRule.NONE));
		Awaitility.await().atMost(TestThreads.LONG).until(() -> {
			System.gc();
			return first.get() == null;
		});

		new LockMetrics(shared, LockNameRule.NONE).started(new State(1, 5, 2, Duration.ZERO, 3, 4, Duration.ZERO));

		assertThat(shared.get("holdfast.lock.held").gauge().value()).isOne();
	}

	/** Who reads while a client stops must not see less than before. */
	@Test
	void resubscriptionsDoNotFallWhileAClientStops() throws Exception {
		CompletableFuture<Double> read = new CompletableFuture<>();
		Thread reader = new Thread(() -> read.complete(resubscriptions()));
		ClientState client = new State(0, 0, 0, Duration.ZERO, 0, 4, Duration.ZERO, () -> {
			if (reader.getState() == Thread.State.NEW) {
				reader.start();
				Awaitility.await()
					.atMost(TestThreads.LONG)
					.until(() -> read.isDone() || reader.getState() == Thread.State.BLOCKED);
			}
		});
		this.metrics.started(client);

		this.metrics.stopped(client);

		assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(4);
	}

	private double resubscriptions() {
		return this.registry.get("holdfast.lock.resubscriptions").functionCounter().count();
	}

	private double count(String meter, String... tags) {
		return this.registry.find("holdfast.lock." + meter)
			.tags(tags)
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

	private Timer timer(String meter, String... tags) {
		return this.registry.get("holdfast.lock." + meter).tags(tags).timer();
	}

	private double gauge(String meter) {
		return this.registry.get("holdfast.lock." + meter).gauge().value();
	}

	private double seconds(String meter) {
		return this.registry.get("holdfast.lock." + meter).timeGauge().value(TimeUnit.SECONDS);
	}

	private record State(int held, int unsure, int waiting, Duration renewalLag, int pendingReleases, long resubscribed,
			Duration subscriptionDownFor, Runnable asked) implements ClientState {

		State(int held, int unsure, int waiting, Duration renewalLag, int pendingReleases, long resubscribed,
				Duration subscriptionDownFor) {
			this(held, unsure, waiting, renewalLag, pendingReleases, resubscribed, subscriptionDownFor, () -> {
			});
		}

		@Override
		public String id() {
			return "shop@host/" + this.held;
		}

		@Override
		public long resubscriptions() {
			this.asked.run();
			return this.resubscribed;
		}

	}

}
