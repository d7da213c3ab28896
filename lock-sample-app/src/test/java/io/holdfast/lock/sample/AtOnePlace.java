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

package io.holdfast.lock.sample;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** Tests whose instances meet at a place, of which nothing is left afterwards. */
abstract class AtOnePlace {

	@TempDir
	Path directory;

	Place place;

	@BeforeEach
	void choosePlace() {
		this.place = Place.in(this.directory);
	}

	@AfterEach
	void endAll() {
		this.place.endRedis();
		this.place.awaitEndOfCompanion();
	}

	/** Applications with a part of the sample, and its properties. */
	ApplicationContextRunner runner(Class<?> part) {
		return new ApplicationContextRunner().withInitializer(new ConfigDataApplicationContextInitializer())
			.withUserConfiguration(PropertiesConfiguration.class, part)
			.withPropertyValues("sample.directory=" + this.directory);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(SampleProperties.class)
	static class PropertiesConfiguration {

	}

}
