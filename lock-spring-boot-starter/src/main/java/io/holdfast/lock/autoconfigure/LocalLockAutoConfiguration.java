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

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLockClientBuilder;
import io.holdfast.lock.redis.RedisLockClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for a {@link LockClient} without Redis: where locks are to hold
 * within the process only, and where they are off, so that beans which inject a client
 * have one.
 */
@AutoConfiguration(before = LockAutoConfiguration.class)
@ConditionalOnClass(LocalLockClient.class)
@EnableConfigurationProperties(LockProperties.class)
public final class LocalLockAutoConfiguration {

	private static final Log logger = LogFactory.getLog(LocalLockAutoConfiguration.class);

	@Bean
	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	@ConditionalOnMissingBean
	LocalLockClientBuilder localLockClientBuilder(LockProperties properties, Environment environment,
			ObjectProvider<LockObserver> observers) {
		LocalLockClientBuilder builder = LocalLockClient.builder()
			.waitTime(properties.waitTime().duration())
			.leaseTime(properties.leaseTime().duration())
			.maxHold(properties.maxHold().duration())
			.maxWaiters(properties.maxWaiters())
			.watchdogTimeout(properties.watchdogTimeout().duration())
			.heldTooLong(properties.warning().heldTooLong().duration())
			.waitTooLong(properties.warning().waitTooLong().duration())
			.application(environment.getProperty("spring.application.name", "java"));
		observers.orderedStream().forEach(builder::observer);
		return builder;
	}

	@Bean(destroyMethod = "close")
	@Conditional(OnLocalLocksCondition.class)
	@ConditionalOnMissingBean(LockClient.class)
	LocalLockClient lockClient(LocalLockClientBuilder builder, LockProperties properties) {
		logger.warn("holdfast.lock." + (properties.enabled() ? "mode is local" : "enabled is false")
				+ ": locks hold within this process only, no other process sees them. "
				+ "Remove that setting where more than one process runs");
		return LockProperties.build(builder::build);
	}

	@Bean
	@Conditional(OnLocalLocksCondition.class)
	static RedisClientRefusal redisClientRefusal(Environment environment) {
		return new RedisClientRefusal(OnLocalLocksCondition.isLocalMode(environment));
	}

	/**
	 * Refuses clients of the application that lock in Redis where no lock is to.
	 *
	 * @param local whether locks are to hold within the process
	 */
	record RedisClientRefusal(boolean local) implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (this.local && bean instanceof RedisLockClient client) {
				client.close();
				throw new LockStartUpException(
						"Bean '" + beanName + "' locks in Redis, though holdfast.lock.mode is local.",
						"Define it with @ConditionalOnProperty(name = \"holdfast.lock.mode\", havingValue = \"redis\", "
								+ "matchIfMissing = true), or as a LocalLockClient.");
			}
			return bean;
		}

	}

}
