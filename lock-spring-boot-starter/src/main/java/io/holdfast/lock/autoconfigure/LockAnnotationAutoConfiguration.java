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

import io.holdfast.lock.interceptor.LockFence;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.LockedMethodsCheck;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;

/**
 * Auto-configuration for {@link io.holdfast.lock.annotation.DistributedLock}. It does not
 * depend on a client being there: if there is none, an application that has locked
 * methods does not start.
 * <p>
 * It comes last because some advisors for retries have the order of the lock: those that
 * are defined before it are outside of it.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@Import(ProxyLockConfiguration.class)
@EnableConfigurationProperties(LockProperties.class)
public final class LockAnnotationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	LockSettings lockSettings(LockProperties properties, ObjectProvider<LockFence> fences) {
		properties.checkNoFence();
		return properties.toSettings(fences.orderedStream().toList());
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnLockSwitch("enabled")
	@ConditionalOnMissingBean(name = "lockCommitGuard", search = SearchStrategy.CURRENT)
	static BeanPostProcessor lockCommitGuard() {
		return LockedMethodsCheck.commitGuard();
	}

	/**
	 * Says that locks are off, also in an application whose beans are lazy.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockSwitch(value = "enabled", on = false)
	static class DisabledConfiguration implements SmartInitializingSingleton {

		private static final Log logger = LogFactory.getLog(LockAnnotationAutoConfiguration.class);

		@Override
		public void afterSingletonsInstantiated() {
			logger.warn("holdfast.lock.enabled is false: methods with @DistributedLock run without a lock. "
					+ "Remove that setting unless it is meant");
		}

	}

}
