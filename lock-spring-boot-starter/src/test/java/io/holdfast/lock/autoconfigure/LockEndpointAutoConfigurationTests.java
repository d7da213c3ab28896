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

import java.util.List;
import java.util.Set;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.actuate.LockDescriptors.LockDescriptor;
import io.holdfast.lock.actuate.LockDescriptors.LocksDescriptor;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** When an application has the endpoint, and when it does not. */
class LockEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = LockRunner.create()
		.withUserConfiguration(Application.class)
		.withPropertyValues("management.endpoints.web.exposure.include=locks");

	@Test
	void backsOffIfApplicationHasItsOwnEndpoint() {
		this.runner.withUserConfiguration(OwnEndpoint.class)
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class).hasBean("myEndpoint"));
	}

	@Test
	void backsOffWithoutActuator() {
		this.runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockClient.class)
				.doesNotHaveBean("locksEndpoint"));
	}

	@Test
	void showsLocalLocks() {
		this.runner.withPropertyValues("holdfast.lock.mode=local").run((context) -> {
			context.getBean(LockClient.class).getLock("local").lock();

			assertThat(names(context.getBean(LocksEndpoint.class))).containsExactly("local");
		});
	}

	@Test
	void masksNamesIfTheyAreNotToBeShown() {
		this.runner.withPropertyValues("holdfast.lock.mode=local", "management.endpoint.locks.show-values=never")
			.run((context) -> {
				context.getBean(LockClient.class).getLock("secret").lock();
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);

				assertThat(names(endpoint)).containsExactly("******");
				assertThatExceptionOfType(InvalidEndpointRequestException.class)
					.isThrownBy(() -> names(endpoint, "secret"));
			});
	}

	@Test
	void masksNamesThatAFunctionWantsMasked() {
		SanitizingFunction function = (data) -> (LocksEndpoint.NAME_KEY.equals(data.getKey())
				&& String.valueOf(data.getValue()).startsWith("customer:")) ? data.withSanitizedValue() : data;
		this.runner.withPropertyValues("holdfast.lock.mode=local")
			.withBean("ours", SanitizingFunction.class, () -> function)
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				client.getLock("customer:7").lock();
				client.getLock("order:7").lock();

				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				assertThat(names(endpoint)).containsExactlyInAnyOrder("******", "order:7");
				assertThat(names(endpoint, "customer:")).isEmpty();
				assertThat(names(endpoint, "order:")).containsExactly("order:7");
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void masksNamesOfWhichAFunctionThrows(boolean error) {
		SanitizingFunction function = (data) -> {
			if (String.valueOf(data.getValue()).startsWith("customer:")) {
				if (error) {
					throw new NoClassDefFoundError("thrown on purpose");
				}
				throw new NullPointerException("no property source");
			}
			return data;
		};
		this.runner.withPropertyValues("holdfast.lock.mode=local")
			.withBean("ours", SanitizingFunction.class, () -> function)
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				client.getLock("customer:7").lock();
				client.getLock("order:7").lock();
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				try (LogCapture log = LogCapture.of("io.holdfast.lock.actuate", Level.WARN)) {
					assertThat(names(endpoint)).containsExactlyInAnyOrder("******", "order:7");
					for (int i = 0; i < 20; i++) {
						assertThat(names(endpoint, "customer:")).isEmpty();
					}

					assertThat(log.lines()).hasSize(10)
						.allSatisfy(
								(line) -> assertThat(line).startsWith("WARN A SanitizingFunction threw an exception")
									.contains("holdfast.lock.name", "without a property source"));
				}
				WebEndpointResponse<?> released = endpoint.releaseNamed("customer:7",
						client.getLock("customer:7").token(), SecurityContext.NONE);
				assertThat(released.getStatus()).as("it is released, and that is said").isEqualTo(200);
			});
	}

	private static List<String> names(LocksEndpoint endpoint) {
		return names(endpoint, null);
	}

	private static List<String> names(LocksEndpoint endpoint, String prefix) {
		Object page = endpoint.locks(null, null, null, prefix, null, null, null, SecurityContext.NONE);
		return ((LocksDescriptor) page).locks().stream().map(LockDescriptor::name).toList();
	}

	/** Imports it as Spring Boot does: without loading a class that may not fit. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockEndpointAutoConfiguration.class)
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnEndpoint {

		@Bean
		LocksEndpoint myEndpoint(LockClient client) {
			return new LocksEndpoint(client.directory(), List.of(), Show.ALWAYS, Set.of());
		}

	}

}
