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

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.autoconfigure.LockProperties.Mode;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.interceptor.ActiveTransaction;
import io.holdfast.lock.interceptor.LockAdvisor;
import io.holdfast.lock.interceptor.OnLostLock;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.assertj.core.api.InstanceOfAssertFactories;
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
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The properties, their defaults and their bounds. */
class LockPropertiesTests {

	private static final Set<String> WITHOUT_DEFAULT = Set.of("holdfast.lock.quorum.nodes",
			"holdfast.lock.quorum.restart-guard", "management.endpoint.locks.roles");

	@Test
	void hasDefaults() {
		LockProperties properties = bind(Map.of());

		assertThat(properties).isEqualTo(new LockProperties(true, Mode.REDIS, "holdfast:", Duration.ofSeconds(10),
				LockOptions.WATCHDOG, Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(1),
				Duration.ofMinutes(5), 16, "none", Duration.ofSeconds(1), true, Ordered.LOWEST_PRECEDENCE - 1,
				ActiveTransaction.RELEASE_AFTER_COMPLETION, OnLostLock.REFUSE_COMMIT,
				List.of("org.springframework.batch.core.repository.*"), Duration.ZERO, Duration.ZERO, false,
				new LockProperties.Quorum(List.of(), Duration.ofMillis(500), null)));
	}

