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

package io.holdfast.lock.host.jpa;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.fixture.LogCapture;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with JPA. Spring Data Redis on the class path is a second Spring Data
 * module, so Spring Data looks more closely at which repository is whose.
 */
class JpaHostTests {

	private static final String STRICT = "entering strict repository configuration mode";

	private static final String NOT_OURS = "Spring Data Redis - Could not safely identify store assignment";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:host", "spring.jpa.hibernate.ddl-auto=create");

	@Test
	void repositoryOfAnEntityWorks() {
		try (LogCapture log = LogCapture.of("org.springframework.data", Level.INFO)) {
			this.runner.run((context) -> {
				assertThat(context.getBean(Customers.class).count()).isZero();
				assertThat(context).hasBean("redisKeyValueAdapter");
				assertThat(String.join("\n", log.lines())).contains(STRICT, NOT_OURS);
			});
		}
	}

	@Test
	void redisLooksForNoRepositoriesIfTheApplicationSaysSo() {
		try (LogCapture log = LogCapture.of("org.springframework.data", Level.INFO)) {
			this.runner.withPropertyValues("spring.data.redis.repositories.enabled=false").run((context) -> {
				assertThat(context.getBean(Customers.class).count()).isZero();
				assertThat(context).doesNotHaveBean("redisKeyValueAdapter");
				assertThat(String.join("\n", log.lines())).contains(STRICT).doesNotContain(NOT_OURS);
			});
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
