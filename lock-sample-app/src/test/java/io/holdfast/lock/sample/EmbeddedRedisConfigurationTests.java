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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedRedisConfigurationTests {

	@TempDir
	Path directory;

	Place place;

	ApplicationContextRunner runner;

	@BeforeEach
	void prepareContext() {
		this.place = Place.in(this.directory);
		this.runner = new ApplicationContextRunner().withInitializer(new ConfigDataApplicationContextInitializer())
			.withUserConfiguration(PropertiesConfiguration.class, EmbeddedRedisConfiguration.class)
			.withPropertyValues("spring.data.redis.port=" + this.place.redisPort(),
					"sample.directory=" + this.directory);
	}

	@AfterEach
	void endRedis() {
		this.place.endRedis();
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost", "127.0.0.1" })
	void redisOfThisMachineIsStarted(String host) {
		this.runner.withPropertyValues("spring.data.redis.host=" + host).run((context) -> {
			assertThat(context).hasSingleBean(EmbeddedRedis.class);
			assertThat(this.place.hasRedis()).isTrue();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "host=redis.invalid", "host=192.0.2.1", "url=redis://localhost:7000",
			"sentinel.nodes=localhost:7000", "cluster.nodes=localhost:7000", "masterreplica.nodes=localhost:7000" })
	void anyOtherRedisIsLeftToWhoeverConfiguredIt(String property) {
		this.runner.withPropertyValues("spring.data.redis." + property).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean(EmbeddedRedis.class);
			assertThat(this.place.hasRedis()).isFalse();
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(SampleProperties.class)
	static class PropertiesConfiguration {

	}

}
