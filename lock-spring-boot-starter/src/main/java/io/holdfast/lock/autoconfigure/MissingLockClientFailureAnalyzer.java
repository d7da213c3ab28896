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
import java.util.stream.Collectors;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Tells why there is no lock client in an application with several Redis servers, or with
 * none, or without the artifact of locks in memory. Spring Boot's own analysis would only
 * say that there is no client.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingLockClientFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final BeanFactory beanFactory;

	private final Environment environment;

	MissingLockClientFailureAnalyzer(BeanFactory beanFactory, Environment environment) {
		this.beanFactory = beanFactory;
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause) {
		// A client of another kind, such as a local one, does not miss Redis.
		boolean missing = lacks(cause, RedisLockClientBuilder.class)
				|| (lacks(cause, LockClient.class) && names(LockClient.class).isEmpty());
		if (!missing || names(LossEvents.class).isEmpty()) {
			return null;
		}
		if (OnLocalLocksCondition.matches(this.environment)) {
			return new FailureAnalysis("There is no lock client, because the artifact of those in memory is missing.",
					"Add io.holdfast:lock-local. Or, to have locks on Redis, remove " + LockProperties.PREFIX
							+ "mode=local or " + LockProperties.PREFIX + "enabled=false.",
					cause);
		}
		List<String> factories = names(RedisConnectionFactory.class);
		return switch (factories.size()) {
			case 0 -> withoutRedis(cause);
			case 1 -> null;
			default -> withSeveral(factories, cause);
		};
	}

	private static FailureAnalysis withoutRedis(NoSuchBeanDefinitionException cause) {
		return new FailureAnalysis("There is no lock client, because there is no RedisConnectionFactory bean.",
				"Add spring-boot-starter-data-redis, and say in spring.data.redis.* where Redis is; or define a "
						+ "LockClient bean. For locks within this process only, set " + LockProperties.PREFIX
						+ "mode to local.",
				cause);
	}

	private static FailureAnalysis withSeveral(List<String> factories, NoSuchBeanDefinitionException cause) {
		return new FailureAnalysis(
				"There is no lock client, because there are " + factories.size()
						+ " RedisConnectionFactory beans, and none is @Primary or has @LockConnectionFactory: "
						+ factories.stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", ")) + ".",
				"Mark the one that locks are to use with @LockConnectionFactory (of "
						+ LockConnectionFactory.class.getPackageName() + "), or one of them with @Primary.",
				cause);
	}

	private static boolean lacks(NoSuchBeanDefinitionException failure, Class<?> type) {
		Class<?> missing = failure.getBeanType();
		return missing != null && type.isAssignableFrom(missing)
				&& !(failure instanceof NoUniqueBeanDefinitionException);
	}

	private List<String> names(Class<?> type) {
		return (this.beanFactory instanceof ListableBeanFactory beans)
				? List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, true, false)) : List.of();
	}

}
