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

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches if a property of locks is on, or off. Other than Spring Boot's condition it
 * takes all that Spring converts to a boolean, and stops the application for anything
 * else: a typing error must not turn locks off.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnLockSwitchCondition.class)
public @interface ConditionalOnLockSwitch {

	/**
	 * The property's name, without the prefix of locks.
	 * @return the name
	 */
	String value();

	/**
	 * Whether it matches if the property is on, not if it is off.
	 * @return whether it is to be on
	 */
	boolean on() default true;

	/**
	 * Whether the property is on if it is not set.
	 * @return whether it is
	 */
	boolean byDefault() default true;

}
