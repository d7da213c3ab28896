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

package io.holdfast.lock.host.jdbc;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with Spring Data JDBC, whose entities often have no annotation of it.
 */
@Tag("data-jdbc")
class DataJdbcHostTests {

	@Test
	void onlyARepositoryWhoseEntityIsAnnotatedIsFound() {
		new ApplicationContextRunner().withUserConfiguration(Application.class)
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:host")
			.run((context) -> assertThat(context).hasSingleBean(Letters.class).doesNotHaveBean(Parcels.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
