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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class EmbeddedRedisConfigurationTests extends AtOnePlace {

	ApplicationContextRunner runner;

	@BeforeEach
	void prepareContext() {
		this.runner = runner(EmbeddedRedisConfiguration.class)
			.withPropertyValues("spring.data.redis.port=" + this.place.redisPort());
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

}
