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

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches where Spring Boot shows health, and that of locks is not switched off. Does
 * what {@code @ConditionalOnEnabledHealthIndicator} does, which is in another package on
 * each line of Spring Boot.
 */
final class OnLockHealthCondition extends SpringBootCondition {

	static final String PROPERTY = "management.health.holdfast-lock.enabled";

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Lock health");
		if (BootHealth.find(context.getClassLoader()) == null) {
			return ConditionOutcome.noMatch(message.because("there is no HealthIndicator"));
		}
		boolean enabled = isOn(context.getEnvironment());
		return new ConditionOutcome(enabled, message.because(PROPERTY + " is considered " + enabled));
	}

	static boolean isOn(Environment environment) {
		boolean byDefault = environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
		return environment.getProperty(PROPERTY, Boolean.class, byDefault);
	}

}
