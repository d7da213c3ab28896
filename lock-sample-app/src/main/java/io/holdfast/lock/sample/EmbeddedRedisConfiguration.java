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

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

import org.springframework.boot.autoconfigure.AbstractDependsOnBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Starts the embedded Redis before the first and ends it after the last connection,
 * unless the configured Redis is one that cannot be started here.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(EmbeddedRedisConfiguration.OnRedisOfThisMachine.class)
class EmbeddedRedisConfiguration {

	@Bean
	EmbeddedRedis embeddedRedis(Environment environment, SampleProperties sample)
			throws IOException, InterruptedException {
		ConfiguredRedis redis = ConfiguredRedis.of(environment);
		return new EmbeddedRedis(new HostAndPort(redis.host(), redis.port()),
				DefaultJedisClientConfig.builder().user(redis.username()).password(redis.password()).build(),
				sample.directory());
	}

	@Bean
	static AbstractDependsOnBeanFactoryPostProcessor connectionFactoryDependsOnEmbeddedRedis() {
		return new ConnectionFactoryDependsOnEmbeddedRedis();
	}

	static boolean isLoopback(String host) {
		try {
			return InetAddress.getByName(host).isLoopbackAddress();
		}
		catch (UnknownHostException ex) {
			return false;
		}
	}

	private static final class ConnectionFactoryDependsOnEmbeddedRedis
			extends AbstractDependsOnBeanFactoryPostProcessor {

		ConnectionFactoryDependsOnEmbeddedRedis() {
			super(RedisConnectionFactory.class, EmbeddedRedis.class);
		}

	}

	/** One server without a password, named by host and port, on a loopback address. */
	static final class OnRedisOfThisMachine implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConfiguredRedis redis = ConfiguredRedis.of(context.getEnvironment());
			return redis.isOneServer() && redis.password() == null && isLoopback(redis.host());
		}

	}

	// Not Spring Boot's own class for this, which has another name in each of its lines
	record ConfiguredRedis(@Nullable String url, @DefaultValue("localhost") String host, @DefaultValue("6379") int port,
			@Nullable String username, @Nullable String password, @Nullable Map<String, String> sentinel,
			@Nullable Map<String, String> cluster, @Nullable Map<String, String> masterreplica) {

		static ConfiguredRedis of(Environment environment) {
			return Binder.get(environment).bindOrCreate("spring.data.redis", ConfiguredRedis.class);
		}

		boolean isOneServer() {
			return this.url == null && this.sentinel == null && this.cluster == null && this.masterreplica == null;
		}

	}

}
