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

package io.holdfast.lock.autoconfigure;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.metrics.LockMetrics;
import io.holdfast.lock.metrics.LockNameRule;
import io.holdfast.lock.metrics.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application has of metrics and traces, on each line of Spring Boot. */
class LockMetricsAutoConfigurationTests {

	private final ApplicationContextRunner withoutMetrics = LockRunner.create()
		.withUserConfiguration(Application.class)
		.withPropertyValues("holdfast.lock.mode=local");

	private final ApplicationContextRunner runner = this.withoutMetrics
		.withConfiguration(AutoConfigurations.of(BootLine.metrics()));

	private final Queue<String> observed = new ConcurrentLinkedQueue<>();

	private final ApplicationContextRunner observing = this.runner.withPropertyValues("holdfast.lock.observations=true")
		.withBean(Recorder.class, () -> new Recorder(this.observed));

	@ParameterizedTest
	@ValueSource(strings = { "local", "redis" })
	void locksAreCounted(String mode) {
		this.runner.withPropertyValues("holdfast.lock.mode=" + mode).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.find("holdfast.lock.acquired").counters()).as("by the check at the start").isEmpty();

			context.getBean(LockClient.class).acquire("order:1", LockOptions.defaults().named("order")).close();

			assertThat(count(registry, "acquired", "order")).isOne();
			assertThat(context).doesNotHaveBean(LockObservations.class);
		});
	}

	@Test
	void annotatedMethodsAreCountedByTheirNames() {
		this.runner.withBean(Shop.class).run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.buy(4711);
			shop.sell(4711);
			shop.read(4711);
			shop.send(4711);

			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(count(registry, "acquired", "order")).isOne();
			assertThat(count(registry, "acquired", "Shop.sell")).as("has no name").isOne();
			assertThat(count(registry, "acquired", "price")).as("reads").isOne();
			assertThat(count(registry, "acquired", "Shop.send")).as("is limited, has no name").isOne();
		});
	}

	@Test
	void ruleOfTheApplicationNamesLocks() {
		this.runner.withBean(LockNameRule.class, () -> (lockName) -> lockName.replaceAll(":.*", "")).run((context) -> {
			context.getBean(LockClient.class).acquire("customer:1", LockOptions.defaults()).close();

			assertThat(count(context.getBean(MeterRegistry.class), "acquired", "customer")).isOne();
		});
	}

	@Test
	void namesAreBoundedAlsoWhereSeveralRegistriesAreOne() {
		this.runner.withBean("one", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("other", SimpleMeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				for (int i = 0; i < 110; i++) {
					client.acquire("order", LockOptions.defaults().named("order-" + i)).close();
				}

				for (String registry : context.getBeanNamesForType(MeterRegistry.class)) {
					assertThat(context.getBean(registry, MeterRegistry.class).get("holdfast.lock.acquired").counters())
						.as(registry)
						.hasSize(101);
				}
			});
	}

	@Test
	void metersCanBeDenied() {
		this.runner.withPropertyValues("management.metrics.enable.holdfast.lock=false").run((context) -> {
			context.getBean(LockClient.class).acquire("a", LockOptions.defaults()).close();

			assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneMatch((meter) -> meter.getId().getName().startsWith("holdfast"));
		});
	}

	@Test
	void histogramIsThereWhereItIsAskedFor() {
		this.runner.withPropertyValues("management.metrics.distribution.slo.holdfast.lock.wait=10ms,1s")
			.run((context) -> {
				context.getBean(LockClient.class).acquire("a", LockOptions.defaults()).close();

				assertThat(context.getBean(MeterRegistry.class)
					.get("holdfast.lock.wait")
					.tag("outcome", "acquired")
					.timers()).isNotEmpty()
					.allSatisfy((timer) -> assertThat(timer.takeSnapshot().histogramCounts()).hasSize(2));
			});
	}

	@Test
	void backsOff() {
		this.withoutMetrics.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(LockClient.class)
			.doesNotHaveBean(LockMetrics.class));
		this.withoutMetrics.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockClient.class)
				.doesNotHaveBean(LockMetricsAutoConfiguration.class));
		this.withoutMetrics
			.withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.actuate"))
			.withPropertyValues("holdfast.lock.observations=true")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockClient.class)
				.doesNotHaveBean(LockObservationAutoConfiguration.class));
	}

	@Test
	void observationsThatNobodyCanMakeAreWarnedOf() {
		try (LogCapture log = LogCapture.of(LockObservationAutoConfiguration.class.getName(), Level.WARN)) {
			this.withoutMetrics.withPropertyValues("holdfast.lock.observations=true")
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockObservations.class));
			assertThat(log.lines()).singleElement()
				.asString()
				.contains("holdfast.lock.observations", "spring-boot-starter-actuator");
		}
		try (LogCapture log = LogCapture.of(LockObservationAutoConfiguration.class.getName(), Level.WARN)) {
			this.observing.run((context) -> assertThat(context).hasSingleBean(LockObservations.class));
			assertThat(log.lines()).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "yes", "On", "1" })
	void observationsAreThereIfAskedFor(String on) {
		this.observing.withPropertyValues("holdfast.lock.observations=" + on).run((context) -> {
			context.getBean(LockClient.class).acquire("order:1", LockOptions.defaults().named("order")).close();

			assertThat(this.observed).containsExactly("holdfast.lock.acquire order:1", "holdfast.lock.hold order:1");
		});
	}

	@Test
	void keysAreMaskedAsTheActuatorMasks() {
		SanitizingFunction mask = (data) -> data.getKey().equals("holdfast.lock.name") ? data.withSanitizedValue()
				: data;

		assertMasked(this.observing.withBean(SanitizingFunction.class, () -> mask));
	}

	@ParameterizedTest
	@ValueSource(strings = { "never", "when-authorized" })
	void keysAreMaskedIfTheEndpointDoesNotShowThemToEverybody(String when) {
		assertMasked(this.observing.withPropertyValues("management.endpoint.locks.show-values=" + when));
	}

	private void assertMasked(ApplicationContextRunner application) {
		application.run((context) -> {
			context.getBean(LockClient.class).acquire("order:1", LockOptions.defaults()).close();

			assertThat(this.observed).containsExactly("holdfast.lock.acquire ******", "holdfast.lock.hold ******");
		});
	}

	private static double count(MeterRegistry registry, String meter, String name) {
		return registry.get("holdfast.lock." + meter)
			.tag("name", name)
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

	/** Imports them as Spring Boot does: without loading a class that may not fit. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LockMetricsAutoConfiguration.class, LockObservationAutoConfiguration.class })
	static class Application {

	}

	static class Shop {

		@DistributedLock(name = "order", key = "#id")
		void buy(long id) {
		}

		@DistributedLock(key = "#id")
		void sell(long id) {
		}

		@DistributedReadLock(name = "price", key = "#id")
		void read(long id) {
		}

		@DistributedLimit(key = "'mail-' + #id", permits = 5)
		void send(long id) {
		}

	}

	/** Records the name and the high-cardinality value of what is observed of locks. */
	private record Recorder(Queue<String> observed) implements ObservationHandler<Observation.Context> {

		@Override
		public void onStop(Observation.Context context) {
			context.getHighCardinalityKeyValues()
				.stream()
				.filter((each) -> each.getKey().equals("lock.key"))
				.forEach((each) -> this.observed.add(context.getName() + " " + each.getValue()));
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
