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

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.PropertySource;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Auto-configuration that keeps this starter from giving Lettuce a pool. Spring Boot
 * pools Lettuce's connections if Commons Pool is on the class path, and this starter puts
 * it there, because Jedis needs it. So the property
 * {@code spring.data.redis.lettuce.pool.enabled} becomes {@code false} by default, in a
 * property source that all others override. If the application sets any property of that
 * pool, it wants one, and nothing is changed.
 */
@AutoConfiguration
@ConditionalOnClass(name = { "io.lettuce.core.RedisClient", "redis.clients.jedis.Jedis" })
@Conditional(LettucePoolAutoConfiguration.OnNoPoolProperty.class)
@PropertySource(name = "holdfast.lock: no Lettuce pool unless asked for",
		value = "classpath:io/holdfast/lock/autoconfigure/lettuce-pool.properties")
public final class LettucePoolAutoConfiguration {

	static final class OnNoPoolProperty extends SpringBootCondition {

		private static final String POOL = "spring.data.redis.lettuce.pool";

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			boolean asked = Binder.get(context.getEnvironment())
				.bind(POOL, Bindable.mapOf(String.class, String.class))
				.isBound();
			return new ConditionOutcome(!asked, ConditionMessage.forCondition("Lettuce pool")
				.because(POOL + ".* is " + (asked ? "set" : "not set")));
		}

	}

}
