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

package io.holdfast.lock.dashboard;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.autoconfigure.LockEndpointAutoConfiguration;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** When an application has the page, and when it does not. */
class LockDashboardAutoConfigurationTests {

	private final ApplicationContextRunner runner = LockRunner.create()
		.withConfiguration(
				AutoConfigurations.of(LockEndpointAutoConfiguration.class, LockDashboardAutoConfiguration.class))
		.withPropertyValues("holdfast.lock.mode=local");

	@Test
	void pageIsThereOnlyIfExposedWithTheLocks() {
		for (String exposed : new String[] { "health", "locks", "lockdashboard" }) {
			exposing(exposed).run((context) -> assertThat(context).as(exposed)
				.hasSingleBean(LockClient.class)
				.doesNotHaveBean(LockDashboardEndpoint.class)
				.doesNotHaveBean(LockActivity.class));
		}
		for (String exposed : new String[] { "locks,lockdashboard", "*" }) {
			exposing(exposed).run((context) -> assertThat(context).as(exposed)
				.hasSingleBean(LockDashboardEndpoint.class)
				.hasSingleBean(LockActivity.class));
		}
	}

	private ApplicationContextRunner exposing(String endpoints) {
		return this.runner.withPropertyValues("management.endpoints.web.exposure.include=" + endpoints);
	}

}
