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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.Losses;
import io.holdfast.lock.fixture.OtherProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A lock that stays held when its method is done sooner, on a real Redis. */
class HoldAtLeastTests {

	@Test
	void lockIsHeldForTheRestOfTheTime() {
		run((jobs, other) -> {
			long start = System.nanoTime();

			assertThat(jobs.twoSeconds("written")).isEqualTo("written");

			Lease next = other.client().acquire("two-seconds", LockOptions.defaults().waitTime(Duration.ofSeconds(20)));
			assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(2));
			next.close();
		});
	}

	@Test
	void jobRunsOnceThoughTheClocksOfItsInstancesDiffer() {
		run((jobs, other) -> {
			jobs.report();
			jobs.report();
			CompletableFuture.runAsync(jobs::report).join();

			assertThat(jobs.reports()).isOne();
			assertThat(other.sees("report")).isTrue();
		});
	}

	@Test
	void methodThatTakesLongerReleasesAtItsEnd() {
		run((jobs, other) -> {
			Semaphore end = new Semaphore(0);
			CompletableFuture<Void> call = CompletableFuture.runAsync(() -> jobs.moment(end::acquireUninterruptibly));
			await(() -> other.sees("moment"));
			assertThat(Held.all()).isEmpty();

			end.release();

			call.join();
			assertThat(other.sees("moment")).isFalse();
		});
	}

	@Test
	void exceptionOfTheMethodReleasesAtOnce() {
		run((jobs, other) -> {
			assertThatIllegalStateException().isThrownBy(() -> jobs.hour(() -> {
				throw new IllegalStateException("no paper");
			})).withMessage("no paper");

			assertThat(other.sees("hour")).isFalse();
		});
	}

	@Test
	void lossIsToldAtTheEndAndEndsTheOtherLocks() {
		run((jobs, other) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.transfer(List.of("a", "b"), () -> {
				other.takeByForce("account:b");
				LeaseView lease = Leases.current();
				await(() -> !lease.isValid());
			}));

			assertThat(other.sees("account:a")).isFalse();
		});
	}

	@Test
	void callUnderALockOfItsThreadIsRefused() {
		LockRunner.create().withBean(Jobs.class).run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			client.execute("hour", (lease) -> {
				assertThatIllegalStateException()
					.isThrownBy(() -> context.getBean(Jobs.class).hour(HoldAtLeastTests::nothing))
					.withMessageContaining("nor under a lock of the name hour");
				return null;
			});
		});
	}

	@Test
	void callUnderItsOwnLockIsRefused() {
		run((jobs, other) -> jobs.hour(() -> {
			assertThat(Leases.current("hour").isValid()).isTrue();
			assertThatIllegalStateException().isThrownBy(() -> jobs.hour(HoldAtLeastTests::nothing))
				.withMessageContaining("nor under a lock of the name hour");
		}));
	}

	@Test
	void endOfTheApplicationReleasesAndLosesNothing() {
		List<String> names = IntStream.range(0, 200).mapToObj((i) -> "account:" + i).toList();
		Losses losses = new Losses();
		AtomicReference<OtherProcess> opened = new AtomicReference<>();
		LockRunner.create().withBean(Jobs.class).withBean(Losses.class, () -> losses).run((context) -> {
			opened.set(new OtherProcess((ApplicationContext) context));
			IntStream.range(0, 200)
				.forEach((i) -> context.getBean(Jobs.class)
					.transfer(List.of(Integer.toString(i)), HoldAtLeastTests::nothing));
			assertThat(names).allMatch(opened.get()::sees);
		});

		try (OtherProcess other = opened.get()) {
			assertThat(names).noneMatch(other::sees);
			assertThat(losses.observed()).isEmpty();
		}
	}

	@Test
	void applicationTimesDoNotEndIt() {
		LockRunner.create()
			.withBean(Jobs.class)
			.withPropertyValues("holdfast.lock.lease-time=1s", "holdfast.lock.watchdog-timeout=1h")
			.run((context) -> {
				context.getBean(Jobs.class).hour(HoldAtLeastTests::nothing);

				assertThat(context.getBean(LockClient.class).directory().find("hour")).get()
					.satisfies((held) -> assertThat(held.leaseLeft()).isGreaterThan(Duration.ofMinutes(1)));
			});
	}

	@Test
	void callInsideATransactionIsRefused() {
		run((jobs, other) -> {
			TransactionSynchronizationManager.initSynchronization();
			TransactionSynchronizationManager.setActualTransactionActive(true);
			try {
				assertThatIllegalStateException().isThrownBy(() -> jobs.hour(HoldAtLeastTests::nothing))
					.withMessageContaining("must not run inside a transaction");
			}
			finally {
				TransactionSynchronizationManager.clear();
			}
			assertThat(other.sees("hour")).isFalse();
		});
	}

	private static void nothing() {
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().until(condition);
	}

	private static void run(LockRunner.Scenario<Jobs> scenario) {
		LockRunner.run(Jobs.class, scenario);
	}

	static class Jobs {

		private final AtomicInteger reports = new AtomicInteger();

		int reports() {
			return this.reports.get();
		}

		@DistributedLock(name = "two-seconds", holdAtLeast = "2s")
		String twoSeconds(String result) {
			return result;
		}

		@DistributedLock(name = "report", waitTime = 0, onContention = OnContention.SKIP, holdAtLeast = "1h")
		void report() {
			this.reports.incrementAndGet();
		}

		@DistributedLock(name = "moment", holdAtLeast = "1ms")
		void moment(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "hour", waitTime = 0, holdAtLeast = "1h")
		void hour(Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "#ids", holdAtLeast = "1h")
		void transfer(List<String> ids, Runnable work) {
			work.run();
		}

	}

}
