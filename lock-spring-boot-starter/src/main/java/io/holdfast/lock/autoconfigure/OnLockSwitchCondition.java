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
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * The condition of {@link ConditionalOnLockSwitch}.
 */
final class OnLockSwitchCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		MergedAnnotation<ConditionalOnLockSwitch> annotation = metadata.getAnnotations()
			.get(ConditionalOnLockSwitch.class);
		String property = annotation.getString("value");
		boolean on = isOn(context.getEnvironment(), property, annotation.getBoolean("byDefault"));
		return new ConditionOutcome(on == annotation.getBoolean("on"),
				ConditionMessage.forCondition(ConditionalOnLockSwitch.class)
					.because(LockProperties.PREFIX + property + " is " + (on ? "on" : "off")));
	}

	/**
	 * Whether a property of locks is true.
	 * @param byDefault what holds if it is not set, which blank text means as well
	 */
	static boolean isOn(Environment environment, String property, boolean byDefault) {
		return Binder.get(environment).bind(LockProperties.PREFIX + property, Boolean.class).orElse(byDefault);
	}

}
