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

package io.holdfast.lock.aspectj;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.autoconfigure.ConditionalOnLockSwitch;
import io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.LockedMethodsCheck;
import io.holdfast.lock.interceptor.WovenLocks;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration for locks that AspectJ weaves into the methods.
 */
@AutoConfiguration(before = LockAnnotationAutoConfiguration.class)
public final class AspectJLockAutoConfiguration {

	private AspectJLockAutoConfiguration() {
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnLockSwitch("enabled")
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static WovenLocks wovenLocks(ObjectProvider<LockClient> client, ObjectProvider<LockSettings> settings) {
		return new AspectJLocks(SingletonSupplier.of(client::getObject), SingletonSupplier.of(settings::getObject));
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnLockSwitch("enabled")
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static LockedMethodsCheck lockedMethodsCheck(ConfigurableListableBeanFactory beanFactory, WovenLocks locks) {
		return new LockedMethodsCheck(beanFactory, locks);
	}

	/**
	 * Lets woven methods run without locks where these are off.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnLockSwitch(value = "enabled", on = false)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static UnlockedCalls unlockedCalls() {
		return new UnlockedCalls();
	}

}
