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

package io.holdfast.lock.test;

import java.util.Arrays;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.autoconfigure.LocalLockAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.local.LocalLockClientBuilder;

import org.springframework.beans.MutablePropertyValues;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/**
 * Auto-configuration of {@link AutoConfigureTestLocks}.
 */
@AutoConfiguration(before = { LocalLockAutoConfiguration.class, LockAutoConfiguration.class })
public final class TestLocksAutoConfiguration {

	private static final String CLIENT = "testLockClient";

	/**
	 * Puts the client of the test in the place of each of the application, except those
	 * that the test itself replaces. One bean only can be primary.
	 */
	@Bean
	static BeanFactoryPostProcessor testLockClientPrecedence() {
		return (beanFactory) -> Arrays.stream(beanFactory.getBeanNamesForType(LockClient.class, true, false))
			.filter((name) -> !name.equals(CLIENT) && beanFactory.containsBeanDefinition(name))
			.forEach((name) -> {
				if (beanFactory.isFactoryBean(name)) {
					((BeanDefinitionRegistry) beanFactory).removeBeanDefinition(name);
					beanFactory.registerAlias(CLIENT, name);
				}
				else {
					replace((AbstractBeanDefinition) beanFactory.getBeanDefinition(name), beanFactory);
				}
			});
	}

	/** Keeps its qualifiers, which an alias has not. */
	private static void replace(AbstractBeanDefinition definition, BeanFactory beanFactory) {
		definition.setPrimary(false);
		definition.setInstanceSupplier(() -> beanFactory.getBean(CLIENT));
		definition.setPropertyValues(new MutablePropertyValues());
		definition.setInitMethodName(null);
		definition.setDestroyMethodName("");
	}

	@Bean
	TestLocks testLocks(LocalLockClientBuilder builder) {
		return TestLocks.create(builder);
	}

	@Bean(name = CLIENT, destroyMethod = "close")
	@Primary
	LockClient testLockClient(TestLocks locks) {
		return locks.client();
	}

}
