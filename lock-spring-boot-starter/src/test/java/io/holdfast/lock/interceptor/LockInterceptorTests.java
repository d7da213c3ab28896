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

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.TestThread;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.testing.RedisProcess;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.core.SpringProperties;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What each attribute of the annotation does to a call, on a real Redis. */
class LockInterceptorTests {

	private static final Duration WATCHDOG_TIMEOUT = Duration.ofSeconds(30);

	@Test
	void lockIsReleasedAfterException() {
		run((shop, other) -> {
			assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.byParameter("7", () -> {
				throw new IOException("business");
			})).withMessage("business");

			assertThat(other.sees("7")).isFalse();
		});
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void lockIsTheOneThatTheAnnotationNames(String lockName, Call call) {
		run((shop, other) -> {
			assertThat(call.on(shop, () -> other.sees(lockName))).isEqualTo(true);
			assertThat(other.sees(lockName)).isFalse();
		});
	}

	static Stream<Arguments> lockIsTheOneThatTheAnnotationNames() {
		return Stream.of(call("7", (shop, work) -> shop.byParameter("7", work)),
				call("8", (shop, work) -> shop.byPosition("8", work)),
				call("42", (shop, work) -> shop.byProperty(new Order(42, "EU"), work)),
				call("byRoot-7-EU", (shop, work) -> shop.byRoot("7", work)),
				call("EU/42", (shop, work) -> shop.byBean(new Order(42, "EU"), work)),
				call("stocktaking", (shop, work) -> shop.byName(work)),
				call("with:colon", (shop, work) -> shop.byNameWithColon(work)),
				call("order-eu:7", (shop, work) -> shop.byNameAndKey("7", work)),
				call("order-eu:b:c", (shop, work) -> shop.byNameAndKey("b:c", work)),
				call("order:42", (shop, work) -> shop.byMetaAnnotation(new Order(42, "EU"), work)));
	}

	private static Arguments call(String lockName, Call call) {
		return Arguments.of(lockName, call);
	}