	@Test
	void bindsAll() {
		LockProperties properties = bind(Map.of("enabled", "false", "key-prefix", "shop:", "wait-time", "1s",
				"lease-time", "PT2M", "watchdog-timeout", "40s", "waiter-timeout", "5000", "token-retention", "1h",
				"max-local-handoffs", "0", "aspect-order", "7", "active-transaction", "fail"));
		LockProperties losses = bind(
				Map.of("on-lost-lock", "Report", "unguarded-transactions", "a.B.*, c", "observations", "yes"));
		LockProperties replicas = bind(Map.of("replica-acknowledgement", "1", "replica-timeout", "200",
				"check-at-start", "no", "mode", "Local", "command-timeout", "3s"));
		LockProperties warnings = bind(Map.of("held-too-long", "1m", "wait-too-long", "30s"));

		assertThat(properties).isEqualTo(new LockProperties(false, Mode.REDIS, "shop:", Duration.ofSeconds(1),
				Duration.ofMinutes(2), Duration.ofSeconds(40), Duration.ofSeconds(5), Duration.ofSeconds(1),
				Duration.ofHours(1), 0, "none", Duration.ofSeconds(1), true, 7, ActiveTransaction.FAIL,
				OnLostLock.REFUSE_COMMIT, List.of("org.springframework.batch.core.repository.*"), Duration.ZERO,
				Duration.ZERO, false, new LockProperties.Quorum(List.of(), Duration.ofMillis(500), null)));
		assertThat(replicas.replicaAcknowledgement()).isEqualTo("1");
		assertThat(replicas.checkAtStart()).isFalse();
		assertThat(losses.observations()).isTrue();
		assertThat(losses.onLostLock()).isEqualTo(OnLostLock.REPORT);
		assertThat(losses.unguardedTransactions()).containsExactly("a.B.*", "c");
		assertThat(replicas.mode()).isEqualTo(Mode.LOCAL);
		assertThat(replicas.commandTimeout()).isEqualTo(Duration.ofSeconds(3));
		assertThat(replicas.replicaTimeout()).isEqualTo(Duration.ofMillis(200));
		assertThat(warnings.heldTooLong()).isEqualTo(Duration.ofMinutes(1));
		assertThat(warnings.waitTooLong()).isEqualTo(Duration.ofSeconds(30));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			key-prefix         | ' '    | it must have 1 to 200 characters and not be blank
			key-prefix         | a-lock: | it must not contain the word 'lock:'
			wait-time          | -1ms   | it must not be negative
			lease-time         | 9ms    | it must be between 10ms and 366d, or -1 to be renewed by the watchdog
			lease-time         | 367d   | it must be between 10ms and 366d, or -1 to be renewed by the watchdog
			lease-time         | -5s    | it must be between 10ms and 366d, or -1 to be renewed by the watchdog
			watchdog-timeout   | 99ms   | it must be between 100ms and 1d
			watchdog-timeout   | 25h    | it must be between 100ms and 1d
			waiter-timeout     | 99ms   | it must be between 100ms and 5m
			waiter-timeout     | 301s   | it must be between 100ms and 5m
			command-timeout    | 99ms   | it must be between 100ms and 1m
			command-timeout    | 61s    | it must be between 100ms and 1m
			token-retention    | 59s    | it must be between 1m and 30d
			token-retention    | 31d    | it must be between 1m and 30d
			max-local-handoffs | -1     | it must be between 0 and 10000
			max-local-handoffs | 10001  | it must be between 0 and 10000
			replica-acknowledgement | 2 | it must be none, 1 or majority
			replica-timeout    | 61s    | it must be between 1ms and 1m
			wait-time          | -90s   | it must not be negative
			held-too-long      | 99ms   | it must be between 100ms and 366d, or 0 for no warning
			wait-too-long      | 367d   | it must be between 100ms and 366d, or 0 for no warning
			quorum.timeout     | 9ms    | it must be between 10ms and 1m
			quorum.restart-guard | 25h  | it must be between 0 and 1d
			quorum.restart-guard | 29s  | it must not be shorter than watchdog-timeout and lease-time
			""")
	void invalidValueStopsApplication(String property, String value, String reason) {
		LockRunner.create().withPropertyValues("holdfast.lock." + property + "=" + value).run((context) -> {
			Throwable failure = context.getStartupFailure();
			while (failure != null && !(failure instanceof InvalidConfigurationPropertyValueException)) {
				failure = failure.getCause();
			}
			assertThat(failure).isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, (invalid) -> {
				assertThat(invalid.getName()).isEqualTo("holdfast.lock." + property);
				assertThat(invalid.getReason()).isEqualTo(reason);
				assertThat(invalid.getMessage()).contains("with value '" + value.strip() + "' is invalid");
			});
		});
	}

	@Test
	void allReachTheClient() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.key-prefix=shop:", "holdfast.lock.wait-time=1s",
					"holdfast.lock.lease-time=2m", "holdfast.lock.watchdog-timeout=40s",
					"holdfast.lock.waiter-timeout=5s", "holdfast.lock.command-timeout=3s",
					"holdfast.lock.token-retention=1h", "holdfast.lock.max-local-handoffs=3",
					"holdfast.lock.replica-acknowledgement=majority", "holdfast.lock.replica-timeout=200ms",
					"holdfast.lock.held-too-long=1m", "holdfast.lock.wait-too-long=30s",
					"holdfast.lock.check-at-start=false")
			.run((context) -> assertThat(settings(context))
				.extracting("client.keys.prefix", "client.waitTime", "client.leaseTime",
						"client.engine.watchdogTimeout", "client.engine.waiterTimeout", "commandTimeout",
						"server.tokenRetention", "client.engine.maxLocalHandoffs", "replicas.majority",
						"replicas.timeout", "client.engine.heldTooLong", "client.engine.waitTooLong", "quorum")
				.containsExactly("shop:", Duration.ofSeconds(1), Duration.ofMinutes(2), Duration.ofSeconds(40),
						Duration.ofSeconds(5), Duration.ofSeconds(3), Duration.ofHours(1), 3, true,
						Duration.ofMillis(200), Duration.ofMinutes(1), Duration.ofSeconds(30), null));
	}

	@Test
	void thoseOfAQuorumReachTheClient() {
		LockRunner.create()
			.withPropertyValues(
					"holdfast.lock.quorum.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3",
					"holdfast.lock.quorum.timeout=300ms", "holdfast.lock.quorum.restart-guard=1m",
					"holdfast.lock.check-at-start=false")
			.run((context) -> assertThat(settings(context)).extracting("quorum.timeout", "quorum.restartGuard")
				.containsExactly(Duration.ofMillis(300), Duration.ofMinutes(1)));
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
						.satisfies((ex) -> assertThat(ex.waited()).isEqualTo(Duration.ofMillis(70)));
				}
				client.getLock("locked").lock();
				client.acquire("acquired", LockOptions.defaults());
				assertThat(List.of("locked", "acquired"))
					.allSatisfy((name) -> assertThat(client.directory().find(name).orElseThrow().leaseLeft())
						.isBetween(Duration.ofMinutes(9), Duration.ofMinutes(10)));
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "1", "majority" })
	void ownerWaitsForReplicas(String acknowledgement) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.replica-acknowledgement=" + acknowledgement,
					"holdfast.lock.replica-timeout=50ms")
			.run((context) -> assertThatExceptionOfType(LockServerException.class)
				.isThrownBy(context.getBean(LockClient.class).getLock("a")::tryLock)
				.withMessageContaining("0 replicas acknowledged it within 50ms, wanted were 1"));
	}

	@ParameterizedTest
	@CsvSource({ "None,NONE", "NONE,NONE", "' majority ',MAJORITY", "Majority,MAJORITY", "ONE,ONE", "1,ONE" })
	void replicaAcknowledgementIsReadAsOtherEnumerations(String value,
			RedisLockClient.ReplicaAcknowledgement expected) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.replica-acknowledgement=" + value, "holdfast.lock.check-at-start=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(LockProperties.class)
				.extracting((properties) -> ReflectionTestUtils.invokeMethod(properties, "acknowledgement"))
				.isEqualTo(expected));
	}

	@ParameterizedTest
	@CsvSource({ "Warn,WARN", "FAIL,FAIL", "release_after_completion,RELEASE_AFTER_COMPLETION",
			"releaseAfterCompletion,RELEASE_AFTER_COMPLETION" })
	void activeTransactionIsReadAsOtherEnumerations(String value, ActiveTransaction expected) {
		assertThat(bind(Map.of("active-transaction", value)).activeTransaction()).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "redis://a:1,1 server.", "'redis://a:1,redis://b:1',2 servers." })
	void numberOfServersThatIsNoQuorumStopsApplication(String nodes, String number) {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.quorum.nodes=" + nodes)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("holdfast.lock.quorum.nodes names " + number
						+ " There must be 3, 5, 7 or 9, or none for locks on the application's Redis."));
	}

	@Test
	void serversOfAQuorumAreNoReplicas() {
		LockRunner.create()
			.withPropertyValues("holdfast.lock.replica-acknowledgement=majority",
					"holdfast.lock.quorum.nodes=redis://a,redis://b,redis://c")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining("the servers of a quorum are no replicas"));
	}

	@ParameterizedTest
	@CsvSource({ "lease-time,10ms,9ms", "lease-time,366d,367d", "wait-time,0,-1ms", "watchdog-timeout,100ms,99ms",
			"watchdog-timeout,1d,25h", "waiter-timeout,100ms,99ms", "waiter-timeout,5m,301s", "token-retention,1m,59s",
			"token-retention,30d,31d", "command-timeout,100ms,99ms", "command-timeout,1m,61s",
			"max-local-handoffs,0,-1", "max-local-handoffs,10000,10001" })
	void boundsAreThoseOfTheClient(String property, String accepted, String refused) {
		RedisConnectionFactory connectionFactory = RedisDriver.JEDIS.connect(RedisProcess.shared());
		try {
			RedisLockClientBuilder builder = bind(Map.of(property, accepted)).toBuilder(List.of(connectionFactory));
			assertThatCode(() -> builder.build().close()).doesNotThrowAnyException();

			LockProperties properties = bind(Map.of(property, refused));
			builder.waitTime(properties.waitTime())
				.leaseTime(properties.leaseTime())
				.watchdogTimeout(properties.watchdogTimeout())
				.waiterTimeout(properties.waiterTimeout())
				.commandTimeout(properties.commandTimeout())
				.tokenRetention(properties.tokenRetention())
				.maxLocalHandoffs(properties.maxLocalHandoffs());
			assertThatIllegalArgumentException().isThrownBy(builder::build);
		}
		finally {
			RedisDriver.disconnect(connectionFactory);
		}
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
				.containsEntry("maxLocalHandoffs", 16)
				.containsKey("quorum"));
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

		assertThat(hints.get("holdfast.lock.replica-acknowledgement")).containsOnly("none", "1", "majority");
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

	private static JsonNode metadata() throws IOException {
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
