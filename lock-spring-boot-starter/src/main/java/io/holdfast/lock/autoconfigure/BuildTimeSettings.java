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

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration.AdviceSelector;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The settings that decide which beans there are, as they were when the application was
 * processed ahead of time. It does not start with others, which would have no effect: its
 * locks could be local, or none at all, while it is told that they are in Redis.
 * <p>
 * Other applications do not have this bean.
 */
final class BuildTimeSettings implements BeanFactoryPostProcessor {

	/** By property. */
	private final Map<String, String> settings;

	BuildTimeSettings(Map<String, String> settings) {
		this.settings = Map.copyOf(settings);
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		Environment environment = beanFactory.getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME,
				Environment.class);
		read(environment).forEach((property, value) -> {
			if (!value.equals(this.settings.get(property))) {
				throw new LockStartUpException(
						property + " was fixed to " + this.settings.get(property) + " by AOT processing and cannot be "
								+ value + " at run time.",
						"Run process-aot with the run-time value, or start it with spring.aot.enabled=false.");
			}
		});
	}

	static Map<String, String> read(Environment environment) {
		Map<String, String> settings = new TreeMap<>();
		for (String name : new String[] { "enabled", "check-at-start" }) {
			String property = LockProperties.PREFIX + name;
			settings.put(property, String.valueOf(OnLockSwitchCondition.isOn(environment, property)));
		}
		for (String name : new String[] { "observations", "publish-events", "dashboard.enabled" }) {
			String property = LockProperties.PREFIX + name;
			settings.put(property, String.valueOf(environment.getProperty(property, Boolean.class, false)));
		}
		settings.put(OnLockHealthCondition.PROPERTY, String.valueOf(OnLockHealthCondition.isOn(environment)));
		settings.put(OnLocalLocksCondition.MODE, nameOf(OnLocalLocksCondition.mode(environment)));
		settings.put(AdviceSelector.ADVICE, nameOf(AdviceSelector.advice(environment)));
		return settings;
	}

	private static String nameOf(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Registers them where an application is being processed.
	 */
	static final class Registrar implements ImportBeanDefinitionRegistrar {

		private final Environment environment;

		Registrar(Environment environment) {
			this.environment = environment;
		}

		@Override
		public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
			if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
				registry.registerBeanDefinition(BuildTimeSettings.class.getName(),
						BeanDefinitionBuilder.rootBeanDefinition(BuildTimeSettings.class)
							.addConstructorArgValue(read(this.environment))
							.setRole(BeanDefinition.ROLE_INFRASTRUCTURE)
							.getBeanDefinition());
			}
		}

	}

}
