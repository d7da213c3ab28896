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

import java.time.Duration;
import java.util.Map;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What turns locks on and off, and what does not. */
@ExtendWith(OutputCaptureExtension.class)
class LockSwitchTests {

	private final ApplicationContextRunner runner = LockRunner.create();

	@ParameterizedTest
	@ValueSource(strings = { "true", "TRUE", "yes", "On", "1", " true ", "${shop.locks:on}" })
	void whatSpringConvertsToTrueTurnsLocksOn(String value) {
		try (LogCapture log = LogCapture.of("io.holdfast.lock.autoconfigure", Level.WARN)) {
			this.runner.withPropertyValues("holdfast.lock.enabled=" + value, "holdfast.lock.check-at-start=" + value)
				.run((context) -> assertThat(context).hasSingleBean(LockClient.class)
					.hasSingleBean(StartUpCheck.class)
					.hasBean("lockAdvisor"));
			assertThat(log.lines()).noneMatch((line) -> line.contains("without a lock"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "False", "no", "off", "0", "${shop.locks:off}" })
	void whatSpringConvertsToFalseTurnsLocksOffAndIsWarnedOf(String value) {
		try (LogCapture log = LogCapture.of("io.holdfast.lock", Level.INFO)) {
			this.runner.withPropertyValues("holdfast.lock.enabled=" + value)
				.run((context) -> assertThat(context).doesNotHaveBean("lockAdvisor"));
			assertThat(log.lines()).containsExactly(
					"WARN holdfast.lock.enabled is false: locks hold within this process only, no other process sees "
							+ "them. Remove that setting where more than one process runs",
					"WARN holdfast.lock.enabled is false: methods with @DistributedLock run without a lock. "
							+ "Remove that setting unless it is meant");
		}
	}

	@Test
	void builderIsThereAlsoIfLocksAreOff() {
		this.runner.withPropertyValues("holdfast.lock.enabled=false", "holdfast.lock.wait-time=3s")
			.run((context) -> assertThat(context.getBean(RedisLockClientBuilder.class))
				.hasFieldOrPropertyWithValue("waitTime", Duration.ofSeconds(3)));
	}

	@Test
	void lazyApplicationWarnsToo() {
		try (LogCapture log = LogCapture.of("io.holdfast.lock", Level.INFO)) {
			this.runner.withPropertyValues("holdfast.lock.enabled=off")
				.withInitializer((context) -> context
					.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
				.run((context) -> assertThat(log.lines()).singleElement().asString().startsWith("WARN"));
		}
	}

	@ParameterizedTest
	@CsvSource({ "enabled,''", "check-at-start,''", "enabled,maybe", "enabled,2", "enabled,tru",
			"enabled,${shop.locks}", "check-at-start,maybe", "mode,redi", "mode,''" })
	void whatIsNoChoiceStopsTheApplication(String property, String value) {
		this.runner.withPropertyValues("holdfast.lock." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("holdfast.lock." + property)
				.hasStackTraceContaining(value));
	}

	@Test
	void failureNamesTheProperty(CapturedOutput output) {
		assertThatThrownBy(() -> run(Map.of(), "--holdfast.lock.enabled=maybe")).isNotNull();

		assertThat(output).contains("Property: holdfast.lock.enabled").contains("Value: \"maybe\"");
	}

	@Test
	void environmentVariableTurnsLocksOn() {
		try (ConfigurableApplicationContext context = run(
				Map.of("HOLDFAST_LOCK_ENABLED", "yes", "HOLDFAST_LOCK_CHECKATSTART", "off"))) {
			assertThat(context.getBeanProvider(LockClient.class).stream()).hasSize(1);
			assertThat(context.getBeanProvider(StartUpCheck.class).stream()).isEmpty();
		}
	}

	private static ConfigurableApplicationContext run(Map<String, Object> variables, String... args) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.environment(environment)
			.properties(LockRunner.properties())
			.run(args);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import(BootLine.class)
	static class Application {

	}

}