	@Test
	void annotationOfAnInterfaceHoldsForAMethodThatTheClassInherits() {
		LockRunner.run(Inherits.class,
				(heir, other) -> assertThat(heir.work(() -> other.sees("inherited"))).isEqualTo(true));
		LockRunner.run(InheritsTyped.class,
				(heir, other) -> assertThat(heir.work("x", () -> other.sees("typed-x"))).isEqualTo(true));
		LockRunner.create()
			.withBean(InheritsTwice.class)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("it has two locks"));
	}

	@Test
	void annotationOnTypeHoldsForItsPublicMethods() {
		LockRunner.run(Warehouse.class, (warehouse, other) -> {

			assertThat(warehouse.first(() -> other.sees("warehouse"))).isEqualTo(true);
			assertThat(warehouse.second(() -> other.sees("second"))).isEqualTo(true);
			assertThat(warehouse.second(() -> other.sees("warehouse"))).isEqualTo(false);
			assertThat(warehouse.third(() -> other.sees("warehouse"))).isEqualTo(false);
			assertThat(warehouse).hasToString("Warehouse, locked: false");
		});
	}

	@Test
	void typesOfExpressionsAreThoseOfTheApplicationWhateverThreadCallsFirst() {
		LockRunner.create().withBean(TypedKeys.class).run((context) -> {
			Thread thread = Thread.currentThread();
			ClassLoader before = thread.getContextClassLoader();
			thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
			try (OtherProcess other = new OtherProcess(context)) {
				assertThat(context.getBean(TypedKeys.class).byType("7", () -> other.sees("key-7"))).isEqualTo(true);
			}
			finally {
				thread.setContextClassLoader(before);
			}
		});
	}

	@Test
	void expressionsHaveTheValueOfTheirCallWhateverSpringCompiles() {
		assertThat(SpringProperties.getProperty("spring.expression.compiler.mode")).isEqualTo("IMMEDIATE");
		LockRunner.run(TypedKeys.class, (keys, other) -> {
			for (Object value : List.of(1L, 2L, 3L, "a", 4L, "b")) {
				assertThat(keys.byValue(value, () -> other.sees("value:" + value))).isEqualTo(true);
			}
		});
	}

	@Test
	void expressionsConvertAsTheApplicationDoes() {
		DefaultConversionService conversions = new DefaultConversionService();
		conversions.addConverter(String.class, Order.class, (text) -> new Order(Integer.parseInt(text), "EU"));
		LockRunner.run(
				LockRunner.create()
					.withBean(TypedKeys.class)
					.withBean("conversionService", ConversionService.class, () -> conversions),
				TypedKeys.class,
				(keys, other) -> assertThat(keys.byConversion("7", () -> other.sees("EU-7"))).isEqualTo(true));
	}

	@Test
	void partsOfATextHaveTheTextThatTheyHaveAlone() {
		LocaleContextHolder.setLocale(Locale.US);
		try {
			LockRunner.run(
					LockRunner.create()
						.withBean(TypedKeys.class)
						.withBean("conversionService", ConversionService.class, ApplicationConversionService::new),
					TypedKeys.class, (keys, other) -> {
						Object part = LocalDate.of(2024, 2, 1);
						assertThat(keys.ofParts(part, () -> other.sees("a:2024-02-01"))).isEqualTo(true);
						assertThat(keys.ofParts(new BigDecimal("1.00"), () -> other.sees("a:1"))).isEqualTo(true);
						assertThat(keys.ofParts(Optional.of(2L), () -> other.sees("a:2"))).isEqualTo(true);
						assertThat(keys.joined(part, () -> other.sees("2024-02-01"))).isEqualTo(true);
						assertThat(keys.joined(List.of(part, 3), () -> other.sees("2024-02-01,3"))).isEqualTo(true);
						assertThat(keys.sorted("b,a", () -> other.sees("a-b"))).isEqualTo(true);
						assertThat(keys.sorted(List.of("b", "a"), () -> other.sees("a-b"))).isEqualTo(true);
						assertThat(keys.ofParts(new Part("b"), () -> other.sees("a:Part[text=\"b\"]"))).isEqualTo(true);
						assertThatIllegalArgumentException()
							.isThrownBy(() -> keys.ofParts(new Object(), LockInterceptorTests::fail))
							.withMessageContaining("java.lang.Object has no canonical text");
						assertThatIllegalArgumentException()
							.isThrownBy(() -> keys.ofParts(List.of(1, 2), LockInterceptorTests::fail));
					});
		}
		finally {
			LocaleContextHolder.resetLocaleContext();
		}
	}

	@Test
	void nullKeyIsAnErrorAndMethodDoesNotRun() {
		run((shop, other) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> shop.byProperty(new Order(1, null), LockInterceptorTests::fail, "region"))
			.withMessage("@DistributedLock on " + Shop.class.getName()
					+ ".byProperty(Order, Work, String): key \"#order.region\" is null. The method was not run."));
	}

	@Test
	void keyThatCannotBeEvaluatedIsAnErrorAndMethodDoesNotRun() {
		run((shop, other) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> shop.byProperty(null, LockInterceptorTests::fail))
			.withMessageContaining("Shop.byProperty(Order, Work): key \"#order.id\" cannot be evaluated: EL1007E"));
	}

	@Test
	void keyIsEvaluatedOncePerCall() {
		LockRunner.create().withBean(Shop.class).withBean("regions", Regions.class).run((context) -> {
			context.getBean(Shop.class).byBean(new Order(42, "EU"), () -> null);

			assertThat(context.getBean(Regions.class).calls).hasValue(1);
		});
	}

	@Test
	void argumentThatChangesMeanwhileDoesNotChangeTheLock() {
		run((shop, other) -> {
			StringBuilder key = new StringBuilder("a");

			shop.byMutable(key, () -> key.append("b"));

			assertThat(other.sees("a")).isFalse();
		});
	}

	@Test
	void lockHeldByAnotherIsAnExceptionByDefault() {
		run((shop, other) -> {
			other.hold("7");

			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> shop.byParameter("7", LockInterceptorTests::fail))
				.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("7"))
				.satisfies((ex) -> assertThat(ex.waitTime()).isZero());
		});
	}

	@Test
	void waitTimeIsThatOfTheAnnotationOrTheApplication() {
		run((shop, other) -> {
			other.hold("waits");
			other.hold("stocktaking");

			assertWaits(Duration.ofSeconds(1), () -> shop.waits(LockInterceptorTests::fail));
			assertWaits(Duration.ofMillis(120), () -> shop.waitsString(LockInterceptorTests::fail));
			assertWaits(Duration.ofMillis(70), () -> shop.byName(LockInterceptorTests::fail));
		}, "holdfast.lock.wait-time=70ms");
	}

	@Test
	void callGetsLockThatBecomesFreeWhileItWaits() {
		run((shop, other) -> {
			var lease = other.hold("patient");
			try (TestThread<Object> waiting = TestThread.start(() -> shop.waitsForEver(() -> "done"))) {
				Awaitility.await().until(() -> !other.client().directory().queue("patient", 1).isEmpty());

				lease.close();

				assertThat(waiting.join()).isEqualTo("done");
			}
		});
	}

	@Test
	void leaseTimeIsThatOfTheAnnotationOrTheApplication() {
		run((shop, other) -> {
			assertThat(shop.leases(() -> find(other, "leases").leaseLeft().toMinutes())).isIn(4L, 5L);
			assertThat(shop.leasesString(() -> find(other, "leases").leaseLeft().toMinutes())).isIn(2L, 3L);
			assertThat(shop.byName(() -> find(other, "stocktaking").leaseLeft().toMinutes())).isIn(9L, 10L);
		}, "holdfast.lock.lease-time=10m");
	}

	private static HeldLock find(OtherProcess other, String name) {
		return other.client().directory().find(name).orElseThrow();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Watchdog", "watchdog" })
	void watchdogOfAnnotationIsUsedWhereTheApplicationHasALeaseTime(String text) {
		LockRunner.run(
				LockRunner.create()
					.withBean(Watched.class)
					.withPropertyValues("holdfast.lock.lease-time=10m", "test.lease=" + text),
				Watched.class, (watched, other) -> {

					Work lease = () -> find(other, "watched").leaseLeft();

					assertThat((Duration) watched.byNumber(lease)).isBetween(Duration.ofSeconds(20), WATCHDOG_TIMEOUT);
					assertThat((Duration) watched.byText(lease)).isBetween(Duration.ofSeconds(20), WATCHDOG_TIMEOUT);
					assertThat((Duration) watched.byProperty(lease)).isGreaterThan(Duration.ofMinutes(9));
				});
	}

	@Test
	void clientOfAnnotationIsUsed() {
		LockRunner.create().withBean(Archive.class).withUserConfiguration(TwoClients.class).run((context) -> {
			assertThat(context).hasNotFailed();
			LockClient archive = context.getBean("archive", LockClient.class);
			Archive caller = context.getBean(Archive.class);

			assertThat(caller.store(() -> archive.getLock("archive").isHeldByCurrentThread())).isEqualTo(true);
			assertThat(caller.store(() -> context.getBean(LockClient.class).getLock("archive").isHeldByCurrentThread()))
				.isEqualTo(false);
		});
	}

	@Test
	void clientThatIsNoBeanStopsApplication() {
		LockRunner.create()
			.withBean(Archive.class)
			.run((context) -> StartUpFailures.assertFailure(context.getStartupFailure(),
					"Archive.store(Work): client \"archive\" is no LockClient bean: ",
					"Set holdfast.lock.enabled to false to run without any locks."));
	}

	@Test
	void orderOfAnnotationIsUsed() {
		run((shop, other) -> {
			assertThat(shop.fair(() -> find(other, "fair").fair())).isEqualTo(true);
			assertThat(shop.byName(() -> find(other, "stocktaking").fair())).isEqualTo(false);
		});
	}

	@Test
	void callThatIsToBeSkippedDoesNotWaitUnlessItSaysSo() {
		LockRunner.run(
				LockRunner.create().withBean(Skipping.class).withPropertyValues("holdfast.lock.wait-time=forever"),
				Skipping.class, (shop, other) -> {
					other.hold("skip");

					assertThat(shop.skipWithoutWaitTime(LockInterceptorTests::fail)).isNull();
				});
	}

	@Test
	void callThatIsToBeSkippedWaitsIfItSaysSo() {
		LockRunner.run(Skipping.class, (shop, other) -> {
			Lease held = other.hold("skip");
			try (TestThread<Object> call = TestThread.start(() -> shop.skipAfterAMinute(() -> "done"))) {
				Awaitility.await().until(call::isWaitingOrDone);
				held.close();

				assertThat(call.join()).isEqualTo("done");
			}
		});
	}

	@Test
	void skippedCallReturnsNullEmptyOrNothing() {
		run((shop, other) -> {
			other.hold("skip");

			assertThat(shop.skipObject(LockInterceptorTests::fail)).isNull();
			assertThat(shop.skipOptional(LockInterceptorTests::fail)).isEmpty();
			assertThat(shop.skipOptionalInt()).isEmpty();
			assertThat(shop.skipOptionalLong()).isEmpty();
			assertThat(shop.skipOptionalDouble()).isEmpty();
			shop.skipVoid(LockInterceptorTests::fail);
		});
	}

	@Test
	void conditionThatIsFalseRunsWithoutLock() {
		run((shop, other) -> {
			assertThat(shop.conditional(new Order(1, "EU"), () -> other.sees("conditional"))).isEqualTo(false);
			assertThat(shop.conditional(new Order(101, "EU"), () -> other.sees("conditional"))).isEqualTo(true);
		});
	}

	@Test
	void conditionThatIsNeitherTrueNorFalseIsAnError() {
		run((shop, other) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> shop.badCondition("x", LockInterceptorTests::fail))
			.withMessageEndingWith("condition \"#region\" is neither true nor false. The method was not run."));
	}

	@Test
	void nestedCallsOfOneThreadRunUnderOneLock() {
		run((shop, other) -> {
			Object holdCount = shop.byParameter("7", () -> {
				shop.byParameter("7", () -> null);
				assertThat(other.sees("7")).isTrue();
				return shop.byPosition("7", () -> find(other, "7").name());
			});

			assertThat(holdCount).isEqualTo("7");
			assertThat(other.sees("7")).isFalse();
		});
	}

	@Test
	void callsOfTwoThreadsExcludeEachOther() {
		run((shop, other) -> {
			CountDownLatch inside = new CountDownLatch(1);
			CountDownLatch leave = new CountDownLatch(1);
			try (TestThread<Object> first = TestThread.start(() -> shop.byParameter("7", () -> {
				inside.countDown();
				return leave.await(20, TimeUnit.SECONDS);
			}))) {
				assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();

				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> shop.byParameter("7", LockInterceptorTests::fail));

				leave.countDown();
				assertThat(first.join()).isEqualTo(true);
			}
		});
	}

	@Test
	void lockLostDuringSuccessfulCallIsThrown() {
		run((shop, other) -> assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> shop.byParameter("7", () -> {
				other.takeByForce("7");
				return "done";
			}))
			.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("7")));
	}

	@Test
	void lockLostDuringFailedCallIsAttachedToItsException() {
		run((shop, other) -> assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.byParameter("7", () -> {
			other.takeByForce("7");
			throw new IOException("business");
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockLostException.class)));
	}

	@Test
	void releaseThatServerDoesNotAnswerIsOnlyLogged() {
		try (RedisProcess redis = RedisProcess.start();
				LogCapture log = LogCapture.of(LockInterceptor.class.getName(), Level.WARN)) {
			run((shop, other) -> assertThat(shop.byParameter("7", () -> {
				redis.kill();
				return "done";
			})).isEqualTo("done"), "spring.data.redis.port=" + redis.port(), "holdfast.lock.command-timeout=1s");

			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
				.startsWith("WARN " + Shop.class.getName()
						+ ".byParameter(String, Work) is done, but Redis has not confirmed that its lock is released. ");
		}
	}

	@Test
	void releaseThatServerDoesNotAnswerIsAttachedToTheExceptionOfTheMethod() {
		try (RedisProcess redis = RedisProcess.start()) {
			run((shop, other) -> assertThatExceptionOfType(IOException.class)
				.isThrownBy(() -> shop.byParameter("7", () -> {
					redis.kill();
					throw new IOException("business");
				}))
				.withMessage("business")
				.satisfies(
						(ex) -> assertThat(ex.getSuppressed()).singleElement().isInstanceOf(LockServerException.class)),
					"spring.data.redis.port=" + redis.port(), "holdfast.lock.command-timeout=1s");
		}
	}

	@Test
	void interruptedWaitKeepsInterruptStatus() {
		run((shop, other) -> {
			other.hold("patient");
			Thread.currentThread().interrupt();

			assertThatIllegalStateException().isThrownBy(() -> shop.waitsForEver(LockInterceptorTests::fail))
				.withMessageStartingWith("Interrupted while waiting for lock 'patient' of " + Shop.class.getName())
				.withCauseInstanceOf(InterruptedException.class);

			assertThat(Thread.interrupted()).isTrue();
		});
	}

	@Test
	void interruptedWaitOfMethodThatDeclaresItIsThrown() {
		run((shop, other) -> {
			other.hold("patient");
			Thread.currentThread().interrupt();

			assertThatExceptionOfType(InterruptedException.class)
				.isThrownBy(() -> shop.waitsInterruptibly(LockInterceptorTests::fail));

			assertThat(Thread.interrupted()).isFalse();
		});
	}

	@Test
	void selfInvocationIsNotLocked() {
		run((shop, other) -> assertThat(shop.unlocked("7", () -> other.sees("7"))).isEqualTo(false));
	}

	/**
	 * That a call waits for so long and no longer; it has seconds to end on a busy
	 * machine, and fewer than the wait that is the default.
	 */
	private static void assertWaits(Duration waitTime, ThrowingCallable call) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(call)
			.satisfies((ex) -> assertThat(ex.waitTime()).isEqualTo(waitTime));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(waitTime, Duration.ofSeconds(8));
	}

	private static void run(LockRunner.Scenario<Shop> scenario, String... properties) {
		LockRunner.run(LockRunner.create()
			.withBean(Shop.class)
			.withBean("regions", Regions.class)
			.withPropertyValues("shop.region=eu", "shop.patience=120ms")
			.withPropertyValues(properties), Shop.class, scenario);
	}

	private static Object fail() {
		throw new AssertionError("The method must not run");
	}

	interface Call {

		Object on(Shop shop, Work work) throws Exception;

	}

	interface Work {

		Object run() throws Exception;

	}

	record Order(long id, String region) {
	}

	public static class Watched {

		@DistributedLock(name = "watched", leaseTime = -1)
		public Object byNumber(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "watched", leaseTimeString = "${test.lease}")
		public Object byText(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock("watched")
		public Object byProperty(Work work) throws Exception {
			return work.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoClients {

		@Bean
		@Primary
		LockClient client() {
			return LocalLockClient.builder().build();
		}

		@Bean
		LockClient archive() {
			return LocalLockClient.builder().build();
		}

	}

	public static class Archive {

		@DistributedLock(name = "archive", client = "archive")
		public Object store(Work work) throws Exception {
			return work.run();
		}

	}

	public record Part(String text) {
	}

	public static class TypedKeys {

		@DistributedLock(name = "value", key = "#value")
		public Object byValue(Object value, Work work) throws Exception {
			return work.run();
		}

		public static String of(String id) {
			return "key-" + id;
		}

		@DistributedLock(key = "T(io.holdfast.lock.interceptor.LockInterceptorTests$TypedKeys).of(#id)")
		public Object byType(String id, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "T(io.holdfast.lock.interceptor.LockInterceptorTests$TypedKeys).ofOrder(#id)")
		public Object byConversion(String id, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "T(io.holdfast.lock.interceptor.LockInterceptorTests$TypedKeys).join(#part)")
		public Object joined(Object part, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "T(io.holdfast.lock.interceptor.LockInterceptorTests$TypedKeys).sort(#parts)")
		public Object sorted(Object parts, Work work) throws Exception {
			return work.run();
		}

		public static String sort(SortedSet<String> parts) {
			return String.join("-", parts);
		}

		public static String join(String... parts) {
			return String.join(",", parts);
		}

		@DistributedLock(key = "'a:' + #part")
		public Object ofParts(Object part, Work work) throws Exception {
			return work.run();
		}

		public static String ofOrder(Order order) {
			return order.region() + "-" + order.id();
		}

	}

	public static class Regions {

		final AtomicInteger calls = new AtomicInteger();

		public String keyOf(Order order) {
			this.calls.incrementAndGet();
			return order.region() + "/" + order.id();
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "order", waitTime = 0)
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	public static class Shop {

		@DistributedLock(key = "#id", waitTime = 0)
		public Object byParameter(String id, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "#p0", waitTime = 0)
		public Object byPosition(String id, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "#order.id")
		public Object byProperty(Order order, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "#order.region")
		public Object byProperty(Order order, Work work, String unused) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "#root.method.name + '-' + #root.args[0] + '-' + #root.target.region()")
		public Object byRoot(String id, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "@regions.keyOf(#a0)")
		public Object byBean(Order order, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "stocktaking")
		public Object byName(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock("with:colon")
		public Object byNameWithColon(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "order-${shop.region:none}", key = "#id")
		public Object byNameAndKey(String id, Work work) throws Exception {
			return work.run();
		}

		@OrderLock("#order.id")
		public Object byMetaAnnotation(Order order, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(key = "#key")
		public Object byMutable(StringBuilder key, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "waits", waitTime = 1, timeUnit = TimeUnit.SECONDS)
		public Object waits(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "waits", waitTimeString = "${shop.patience:5s}")
		public Object waitsString(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "patient", waitTime = Long.MAX_VALUE)
		public Object waitsForEver(Work work) throws IOException {
			try {
				return work.run();
			}
			catch (Exception ex) {
				throw new IOException(ex);
			}
		}

		@DistributedLock(name = "patient", waitTime = Long.MAX_VALUE)
		public Object waitsInterruptibly(Work work) throws Exception, InterruptedException {
			return work.run();
		}

		@DistributedLock(name = "leases", leaseTime = 5, timeUnit = TimeUnit.MINUTES)
		public Object leases(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "leases", leaseTimeString = "PT3M")
		public Object leasesString(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "fair", fair = true)
		public Object fair(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "skip", waitTime = 0, onContention = OnContention.SKIP)
		public @Nullable Object skipObject(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "skip", waitTime = 0, onContention = OnContention.SKIP)
		public Optional<Object> skipOptional(Work work) throws Exception {
			return Optional.of(work.run());
		}

		@DistributedLock(name = "skip", waitTime = 0, onContention = OnContention.SKIP)
		public OptionalInt skipOptionalInt() {
			return OptionalInt.of(1);
		}

		@DistributedLock(name = "skip", waitTime = 0, onContention = OnContention.SKIP)
		public OptionalLong skipOptionalLong() {
			return OptionalLong.of(1);
		}

		@DistributedLock(name = "skip", waitTime = 0, onContention = OnContention.SKIP)
		public OptionalDouble skipOptionalDouble() {
			return OptionalDouble.of(1);
		}

		@DistributedLock(name = "skip", waitTime = 0, onContention = OnContention.SKIP)
		public void skipVoid(Work work) throws Exception {
			work.run();
		}

		@DistributedLock(name = "conditional", condition = "#order.id > 100")
		public Object conditional(Order order, Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "conditional", condition = "#region")
		public Object badCondition(String region, Work work) throws Exception {
			return work.run();
		}

		public Object unlocked(String id, Work work) throws Exception {
			return byParameter(id, work);
		}

		public String region() {
			return "EU";
		}

	}

	@DistributedLock(name = "warehouse")
	public static class Warehouse {

		private final LockClient client;

		Warehouse(LockClient client) {
			this.client = client;
		}

		public Object first(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "second")
		public Object second(Work work) throws Exception {
			return work.run();
		}

		Object third(Work work) throws Exception {
			return work.run();
		}

		@Override
		public String toString() {
			return "Warehouse, locked: " + this.client.getLock("warehouse").isHeldByCurrentThread();
		}

	}

	public static class Skipping {

		@DistributedLock(name = "skip", onContention = OnContention.SKIP)
		public @Nullable Object skipWithoutWaitTime(Work work) throws Exception {
			return work.run();
		}

		@DistributedLock(name = "skip", onContention = OnContention.SKIP, waitTimeString = "1m")
		public @Nullable Object skipAfterAMinute(Work work) throws Exception {
			return work.run();
		}

	}

	public interface Worker {

		@DistributedLock(name = "inherited")
		Object work(Work work) throws Exception;

	}

	public static class WorksWithoutInterface {

		public Object work(Work work) throws Exception {
			return work.run();
		}

	}

	public static class Inherits extends WorksWithoutInterface implements Worker {

	}

	public interface OtherWorker {

		@DistributedLock(name = "other")
		Object work(Work work) throws Exception;

	}

	public static class InheritsTwice extends WorksWithoutInterface implements Worker, OtherWorker {

	}

	public interface TypedWorker<T> {

		@DistributedLock(key = "'typed-' + #a0")
		Object work(T what, Work work) throws Exception;

	}

	public static class WorksOnText {

		public Object work(String what, Work work) throws Exception {
			return work.run();
		}

	}

	public static class InheritsTyped extends WorksOnText implements TypedWorker<String> {

	}

}
