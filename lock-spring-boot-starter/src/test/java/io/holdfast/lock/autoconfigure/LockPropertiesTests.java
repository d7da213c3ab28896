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

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.autoconfigure.LockProperties.Mode;
import io.holdfast.lock.convert.LockTime;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.interceptor.ActiveTransaction;
import io.holdfast.lock.interceptor.LockAdvisor;
import io.holdfast.lock.interceptor.OnLostLock;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.redis.RedisLockClient;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The properties, their defaults and their bounds. */
class LockPropertiesTests {

	private static final Set<String> WITHOUT_DEFAULT = Set.of("management.endpoint.locks.roles");

	@Test
	void hasDefaults() {
		LockProperties properties = bind(Map.of());

		assertThat(properties).isEqualTo(new LockProperties(true, Mode.REDIS, "holdfast:", LockTime.of("10s"),
				LockTime.of("watchdog"), LockTime.of("forever"), 0, LockTime.of("30s"), null, LockTime.of("1s"), true,
				Ordered.LOWEST_PRECEDENCE - 1, false,
				new LockProperties.Transaction(ActiveTransaction.RELEASE_AFTER_COMPLETION, OnLostLock.REFUSE_COMMIT,
						List.of("org.springframework.batch.core.repository.*")),
				new LockProperties.Warning(LockTime.of("0"), LockTime.of("0")), Map.of(), Map.of()));
	}

	@Test
	void bindsAll() {
		LockProperties properties = bind(Map.of("enabled", "false", "mode", "Local", "key-prefix", "shop:", "wait-time",
				"1s", "lease-time", "PT2M", "max-hold", "10m", "max-waiters", "20", "watchdog-timeout", "40s",
				"command-timeout", "3s", "takeover-after", "4s"));
		LockProperties groups = bind(Map.of("check-at-start", "no", "observations", "yes", "aspect-order", "7",
				"transaction.active", "fail", "transaction.on-lost-lock", "Report", "transaction.unguarded", "a.B.*, c",
				"warning.held-too-long", "1m", "warning.wait-too-long", "30s", "quorum.nodes[0]", "redis://:secret@a",
				"quorum.timeout", "1s"));

		assertThat(properties).isEqualTo(new LockProperties(false, Mode.LOCAL, "shop:", LockTime.of("1s"),
				LockTime.of("2m"), LockTime.of("10m"), 20, LockTime.of("40s"), LockTime.of("4s"), LockTime.of("3s"),
				true, Ordered.LOWEST_PRECEDENCE - 1, false, bind(Map.of()).transaction(), bind(Map.of()).warning(),
				Map.of(), Map.of()));
		assertThat(groups.observations()).isTrue();
		assertThat(groups.checkAtStart()).isFalse();
		assertThat(groups.aspectOrder()).isEqualTo(7);
		assertThat(groups.transaction()).isEqualTo(
				new LockProperties.Transaction(ActiveTransaction.FAIL, OnLostLock.REPORT, List.of("a.B.*", "c")));
		assertThat(groups.warning()).isEqualTo(new LockProperties.Warning(LockTime.of("1m"), LockTime.of("30s")));
		assertThat(groups.quorum()).containsOnlyKeys("nodes", "timeout");
		assertThat(groups.toString()).doesNotContain("secret");
	}

	@Test
	void wordsStandForTimesWithoutEnd() {
		LockProperties properties = bind(Map.of("wait-time", "forever", "lease-time", " Watchdog "));

		assertThat(properties.toSettings(List.of()).waitTime()).isEqualTo(LockOptions.FOREVER);
		assertThat(properties.toSettings(List.of()).leaseTime()).isEqualTo(LockOptions.WATCHDOG);
		assertThat(properties.waitTime()).hasToString("forever");
		assertThat(properties.leaseTime()).hasToString("watchdog");
		assertThat(bind(Map.of("wait-time", "0")).toSettings(List.of()).waitTime()).isZero();
	}

