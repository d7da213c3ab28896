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

import io.holdfast.lock.autoconfigure.LockProperties.Mode;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if locks are to hold within this process only, or are off. An unknown mode
 * stops the application: a typing error must not make locks local, nor leave a test
 * without them.
 */
class OnLocalLocksCondition extends SpringBootCondition {

	private final boolean expected;

	OnLocalLocksCondition() {
		this(true);
	}

	private OnLocalLocksCondition(boolean expected) {
		this.expected = expected;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		return new ConditionOutcome(matches(context.getEnvironment()) == this.expected,
				ConditionMessage.forCondition("Local locks")
					.because("of holdfast.lock.enabled and holdfast.lock.mode"));
	}

	static boolean matches(Environment environment) {
		return isLocalMode(environment) || !OnLockSwitchCondition.isOn(environment, "enabled", true);
	}

	static boolean isLocalMode(Environment environment) {
		return Binder.get(environment)
			.bind(LockProperties.PREFIX + "mode", Mode.class)
			.orElse(Mode.REDIS) == Mode.LOCAL;
	}

	/**
	 * Matches if locks are to be on Redis.
	 */
	static final class Not extends OnLocalLocksCondition {

		Not() {
			super(false);
		}

	}

}
