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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A method that returns a stage has its lock until that is done, on a real Redis. */
class StageCallTests {

	private final CompletableFuture<String> work = new CompletableFuture<>();

	/** How often the work was begun: Redis knows of a lock before its caller does. */
	private final AtomicInteger begun = new AtomicInteger();

	@Test
	void lockIsHeldUntilTheStageIsDone() {
		run((shop, other) -> {
			CompletableFuture<String> result = shop.pay(1, this::begin);
			await(() -> this.begun.get() == 1);
			assertThat(other.sees("order:1")).isTrue();
			assertThat(result).isNotDone();

			this.work.complete("paid");

			assertThat(get(result)).isEqualTo("paid");
			assertThat(other.sees("order:1")).isFalse();
		});
	}

	@Test
	void lockIsReleasedWhenTheStageFails() {
		run((shop, other) -> {
			CompletableFuture<String> result = shop.pay(1, this::begin);
			await(() -> this.begun.get() == 1);

			this.work.completeExceptionally(new IllegalArgumentException("no money"));

			assertFails(result, IllegalArgumentException.class, "no money");
			assertThat(other.sees("order:1")).isFalse();
		});
	}

	@Test
	void whatTheMethodThrowsIsInTheStage() {
		run((shop, other) -> {
			assertFails(shop.pay(1, () -> {
				throw new IllegalArgumentException("no order");
			}), IllegalArgumentException.class, "no order");
			assertFails(shop.pay(null, () -> this.work), IllegalArgumentException.class, "key \"#id\" is null");

			assertThat(other.sees("order:1")).isFalse();
		});
	}

	@Test
	void callWaitsWithoutItsCaller() {
		run((shop, other) -> {
			Lease held = other.hold("order:1");
			CompletableFuture<String> first = shop.pay(1, this::begin);
			CompletableFuture<String> second = shop.pay(1, () -> CompletableFuture.completedFuture("second"));
			awaitWaiter(other);

			held.close();
			await(() -> this.begun.get() == 1);
			assertThat(first).isNotDone();
			assertThat(second).isNotDone();
			this.work.complete("first");

			assertThat(get(first)).isEqualTo("first");
			assertThat(get(second)).isEqualTo("second");
		});
	}

	@Test
	void cancelEndsTheWait() {
		run((shop, other) -> {
			other.hold("order:1");
			CompletableFuture<String> result = shop.pay(1, StageCallTests::fail);
			awaitWaiter(other);

			result.cancel(true);

			await(() -> other.client().directory().queue("order:1", 1).isEmpty());
		});
	}

	@Test
	void workThatWasBegunKeepsItsLockAfterACancel() {
		run((shop, other) -> {
			CompletableFuture<String> result = shop.pay(1, this::begin);
			CompletionStage<String> late = shop.stage(() -> begin().minimalCompletionStage());
			await(() -> this.begun.get() == 2);

			result.cancel(true);
			late.toCompletableFuture().orTimeout(1, TimeUnit.MILLISECONDS);

			await(() -> late.toCompletableFuture().isCompletedExceptionally());
			assertThat(this.work).isNotDone();
			assertThat(other.sees("order:1") && other.sees("stage")).isTrue();
			this.work.complete("late");
			await(() -> !other.sees("order:1") && !other.sees("stage"));
		});
	}

