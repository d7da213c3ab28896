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

import java.util.Map;

import io.holdfast.lock.fixture.BootLine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Commons Pool comes with Jedis, and Spring Boot takes its presence for the wish to pool.
 */
class LettucePoolAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BootLine.locks()))
		.withConfiguration(AutoConfigurations.of(LettucePoolAutoConfiguration.class));

	@Test
	void lettuceIsNotPooledInAnApplicationThatDidNotAsk() {
		new ApplicationContextRunner().withUserConfiguration(Application.class)
			.run((context) -> assertThat(isPooled(context.getBean(LettuceConnectionFactory.class))).isFalse());
	}

	@ParameterizedTest
	@ValueSource(strings = { "max-active=8", "maxWait=1s", "enabled=true" })
	void lettuceIsPooledInAnApplicationThatDid(String asked) {
		this.runner.withPropertyValues("spring.data.redis.lettuce.pool." + asked)
			.run((context) -> assertThat(isPooled(context.getBean(LettuceConnectionFactory.class))).isTrue());
	}

	@Test
	void poolIsAskedForInAnEnvironmentVariable() {
		String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		Map<String, Object> variables = Map.of("SPRING_DATA_REDIS_LETTUCE_POOL_MAXACTIVE", "8");
		this.runner
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace(name, new SystemEnvironmentPropertySource(name, variables)))
			.run((context) -> assertThat(isPooled(context.getBean(LettuceConnectionFactory.class))).isTrue());
	}

	@Test
	void withoutOurJedisCommonsPoolIsTheApplications() {
		this.runner.withClassLoader(new FilteredClassLoader("redis.clients.jedis"))
			.run((context) -> assertThat(isPooled(context.getBean(LettuceConnectionFactory.class))).isTrue());
	}

	@Test
	void jedisIsPooled() {
		this.runner.withPropertyValues("spring.data.redis.client-type=jedis")
			.run((context) -> assertThat(isPooled(context.getBean(JedisConnectionFactory.class))).isTrue());
	}

	private static boolean isPooled(JedisConnectionFactory factory) {
		return factory.getClientConfiguration().isUsePooling();
	}

	private static boolean isPooled(LettuceConnectionFactory factory) {
		return factory.getClientConfiguration() instanceof LettucePoolingClientConfiguration;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
