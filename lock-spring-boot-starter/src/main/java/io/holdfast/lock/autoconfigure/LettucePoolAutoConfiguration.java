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
 * Auto-configuration that leaves Lettuce as it was before this starter came. The starter
 * brings Jedis, Jedis brings Commons Pool, and where that is Spring Boot pools Lettuce's
 * connections, too. So this is off by default, at the lowest precedence there is, unless
 * the application sets any property of that pool.
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