	@Test
	void stageThatIsForgottenKeepsItsLockNoLonger() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.watchdog-timeout=2s")
			.withBean(Shop.class)
			.run((context) -> {
				try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
					beginAndForget(context.getBean(Shop.class));

					Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
						System.gc();
						return !other.sees("order:1");
					});
				}
			});
	}

	private static void beginAndForget(Shop shop) {
		AtomicInteger calls = new AtomicInteger();
		CompletableFuture<String> unused = shop.pay(1, () -> {
			calls.incrementAndGet();
			return new CompletableFuture<>();
		});
		await(() -> calls.get() == 1);
	}

	@Test
	void lossEndsTheResult() {
		run((shop, other) -> {
			CompletableFuture<String> result = shop.pay(1, this::begin);
			await(() -> this.begun.get() == 1);

			other.takeByForce("order:1");

			assertFails(result, LockLostException.class, "order:1");
			assertThat(this.work).isNotDone();
			this.work.complete("late");
		});
	}

	@Test
	void methodRunsOnAnotherThreadThanItsCaller() {
		run((shop, other) -> {
			Set<Thread> threads = ConcurrentHashMap.newKeySet();
			for (int i = 0; i < 500; i++) {
				get(shop.pay(1, () -> {
					threads.add(Thread.currentThread());
					return CompletableFuture.completedFuture("paid");
				}));
			}

			assertThat(threads).isNotEmpty().doesNotContain(Thread.currentThread());
		});
	}

	@Test
	void stageNeedBeNoFuture() {
		CompletionStage<String> done = noFuture(CompletableFuture.completedFuture("done"));
		run((shop, other) -> assertThat(get(shop.stage(() -> done).toCompletableFuture())).isEqualTo("done"));
	}

	@Test
	void lossIsToldWhileTheMethodRuns() {
		run((shop, other) -> {
			CompletableFuture<String> result = shop.pay(1, () -> CompletableFuture.completedFuture(begin().join()));
			await(() -> this.begun.get() == 1);

			other.takeByForce("order:1");

			assertFails(result, LockLostException.class, "order:1");
			this.work.complete("late");
		});
	}

	@Test
	void valueThatIsNotDoneIsAFailure() {
		run((shop, other) -> assertFails(shop.anything(() -> CompletableFuture.completedFuture(this.work)),
				IllegalStateException.class, "whose work is not done yet"));
	}

	@Test
	void lossIsNotOvertakenByTheEndOfTheWork() {
		run((shop, other) -> {
			CompletableFuture<String> result = shop.pay(1, () -> {
				LeaseView lease = Leases.current();
				other.takeByForce("order:1");
				await(() -> !lease.isValid());
				return CompletableFuture.completedFuture("paid");
			});

			assertFails(result, LockLostException.class, "order:1");
		});
	}

	@Test
	void methodFindsItsLease() {
		run((shop,
				other) -> assertThat(get(shop.pay(1, () -> CompletableFuture.completedFuture(Leases.current().name()))))
					.isEqualTo("order:1"));
	}

	@Test
	void methodsThatWaitForOtherStagesAreNotInEachOthersWay() {
		int calls = 20;
		CountDownLatch begun = new CountDownLatch(calls);
		run((shop, other) -> {
			List<CompletableFuture<String>> results = IntStream.range(0, calls).mapToObj((id) -> shop.pay(id, () -> {
				begun.countDown();
				TestThreads.await(begun);
				String inner = shop.pay(calls + id, () -> CompletableFuture.completedFuture("inner")).join();
				return CompletableFuture.completedFuture(inner);
			})).toList();

			for (CompletableFuture<String> each : results) {
				assertThat(get(each)).isEqualTo("inner");
			}
		});
	}

	@Test
	void otherHolderIsAnExceptionNothingOrTheFallback() {
		run((shop, other) -> {
			other.hold("busy");

			assertFails(shop.busy(), LockNotAcquiredException.class, "busy");
			assertThat(get(shop.skipped())).isNull();
			assertThat(get(shop.later(7))).isEqualTo("7 later: busy");
		});
	}

	@Test
	void nestedCallIsAnotherOwner() {
		run((shop, other) -> assertFails(shop.outer(shop), LockNotAcquiredException.class, "busy"));
	}

	@Test
	void allKeysOrNoneAreLocked() {
		run((shop, other) -> {
			CompletableFuture<String> both = shop.transfer(List.of(2, 1), this::begin);
			await(() -> this.begun.get() == 1);
			assertThat(other.sees("account:1") && other.sees("account:2")).isTrue();
			this.work.complete("done");
			assertThat(get(both)).isEqualTo("done");
			assertThat(other.sees("account:1") || other.sees("account:2")).isFalse();

			other.hold("account:2");
			assertFails(shop.transfer(List.of(2, 1), StageCallTests::fail), LockNotAcquiredException.class,
					"account:2");
			assertThat(other.sees("account:1")).isFalse();
		});
	}

	@Test
	void methodThatNeedsNoLockRunsAtOnce() {
		run((shop, other) -> {
			other.hold("maybe");

			assertThat(shop.maybe(false)).isCompletedWithValue("done");
			assertFails(shop.maybe(true), LockNotAcquiredException.class, "maybe");
		});
	}

	@Test
	void applicationThatEndsWaitsForTheStage() {
		LockRunner.create().withBean(Shop.class).run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				CompletableFuture<String> result = context.getBean(Shop.class).pay(1, this::begin);
				await(() -> this.begun.get() == 1);
				CompletableFuture<Void> closed = CompletableFuture
					.runAsync(() -> context.getSourceApplicationContext().close());
				await(() -> !context.getBean(RunningCalls.class).isRunning());
				assertThat(closed).isNotDone();

				this.work.complete("paid");

				assertThat(get(result)).isEqualTo("paid");
				closed.get(20, TimeUnit.SECONDS);
				assertThat(other.sees("order:1")).isFalse();
			}
		});
	}

	private CompletableFuture<String> begin() {
		this.begun.incrementAndGet();
		return this.work;
	}

	@SuppressWarnings("unchecked")
	private static <T> CompletionStage<T> noFuture(CompletableFuture<T> future) {
		return (CompletionStage<T>) Proxy.newProxyInstance(StageCallTests.class.getClassLoader(),
				new Class<?>[] { CompletionStage.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("toCompletableFuture")) {
						throw new UnsupportedOperationException();
					}
					return method.invoke(future, arguments);
				});
	}

	private static CompletableFuture<String> fail() {
		throw new AssertionError("The method must not run");
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().until(condition);
	}

	private static void awaitWaiter(OtherProcess other) {
		await(() -> !other.client().directory().queue("order:1", 1).isEmpty());
	}

	private static @Nullable String get(CompletableFuture<String> result) throws Exception {
		return result.get(20, TimeUnit.SECONDS);
	}

	private static void assertFails(CompletableFuture<?> result, Class<? extends Throwable> type, String message) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(20, TimeUnit.SECONDS))
			.havingCause()
			.isInstanceOf(type)
			.withMessageContaining(message);
		assertThat(result.handle((value, thrown) -> thrown).join()).isInstanceOf(type);
	}

	private static void run(LockRunner.Scenario<Shop> scenario) {
		LockRunner.create().withBean(Shop.class).run((context) -> {
			assertThat(context).hasNotFailed();
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				scenario.run(context.getBean(Shop.class), other);
				await(() -> context.getBean(LockClient.class).health().held() == 0);
			}
		});
	}

	static class Shop {

		@DistributedLock(name = "order", key = "#id")
		CompletableFuture<String> pay(@Nullable Integer id, Supplier<CompletableFuture<String>> work) {
			return work.get();
		}

		@DistributedLock(name = "anything")
		CompletableFuture<Object> anything(Supplier<CompletableFuture<Object>> work) {
			return work.get();
		}

		@DistributedLock(name = "stage")
		CompletionStage<String> stage(Supplier<CompletionStage<String>> work) {
			return work.get();
		}

		@DistributedLock(name = "busy", waitTime = 0)
		CompletableFuture<String> busy() {
			return CompletableFuture.completedFuture("done");
		}

		@DistributedLock(name = "busy")
		CompletableFuture<String> outer(Shop proxy) {
			return proxy.busy();
		}

		@DistributedLock(name = "busy", waitTime = 0, onContention = OnContention.SKIP)
		CompletableFuture<String> skipped() {
			return fail();
		}

		@DistributedLock(name = "busy", waitTime = 0, fallbackMethod = "much")
		CompletableFuture<String> later(int id) {
			return fail();
		}

		CompletableFuture<String> much(int id, LockNotAcquiredException ex) {
			return CompletableFuture.completedFuture(id + " later: " + ex.lockName());
		}

		@DistributedLock(name = "account", key = "#ids", waitTimeString = "100ms")
		CompletableFuture<String> transfer(List<Integer> ids, Supplier<CompletableFuture<String>> work) {
			return work.get();
		}

		@DistributedLock(name = "maybe", condition = "#needed", waitTime = 0)
		CompletableFuture<String> maybe(boolean needed) {
			return CompletableFuture.completedFuture("done");
		}

	}

}
