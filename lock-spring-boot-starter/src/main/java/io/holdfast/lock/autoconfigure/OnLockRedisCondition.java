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

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Matches if it is clear which connection factory locks use.
 */
final class OnLockRedisCondition extends AnyNestedCondition {

	OnLockRedisCondition() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
	static class SingleCandidate {

	}

	@Conditional(OnQualified.class)
	static class Qualified {

	}

	/**
	 * Matches if there is a factory with {@link LockConnectionFactory}. Spring Boot's
	 * conditions overlook one that is no default candidate.
	 */
	static final class OnQualified extends SpringBootCondition implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			List<String> names = names(context.getBeanFactory()).toList();
			ConditionMessage.Builder message = ConditionMessage.forCondition("@LockConnectionFactory");
			return names.isEmpty() ? ConditionOutcome.noMatch(message.didNotFind("any beans").atAll())
					: ConditionOutcome.match(message.found("bean", "beans").items(names));
		}

		/**
		 * Creates no bean, and no FactoryBean either, to find its annotation.
		 */
		private static Stream<String> names(@Nullable BeanFactory beanFactory) {
			if (!(beanFactory instanceof ConfigurableListableBeanFactory beans)) {
				return Stream.empty();
			}
			Stream<String> own = Arrays.stream(beans.getBeanNamesForType(RedisConnectionFactory.class, true, false))
				.filter((name) -> beans.findAnnotationOnBean(name, LockConnectionFactory.class, false) != null);
			return Stream.concat(own, names(beans.getParentBeanFactory()));
		}

	}

}
