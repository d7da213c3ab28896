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

package io.holdfast.lock.interceptor;

import java.util.Collection;
import java.util.Objects;

import io.holdfast.lock.interceptor.internal.annotation.LockedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Tells a native image what calls of locked methods reach by reflection. The methods
 * themselves it knows by their annotation, which is
 * {@link org.springframework.aot.hint.annotation.Reflective @Reflective}.
 */
final class LockedBeanAotProcessor implements BeanRegistrationAotProcessor {

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
		if (bean.isInnerBean()) {
			return null;
		}
		ConfigurableListableBeanFactory beanFactory = bean.getBeanFactory();
		LockedBeans beans = new LockedBeans(beanFactory, new LockedMethods(beanFactory));
		// The advisor, which looks at the same beans, fails for mistakes.
		Collection<LockedMethod> methods = beans.find(bean.getBeanName(), new Mistakes());
		if (methods.isEmpty()) {
			return null;
		}
		Class<?> type = Objects.requireNonNull(beans.type(bean.getBeanName()));
		return (generation, code) -> methods.forEach((method) -> method
			.registerHints(generation.getRuntimeHints().reflection(), type, (name) -> typeOf(beanFactory, name)));
	}

	/**
	 * Returns the type of a bean, if the application has it in the build already.
	 */
	private static @Nullable Class<?> typeOf(ConfigurableListableBeanFactory beanFactory, String beanName) {
		return beanFactory.containsBean(beanName) ? beanFactory.getType(beanName) : null;
	}

}
