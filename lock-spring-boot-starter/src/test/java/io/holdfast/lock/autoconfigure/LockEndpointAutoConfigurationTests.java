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

import io.holdfast.lock.LockClient;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** When an application has the endpoint, and when it does not. */
class LockEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = LockRunner.create()
		.withUserConfiguration(Application.class)
		.withPropertyValues("management.endpoints.web.exposure.include=locks");

	@Test
	void endpointIsThereIfExposed() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
	}

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

			assertThat(context.getBean(LocksEndpoint.class).locks(null, null).locks()).singleElement()
				.hasFieldOrPropertyWithValue("name", "local");
		});
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
			return new LocksEndpoint(client.directory());
		}

	}

}