	@Test
	void numbersOfYamlAreTimesIfTheyAreZero() {
		LockRunner.create()
			.withInitializer(LockPropertiesTests::addNumbers)
			.run((context) -> assertThat(context.getBean(LockProperties.class).takeoverAfter().duration()).isZero());
		LockRunner.create()
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("yaml", Map.of("holdfast.lock.watchdog-timeout", 120))))
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining("has no unit"));
	}

	private static void addNumbers(ConfigurableApplicationContext context) {
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("yaml",
					Map.of("holdfast.lock.takeover-after", 0, "holdfast.lock.warning.held-too-long", 0)));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			wait-time             | 10       | has no unit
			wait-time             | -5s      | is negative
			lease-time            | 30       | has no unit
			lease-time            | -1       | Write watchdog
			lease-time            | always   | is not a valid duration
			key-prefix            | ' '      | Key prefix
			key-prefix            | a-lock:  | Key prefix
			wait-time             | watchdog | Wait time must not be negative
			lease-time            | 9ms      | Lease time must be between 10ms and 366d
			lease-time            | forever  | Lease time must be between 10ms and 366d
			watchdog-timeout      | 120      | has no unit
			watchdog-timeout      | forever  | Watchdog timeout must be between 100ms and 1d
			takeover-after        | 2        | has no unit
			command-timeout       | 1000     | has no unit
			warning.held-too-long | 60       | has no unit
			warning.wait-too-long | 5        | has no unit
			watchdog-timeout      | 99ms     | Watchdog timeout must be between 100ms and 1d
			command-timeout       | 61s      | Command timeout must be between 100ms and 1m
			warning.held-too-long | 99ms     | Held too long must be
			warning.wait-too-long | 367d     | Wait too long must be
			""")
	void valueOutOfItsBoundsStopsApplication(String property, String value, String reason) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(reason));
	}

	@ParameterizedTest
	@CsvSource({ "wait-time, watchdog, Wait time must not be negative",
			"lease-time, 5ms, Lease time must be between 10ms and 366d" })
	void timeOutOfItsBoundsStopsApplicationWithAClientOfItsOwn(String property, String value, String reason) {
		LockRunner.create()
			.withBean("own", LockClient.class, () -> LocalLockClient.builder().build())
			.withPropertyValues("holdfast.lock." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(reason));
	}

	@ParameterizedTest
	@CsvSource({ "wait-tme, wait-time", "transaction.actve, transaction.active", "takeoverAftr, takeover-after",
			"transacton.active, transaction", "waiter-timeout,", "transaction.wait-time,", "held-too-long,",
			"metrics.enabled,", "other.key-prefix," })
	void propertyThatDoesNotExistIsWarnedOf(String property, @Nullable String meant) {
		try (LogCapture log = LogCapture.of(UnknownProperties.class.getName(), Level.WARN)) {
			LockRunner.create()
				.withPropertyValues("holdfast.lock." + property + "=secret", "holdfast.locks.other=1", "other=2")
				.run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
				.startsWithIgnoringCase("WARN No such property, so it has no effect: holdfast.lock." + property + " (")
				.endsWith((meant != null) ? "). Did you mean holdfast.lock." + meant + "?" : ").")
				.doesNotContain("secret");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "quorm.nodes[0]=secret", "key-prefx=secret", "keyPrfix=secret", "mode=",
			"transaction.onLostLock=", "transaction.active=" })
	void slipInWhatLocksAreSharedByAndPropertyWithoutValueStopTheApplication(String property) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock." + property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(UnboundConfigurationPropertiesException.class)
				.message()
				.containsIgnoringCase("[holdfast.lock." + property.substring(0, property.indexOf('=')) + "]"));
	}

	@Test
	void allReachTheClient() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.key-prefix=shop:", "holdfast.lock.wait-time=1s",
					"holdfast.lock.lease-time=2m", "holdfast.lock.watchdog-timeout=40s",
					"holdfast.lock.command-timeout=3s", "holdfast.lock.warning.held-too-long=1m",
					"holdfast.lock.warning.wait-too-long=30s", "holdfast.lock.check-at-start=false")
			.run((context) -> assertThat(settings(context))
				.extracting("client.keys.prefix", "client.waitTime", "client.leaseTime", "client.watchdogTimeout",
						"commandTimeout", "client.heldTooLong", "client.waitTooLong")
				.containsExactly("shop:", Duration.ofSeconds(1), Duration.ofMinutes(2), Duration.ofSeconds(40),
						Duration.ofSeconds(3), Duration.ofMinutes(1), Duration.ofSeconds(30)));
	}

	@Test
	void listMayBeEmpty() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.transaction.unguarded=")
			.run((context) -> assertThat(context.getBean(LockProperties.class).transaction().unguarded()).isEmpty());
	}

	@Test
	void timesAreTheDefaultsOfLocksByHand() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.wait-time=70ms", "holdfast.lock.lease-time=10m")
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
					other.hold("held");

					assertThatExceptionOfType(LockNotAcquiredException.class)
						.isThrownBy(() -> client.acquire("held", LockOptions.defaults()))
						.satisfies((ex) -> assertThat(ex.waitTime()).isEqualTo(Duration.ofMillis(70)));
				}
				client.getLock("locked").lock();
				client.acquire("acquired", LockOptions.defaults());
				assertThat(List.of("locked", "acquired"))
					.allSatisfy((name) -> assertThat(client.directory().find(name).orElseThrow().leaseLeft())
						.isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10)));
			});
	}

	@ParameterizedTest
	@CsvSource({ "Warn,WARN", "FAIL,FAIL", "release_after_completion,RELEASE_AFTER_COMPLETION",
			"releaseAfterCompletion,RELEASE_AFTER_COMPLETION" })
	void activeTransactionIsReadAsOtherEnumerations(String value, ActiveTransaction expected) {
		assertThat(bind(Map.of("transaction.active", value)).transaction().active()).isEqualTo(expected);
	}

	@Test
	void orderOfAdvisorIsTheProperty() {
		LockRunner.create()
			.run((context) -> assertThat(context.getBean(LockAdvisor.class).getOrder())
				.isEqualTo(Ordered.LOWEST_PRECEDENCE - 1));
		LockRunner.create()
			.withPropertyValues("holdfast.lock.aspectOrder=42")
			.run((context) -> assertThat(context.getBean(LockAdvisor.class).getOrder()).isEqualTo(42));
	}

	@Test
	void actuatorShowsTheProperties() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.key-prefix=till:")
			.withBean(ConfigurationPropertiesReportEndpoint.class,
					() -> new ConfigurationPropertiesReportEndpoint(List.of(), Show.ALWAYS))
			.run((context) -> assertThat(context.getBean(ConfigurationPropertiesReportEndpoint.class)
				.configurationPropertiesWithPrefix("holdfast.lock")
				.getContexts()
				.values()).singleElement()
				.extracting((beans) -> beans.getBeans().values().iterator().next().getProperties())
				.asInstanceOf(InstanceOfAssertFactories.MAP)
				.containsEntry("keyPrefix", "till:")
				.containsEntry("observations", false));
	}

	@Test
	void metadataHasHintsForAllEnumeratedProperties() throws Exception {
		Map<String, Set<String>> hints = new TreeMap<>();
		for (JsonNode hint : metadata().get("hints")) {
			Set<String> values = hints.computeIfAbsent(hint.get("name").asString(), (name) -> new TreeSet<>());
			for (JsonNode value : hint.get("values")) {
				assertThat(value.get("description").asString()).as("%s", value).endsWith(".");
				values.add(value.get("value").asString());
			}
		}

		for (JsonNode property : metadata().get("properties")) {
			Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(
					ClassUtils.forName(property.get("type").asString().replaceAll("<.*", ""), null));
			if (type.isEnum() && property.get("name").asString().startsWith("holdfast.")) {
				assertThat(hints.get(property.get("name").asString())).as("%s", property)
					.containsExactlyInAnyOrderElementsOf(Stream.of(type.getEnumConstants())
						.map((constant) -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
						.toList());
			}
		}
	}

	static JsonNode metadata() throws IOException {
		try (InputStream file = LockProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			return new JsonMapper().readTree(file);
		}
	}

	@Test
	void metadataDescribesAllProperties() throws IOException {
		JsonNode metadata = metadata();

		for (JsonNode property : metadata.get("properties")) {
			assertThat(property.get("description").asString()).as("%s", property).isNotEmpty();
			if (!WITHOUT_DEFAULT.contains(property.get("name").asString())) {
				assertThat(property.has("defaultValue")).as("%s", property).isTrue();
			}
		}
	}

	/**
	 * What the client of an application works with.
	 */
	private static Object settings(ApplicationContext context) {
		return ReflectionTestUtils.getField(context.getBean(RedisLockClient.class), "settings");
	}

	private static LockProperties bind(Map<String, String> values) {
		return new Binder(new MapConfigurationPropertySource(values)).bindOrCreate("",
				Bindable.of(LockProperties.class));
	}

}
