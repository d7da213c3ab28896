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
import io.holdfast.lock.interceptor.LockedMethodsCheck;
import io.holdfast.lock.interceptor.UnlockedCalls;
import io.holdfast.lock.interceptor.WovenLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Locks that AspectJ weaves into the methods.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockSwitch("enabled")
class AspectJLockConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static WovenLocks wovenLocks(ObjectProvider<LockClient> client, ObjectProvider<LockProperties> properties,
			ResourceLoader loader) {
		if (!ClassUtils.isPresent("org.aspectj.lang.annotation.Aspect", loader.getClassLoader())) {
			throw new LockStartUpException(
					LockProperties.PREFIX + "advice is aspectj, and AspectJ is not on the class path.",
					"Add org.aspectj:aspectjweaver, and start the JVM with it as -javaagent; or set it to proxy.");
		}
		return new WovenLocks(SingletonSupplier.of(client::getObject),
				SingletonSupplier.of(() -> properties.getObject().toSettings()));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static LockedMethodsCheck lockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, WovenLocks locks,
			ObjectProvider<LockClient> client) {
		return new LockedMethodsCheck(beanFactory, locks, client::getObject);
	}

	/**
	 * Lets woven methods run without locks where these are off.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnLockSwitch(value = "enabled", on = false)
	@ConditionalOnClass(name = "org.aspectj.lang.annotation.Aspect")
	static class Disabled {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
		static UnlockedCalls unlockedCalls() {
			return new UnlockedCalls();
		}

	}

}
