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
 * Matches if locks are to hold within this process only, or are off. A mode that there is
 * not stops the application: a typing error must not make locks local, nor leave a test
 * without them.
 */
final class OnLocalLocksCondition extends SpringBootCondition {

	static final String MODE = LockProperties.PREFIX + "mode";

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Environment environment = context.getEnvironment();
		Mode mode = mode(environment);
		boolean on = OnLockSwitchCondition.isOn(environment, LockProperties.PREFIX + "enabled");
		return new ConditionOutcome(!on || mode == Mode.LOCAL, ConditionMessage.forCondition("Local locks")
			.because("locks are " + (on ? "on, in mode " + mode : "off")));
	}

	static Mode mode(Environment environment) {
		return Binder.get(environment).bind(MODE, Mode.class).orElse(Mode.REDIS);
	}

}
