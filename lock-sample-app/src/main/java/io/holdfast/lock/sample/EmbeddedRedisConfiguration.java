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

import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

import org.springframework.boot.autoconfigure.AbstractDependsOnBeanFactoryPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
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
	EmbeddedRedis embeddedRedis(DataRedisProperties redis, SampleProperties sample)
			throws IOException, InterruptedException {
		HostAndPort address = new HostAndPort(redis.getHost(), redis.getPort());
		return new EmbeddedRedis(address,
				DefaultJedisClientConfig.builder().user(redis.getUsername()).password(redis.getPassword()).build(),
				sample.directory());
	}

	@Bean
	static AbstractDependsOnBeanFactoryPostProcessor connectionFactoryDependsOnEmbeddedRedis() {
		return new ConnectionFactoryDependsOnEmbeddedRedis();
	}

	private static final class ConnectionFactoryDependsOnEmbeddedRedis
			extends AbstractDependsOnBeanFactoryPostProcessor {

		ConnectionFactoryDependsOnEmbeddedRedis() {
			super(RedisConnectionFactory.class, EmbeddedRedis.class);
		}

	}

	/** One server, named by host and port, on a loopback address. */
	static final class OnRedisOfThisMachine implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			DataRedisProperties redis = Binder.get(context.getEnvironment())
				.bindOrCreate("spring.data.redis", DataRedisProperties.class);
			return redis.getUrl() == null && redis.getSentinel() == null && redis.getCluster() == null
					&& redis.getMasterreplica() == null && isLoopback(redis.getHost());
		}

		private static boolean isLoopback(String host) {
			try {
				return InetAddress.getByName(host).isLoopbackAddress();
			}
			catch (UnknownHostException ex) {
				return false;
			}
		}

	}

}
