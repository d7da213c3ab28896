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

import java.util.List;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration for the {@link LockClient}.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
		"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration" })
@EnableConfigurationProperties(LockProperties.class)
public final class LockAutoConfiguration {

	private static final Log logger = LogFactory.getLog(LockAutoConfiguration.class);

	@Bean
	@ConditionalOnMissingBean(name = "lockUnknownProperties")
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static ConfigurationPropertiesBindHandlerAdvisor lockUnknownProperties() {
		return UnknownProperties::new;
	}

	@Bean
	LossEvents lockLossEvents(ApplicationEventPublisher events) {
		return new LossEvents(events);
	}

	@Bean
	@ConditionalOnBean(value = LockClient.class, search = SearchStrategy.CURRENT)
	LockClientShutdown lockClientShutdown(ConfigurableApplicationContext context,
			DefaultListableBeanFactory beanFactory) {
		return new LockClientShutdown(context, beanFactory);
	}

	/**
	 * What a client on Redis is made of. It is there also if locks are switched off, so
	 * that beans which make a client of it start; nothing else asks for it then.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional(OnLockRedisCondition.class)
	static class RedisConfiguration {

		@Bean
		@ConditionalOnMissingBean
		LockServers lockServers(@LockConnectionFactory ObjectProvider<RedisConnectionFactory> marked,
				ObjectProvider<RedisConnectionFactory> all, LockProperties properties) {
			return () -> {
				properties.checkNoQuorum();
				return List.of(LockServers.ofApplication(marked, all));
			};
		}

		@Bean
		@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
		@ConditionalOnMissingBean
		RedisLockClientBuilder lockClientBuilder(LockServers servers, LockProperties properties,
				Environment environment, ObjectProvider<LockObserver> observers,
				ObjectProvider<LockClientCustomizer> customizers) {
			RedisLockClientBuilder builder = properties.applyTo(servers.clientBuilder());
			builder.application(environment.getProperty("spring.application.name", "java"));
			observers.orderedStream().forEach(builder::observer);
			customizers.orderedStream().forEach((customizer) -> customizer.customize(builder));
			return builder;
		}

	}

	/**
	 * The client, and the check at the start, which is for this client only.
	 */
	@Configuration(proxyBeanMethods = false)
	@Conditional({ OnLocalLocksCondition.Not.class, OnLockRedisCondition.class })
	@ConditionalOnMissingBean(LockClient.class)
	static class ClientConfiguration {

		@Bean(destroyMethod = "close")
		@ConditionalOnMissingBean(LockClient.class)
		RedisLockClient lockClient(RedisLockClientBuilder builder) {
			RedisLockClient client = LockProperties.build(builder::build);
			logger.info("Locks are shared with all applications that use the key prefix '" + client.keyPrefix()
					+ "' on the same Redis; here they belong to " + client);
			return client;
		}

		@Bean(destroyMethod = "stop")
		@ConditionalOnLockSwitch("check-at-start")
		StartUpCheck lockStartUpCheck(ObjectProvider<RedisLockClient> lockClient, LockServers servers) {
			return new StartUpCheck(lockClient, servers, StartUpCheck.PATIENCE);
		}

	}

}
