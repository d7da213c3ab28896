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

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What an application prints when it does not start. */
@ExtendWith(OutputCaptureExtension.class)
class StartUpFailureTests {

	@Test
	void invalidMethodIsExplained(CapturedOutput output) {
		assertThatThrownBy(() -> run(BadKey.class)).isNotNull();

		assertThat(output).contains(
				"""
						Description:

						@DistributedLock on %s.pay(Long): key "#orderId" refers to #orderId, and the method has no parameter of \
						that name.

						Action:

						Its parameters are #id.
						"""
					.formatted(BadKey.class.getName()));
	}

	@Test
	void invalidPropertyIsExplained(CapturedOutput output) {
		assertThatThrownBy(() -> run(Application.class, "holdfast.lock.watchdog-timeout=5ms")).isNotNull();

		assertThat(output).contains("holdfast.lock.watchdog-timeout").contains("it must be between 100ms and 1d");
	}

	private static void run(Class<?> bean, String... properties) {
		new SpringApplicationBuilder(Application.class, bean).web(WebApplicationType.NONE)
			.properties(LockRunner.properties())
			.properties(properties)
			.run()
			.close();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ PropertyPlaceholderAutoConfiguration.class, DataRedisAutoConfiguration.class,
			LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	static class Application {

	}

	public static class BadKey {

		@DistributedLock(key = "#orderId")
		public void pay(Long id) {
		}

	}

}
