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
import io.holdfast.lock.interceptor.LockAdvisor;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.LockedMethodsCheck;
import io.holdfast.lock.interceptor.WovenLocks;

import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/**
 * Locks of proxies: the calls that come through them.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockSwitch("enabled")
@ConditionalOnMissingBean(value = WovenLocks.class, search = SearchStrategy.CURRENT)
@Import(ProxyLockConfiguration.AutoProxyRegistrar.class)
class ProxyLockConfiguration {

	/** Annotations of Spring Security have the orders from 100 on. */
	private static final int BEFORE_SECURITY = 99;

	// The advisor is created before other beans, so it must not need any. Its order
	// comes from the environment for that reason. That of a parent context is for the
	// beans of that one: the proxies of each context know no other advisor.
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static LockAdvisor lockAdvisor(ConfigurableListableBeanFactory beanFactory, ObjectProvider<LockClient> client,
			ObjectProvider<LockSettings> settings, Environment environment) {
		LockAdvisor advisor = new LockAdvisor(beanFactory, SingletonSupplier.of(client::getObject),
				SingletonSupplier.of(settings::getObject));
		advisor.setOrder(environment.getProperty(LockProperties.PREFIX + "aspect-order", Integer.class,
				LockAdvisor.DEFAULT_ORDER));
		return advisor;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(name = "lockedSubscriptionsAdvisor", search = SearchStrategy.CURRENT)
	static Advisor lockedSubscriptionsAdvisor(LockAdvisor advisor) {
		return advisor.eachSubscription(Ordered.HIGHEST_PRECEDENCE);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(name = "lockedSubscriptionsAroundSecurityAdvisor", search = SearchStrategy.CURRENT)
	static Advisor lockedSubscriptionsAroundSecurityAdvisor(LockAdvisor advisor) {
		return advisor.eachSubscription(BEFORE_SECURITY);
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static LockedMethodsCheck lockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, LockAdvisor advisor) {
		return new LockedMethodsCheck(beanFactory, advisor);
	}

	/**
	 * Makes sure that somebody creates proxies, with AspectJ or without, and by class
	 * unless the application wants it otherwise.
	 *
	 * @param environment says whether proxies are wanted by class
	 */
	record AutoProxyRegistrar(Environment environment) implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
			if (this.environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
				AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
			}
		}

	}

}
