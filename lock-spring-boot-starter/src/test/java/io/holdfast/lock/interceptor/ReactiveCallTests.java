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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.testing.RedisProcess;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.adapter.JdkFlowAdapter;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.context.ApplicationContext;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A subscription has its lock until it is done, on a real Redis. */
class ReactiveCallTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	/** One thread, which Reactor knows as one that must not block. */
	private final Scheduler eventLoop = Schedulers.newParallel("event-loop", 1);

	private final Sinks.One<String> work = Sinks.one();

	@AfterEach
	void stop() {
		this.eventLoop.dispose();
	}

	@Test
	void lockIsHeldFromTheSubscriptionToTheResult() {
		run((shop, other) -> {
			AtomicInteger calls = new AtomicInteger();
			Mono<String> result = shop.pay(1, () -> {
				calls.incrementAndGet();
				return this.work.asMono();
			});
			assertThat(calls).hasValue(0);
			assertThat(other.sees("order:1")).isFalse();

			List<String> paid = new CopyOnWriteArrayList<>();
			result.map((value) -> value + ", held: " + other.sees("order:1")).subscribe(paid::add);
			await(() -> calls.get() == 1);
			assertThat(other.sees("order:1")).isTrue();
			this.work.tryEmitValue("paid");

			await(() -> paid.equals(List.of("paid, held: false")));
		});
	}

	@Test
	void fluxIsLockedToItsEnd() {
		run((shop, other) -> {
			Flux<Boolean> held = shop.list(() -> Flux.range(1, 3)).map((number) -> other.sees("list"));

			assertThat(held.collectList().block(LONG)).containsExactly(true, true, true);
			assertThat(other.sees("list")).isFalse();
			assertThat(held.repeat(1).collectList().block(LONG)).hasSize(6);
		});
	}

	@Test
	void typesThatReactorAdaptsAreLocked() {
		run((shop, other) -> {
			assertThat(Flux.from(shop.publisher(() -> other.sees("publisher"))).blockLast(LONG)).isTrue();
			assertThat(JdkFlowAdapter.flowPublisherToFlux(shop.flow(() -> other.sees("flow"))).blockLast(LONG))
				.isTrue();
			assertThat(other.sees("publisher") || other.sees("flow")).isFalse();
		});
	}

	@Test
	void subscriptionsOnOneEventLoopExcludeEachOther() {
		run((shop, other) -> {
			AtomicInteger inside = new AtomicInteger();
			AtomicInteger most = new AtomicInteger();
			Mono<String> pay = shop.pay(1,
					() -> Mono.fromCallable(inside::incrementAndGet)
						.doOnNext((now) -> most.accumulateAndGet(now, Math::max))
						.delayElement(Duration.ofMillis(1), this.eventLoop)
						.map((now) -> "left " + inside.decrementAndGet()));

			List<String> all = Flux.range(1, 100)
				.flatMap((number) -> pay.subscribeOn(this.eventLoop), 100)
				.collectList()
				.block(LONG);

			assertThat(all).hasSize(100).containsOnly("left 0");
			assertThat(most).hasValue(1);
		});
	}

	@Test
	void nestedCallOfTheSameSubscriptionEntersAgain() {
		run((shop, other) -> {
			List<Long> tokens = shop.tokens(1,
					() -> Flux.concat(token(), shop.tokens(1, () -> token().flux()).flatMapIterable((all) -> all),
							token().delaySubscription(Duration.ofMillis(20))))
				.block(LONG);

			assertThat(tokens).hasSize(3).containsOnly(tokens.get(0));
			assertThatIllegalStateException().isThrownBy(() -> token().block(LONG));
		});
	}

	private static Mono<Long> token() {
		return ReactiveLeases.current().map(LeaseView::token);
	}

	@Test
	void nestedCallAcquiresWhatTheOuterOneDoesNotHave() {
		run((shop, other) -> {
			Mono<List<String>> names = shop.transfer(List.of(1, 2), () -> shop.transfer(List.of(2, 3),
					() -> ReactiveLeases.current().map((lease) -> lease.names() + " " + other.sees("account:1"))));

			assertThat(names.block(LONG)).containsExactly("[[account:3] true]");
			Mono<List<String>> outer = shop.transfer(List.of(1, 2), () -> shop.transfer(List.of(2, 3),
					() -> ReactiveLeases.current("account:2").map((lease) -> lease.names().toString())));
			assertThat(outer.block(LONG)).containsExactly("[[account:1, account:2]]");
			assertThatIllegalStateException().isThrownBy(() -> ReactiveLeases.current("account:2").block(LONG))
				.withMessageContaining("that holds lock 'account:2'");
			assertThat(List.of(1, 2, 3)).noneMatch((id) -> other.sees("account:" + id));
		});
	}

	@Test
	void readersAndLimitsLetOthersInAndNest() {
		run((shop, other) -> {
			Supplier<Mono<String>> done = () -> Mono.just("done");
			List<String> ends = new CopyOnWriteArrayList<>();
			shop.read(() -> shop.read(this.work::asMono)).subscribe(ends::add);
			shop.mail(() -> shop.mail(this.work::asMono)).subscribe(ends::add);
			shop.mail(this.work::asMono).subscribe(ends::add);
			await(() -> this.work.currentSubscriberCount() == 3);

			assertThat(shop.read(done).block(LONG)).isEqualTo("done");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.write(done).block(LONG));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.mail(done).block(LONG));

			this.work.tryEmitValue("done");
			await(() -> ends.size() == 3);
			assertThat(shop.write(() -> shop.read(done)).block(LONG)).isEqualTo("done");
			assertThatIllegalStateException().isThrownBy(() -> shop.read(() -> shop.write(done)).block(LONG));
			assertThat(shop.mail(() -> shop.moreMail(done)).block(LONG)).isEqualTo("done");
			assertThatIllegalStateException().isThrownBy(() -> shop.moreMail(() -> shop.mail(done)).block(LONG));
		});
	}

	@Test
	void threadIsAnotherOwner() {
		run((shop, other) -> {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> shop.blocking(() -> shop.busy().block(LONG)));
			assertThat(shop.blocking(() -> shop.pay(1, () -> Mono.just("paid")).block(LONG))).isEqualTo("paid");
		});
	}

	@Test
	void failureReleasesTheLock() {
		run((shop, other) -> {
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> shop.pay(1, () -> Mono.error(new IllegalArgumentException("no money"))).block(LONG));
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> shop.pay(1, () -> {
				throw new IllegalArgumentException("no order");
			}).block(LONG));
			assertThatExceptionOfType(IllegalArgumentException.class)
				.isThrownBy(() -> shop.pay(null, ReactiveCallTests::fail).block(LONG));

			assertThat(other.sees("order:1")).isFalse();
		});
	}

	@Test
	void lossCancelsTheWorkAndIsTheResult() {
		run((shop, other) -> {
			CountDownLatch begun = new CountDownLatch(1);
			CountDownLatch cancelled = new CountDownLatch(1);
			List<Throwable> failures = new CopyOnWriteArrayList<>();
			shop.pay(1,
					() -> Mono.<String>never()
						.doOnSubscribe((unused) -> begun.countDown())
						.doOnCancel(cancelled::countDown))
				.subscribe((value) -> fail(), failures::add);
			assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();

			other.takeByForce("order:1");

			assertThat(cancelled.await(20, TimeUnit.SECONDS)).isTrue();
			await(() -> failures.size() == 1);
			assertThat(failures.get(0)).isInstanceOf(LockLostException.class).hasNoSuppressedExceptions();
		});
	}

	@Test
	void lossIsNotOvertakenByTheEndOfTheWork() {
		run((shop, other) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> shop.pay(1, () -> ReactiveLeases.current().map((lease) -> {
				other.takeByForce("order:1");
				await(() -> !lease.isValid());
				return "paid";
			})).block(LONG)));
	}

	@Test
	void cancelEndsTheWait() {
		run((shop, other) -> {
			Lease held = other.hold("order:1");
			Disposable subscription = shop.pay(1, ReactiveCallTests::fail).subscribe();
			await(() -> !other.client().directory().queue("order:1", 1).isEmpty());

			subscription.dispose();

			await(() -> other.client().directory().queue("order:1", 1).isEmpty());
			held.close();
			assertThat(other.sees("order:1")).isFalse();
		});
	}

	@Test
	void cancelReleasesTheLock() {
		run((shop, other) -> {
			Disposable subscription = shop.pay(1, this.work::asMono).subscribe();
			await(() -> other.sees("order:1"));

			subscription.dispose();

			await(() -> !other.sees("order:1"));
			assertThat(shop.list(() -> Flux.range(1, 3)).take(1).blockLast(LONG)).isEqualTo(1);
			await(() -> !other.sees("list"));
		});
	}

	@Test
	void grantThatCrossesACancelIsGivenBack() {
		run((shop, other) -> {
			for (int i = 0; i < 200; i++) {
				Disposable subscription = shop.pay(i % 3, () -> Mono.just("paid")).subscribe();
				if (i % 2 == 0) {
					subscription.dispose();
				}
				else {
					this.eventLoop.schedule(subscription::dispose);
				}
			}

			await(() -> !other.sees("order:0") && !other.sees("order:1") && !other.sees("order:2"));
		});
	}

	@Test
	void applicationDoesNotWaitForACallThatWasCancelledAtItsEnd() {
		LockRunner.create().withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			for (int i = 0; i < 200; i++) {
				Disposable.Swap subscription = Disposables.swap();
				subscription.replace(shop
					.pay(i, () -> Mono.just("paid").doOnTerminate(() -> this.eventLoop.schedule(subscription::dispose)))
					.subscribe());
			}

			RunningCalls calls = context.getBean(RunningCalls.class);
			await(() -> ReflectionTestUtils.getField(calls, "calls").equals(Map.of()));
		});
	}

	@Test
	void otherHolderIsAnErrorNothingOrTheFallback() {
		run((shop, other) -> {
			other.hold("busy");

			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.busy().block(LONG));
			assertThat(shop.skipped().hasElement().block(LONG)).isFalse();
			assertThat(shop.skippedList().hasElements().block(LONG)).isFalse();
			assertThat(shop.later(7).block(LONG)).isEqualTo("7 later: busy");
		});
	}

	@Test
	void failureOfTheWorkIsNoContention() {
		run((shop, other) -> assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> shop.laterIfBusy(Mono.defer(() -> {
				other.hold("busy");
				return shop.busy();
			})).block(LONG)));
	}

	@Test
	void methodThatNeedsNoLockRunsOnItsThread() {
		run((shop, other) -> {
			other.hold("maybe");

			assertThat(shop.maybe(false).block(LONG)).isEqualTo(Thread.currentThread().getName());
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.maybe(true).block(LONG));
		});
	}

	@Test
	void methodRunsOnAnotherThreadThanItsSubscriber() {
		run((shop, other) -> {
			Set<String> threads = ConcurrentHashMap.newKeySet();
			for (int i = 0; i < 500; i++) {
				shop.pay(1, () -> {
					threads.add(Thread.currentThread().getName());
					return Mono.just("paid");
				}).block(LONG);
			}

			assertThat(threads).isNotEmpty().allMatch((name) -> name.startsWith("boundedElastic"));
		});
	}

	@Test
	void valueThatIsNotDoneIsAFailure() {
		run((shop, other) -> {
			assertThat(shop.anything(() -> Mono.just("done")).block(LONG)).isEqualTo("done");
			assertThatIllegalStateException()
				.isThrownBy(() -> shop.anything(() -> Mono.just(Flux.just("later"))).block(LONG))
				.withMessageContaining("whose work is not done yet");
		});
	}

	@Test
	void aspectsInsideOfTheLockRunForEachSubscription() {
		LockRunner.create().withBean(Shop.class).withBean(Counting.class).run((context) -> {
			Mono<String> busy = context.getBean(Shop.class).busy();

			assertThat(busy.repeat(2).collectList().block(LONG)).hasSize(3);

			assertThat(context.getBean(Counting.class).calls).hasValue(3);
		});
	}

	@Test
	void thousandWaitsBlockNoThread() {
		run((shop, other) -> {
			Lease held = other.hold("order:1");
			int threads = Thread.activeCount();
			List<Integer> done = new CopyOnWriteArrayList<>();
			CountDownLatch subscribed = new CountDownLatch(1);
			this.eventLoop.schedule(() -> {
				for (int i = 0; i < 1000; i++) {
					int number = i;
					shop.pay(1, () -> Mono.just("paid")).subscribe((value) -> done.add(number));
				}
				subscribed.countDown();
			});
			assertThat(subscribed.await(20, TimeUnit.SECONDS)).isTrue();
			await(() -> !other.client().directory().queue("order:1", 1).isEmpty());
			assertThat(Thread.activeCount()).isLessThan(threads + 50);
			assertThat(done).isEmpty();

			held.close();

			Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> done.size() == 1000);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void eventLoopIsFreeWhileRedisDoesNotAnswer(String driver) {
		try (RedisProcess redis = RedisProcess.start()) {
			LockRunner.create()
				.withPropertyValues("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port(),
						"spring.data.redis.client-type=" + driver, "holdfast.lock.command-timeout=12s")
				.withBean(Shop.class)
				.run((context) -> {
					Shop shop = context.getBean(Shop.class);
					shop.pay(1, () -> Mono.just("paid")).block(LONG);
					List<String> done = new CopyOnWriteArrayList<>();
					shop.pay(1, this.work::asMono).subscribe(done::add);
					await(() -> this.work.currentSubscriberCount() == 1);
					redis.pause();
					try {
						CountDownLatch ran = new CountDownLatch(1);
						this.eventLoop.schedule(() -> {
							this.work.tryEmitValue("paid");
							shop.pay(2, () -> Mono.just("later")).subscribe(done::add, (ex) -> done.add("later"));
							ran.countDown();
						});
						assertThat(ran.await(10, TimeUnit.SECONDS)).as("sooner than any answer could be waited for")
							.isTrue();
						await(() -> done.contains("paid"));
					}
					finally {
						redis.resume();
					}
					await(() -> done.contains("later"));
				});
		}
	}

	private static Mono<String> fail() {
		throw new AssertionError("The method must not run");
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().until(condition);
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

	@Aspect
	static class Counting {

		private final AtomicInteger calls = new AtomicInteger();

		@Before("execution(* io.holdfast.lock.interceptor.ReactiveCallTests.Shop.busy())")
		void count() {
			assertThat(Leases.current().name()).isEqualTo("busy");
			this.calls.incrementAndGet();
		}

	}

	static class Shop {

		@DistributedLock(name = "order", key = "#id")
		Mono<String> pay(@Nullable Integer id, Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedReadLock(name = "price", waitTime = 0)
		Mono<String> read(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLock(name = "price", waitTime = 0)
		Mono<String> write(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLimit(name = "mail", permits = 2, waitTime = 0)
		Mono<String> mail(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLimit(name = "mail", permits = 3, waitTime = 0)
		Mono<String> moreMail(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLock(name = "anything")
		Mono<Object> anything(Supplier<Mono<Object>> work) {
			return work.get();
		}

		@DistributedLock(name = "list")
		Flux<Integer> list(Supplier<Flux<Integer>> work) {
			return work.get();
		}

		@DistributedLock(name = "publisher")
		Publisher<Boolean> publisher(Callable<Boolean> work) {
			return Mono.fromCallable(work);
		}

		@DistributedLock(name = "flow")
		Flow.Publisher<Boolean> flow(Callable<Boolean> work) {
			return JdkFlowAdapter.publisherToFlowPublisher(Mono.fromCallable(work));
		}

		@DistributedLock(name = "order", key = "#id")
		Mono<List<Long>> tokens(int id, Supplier<Flux<Long>> work) {
			return work.get().collectList();
		}

		@DistributedLock(name = "account", key = "#ids")
		Mono<List<String>> transfer(List<Integer> ids, Supplier<Publisher<?>> work) {
			return Flux.from(work.get()).map(String::valueOf).collectList();
		}

		@DistributedLock(name = "busy")
		<T> T blocking(Supplier<T> work) {
			return work.get();
		}

		@DistributedLock(name = "busy", waitTime = 0)
		Mono<String> busy() {
			return Mono.just("done");
		}

		@DistributedLock(name = "busy", waitTime = 0, onContention = OnContention.SKIP)
		Mono<String> skipped() {
			return fail();
		}

		@DistributedLock(name = "busy", waitTime = 0, onContention = OnContention.SKIP)
		Flux<String> skippedList() {
			return fail().flux();
		}

		@DistributedLock(name = "busy", waitTime = 0, fallbackMethod = "much")
		Mono<String> later(int id) {
			return fail();
		}

		Mono<String> much(int id, LockException ex) {
			return Mono.just(id + " later: " + ex.lockName());
		}

		@DistributedLock(name = "free", onContention = OnContention.SKIP)
		Mono<String> laterIfBusy(Mono<String> work) {
			return work;
		}

		@DistributedLock(name = "maybe", condition = "#needed", waitTime = 0)
		Mono<String> maybe(boolean needed) {
			return Mono.fromCallable(() -> Thread.currentThread().getName());
		}

	}

}
