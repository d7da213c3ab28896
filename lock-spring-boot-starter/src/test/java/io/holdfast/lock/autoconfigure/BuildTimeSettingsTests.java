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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class BuildTimeSettingsTests {

	@ParameterizedTest
	@CsvSource({ "enabled, false", "check-at-start, false", "observations, true", "publish-events, true", "mode, local",
			"advice, aspectj", "dashboard.enabled, true" })
	void settingThatTheBuildHasDecidedCannotBeAnother(String name, String value) {
		String property = "holdfast.lock." + name;
		MockEnvironment other = new MockEnvironment().withProperty(property, value);

		assertThatExceptionOfType(LockStartUpException.class).isThrownBy(() -> start(new MockEnvironment(), other))
			.satisfies((ex) -> assertThat(ex.description()).startsWith(property + " was fixed to ")
				.endsWith(" by AOT processing and cannot be " + value + " at run time."));
		assertThatExceptionOfType(LockStartUpException.class).isThrownBy(() -> start(other, new MockEnvironment()));
		assertThatNoException().isThrownBy(() -> start(other, other));
	}

	@ParameterizedTest
	@ValueSource(strings = { "management.health.holdfast-lock.enabled", "management.health.defaults.enabled" })
	void healthThatTheBuildHasDecidedCannotBeAnother(String property) {
		MockEnvironment other = new MockEnvironment().withProperty(property, "false");

		assertThatExceptionOfType(LockStartUpException.class).isThrownBy(() -> start(new MockEnvironment(), other))
			.satisfies((ex) -> assertThat(ex.description())
				.startsWith("management.health.holdfast-lock.enabled was fixed to true"));
		assertThatNoException().isThrownBy(() -> start(other, other));
	}

	@Test
	void settingMayBeWrittenInAnotherWay() {
		MockEnvironment build = new MockEnvironment().withProperty("holdfast.lock.check-at-start", "off");

		assertThatNoException().isThrownBy(() -> start(build,
				new MockEnvironment().withProperty("holdfast.lock.checkAtStart", "no")
					.withProperty("holdfast.lock.enabled", "true")
					.withProperty("holdfast.lock.mode", "REDIS")));
	}

	private static void start(MockEnvironment build, MockEnvironment now) {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerSingleton("environment", now);

		new BuildTimeSettings(BuildTimeSettings.read(build)).postProcessBeanFactory(beanFactory);
	}

}
