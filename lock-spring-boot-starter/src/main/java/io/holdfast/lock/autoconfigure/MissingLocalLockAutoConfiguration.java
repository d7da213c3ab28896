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

import io.holdfast.lock.LockClient;
import io.holdfast.lock.autoconfigure.LockProperties.Mode;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Says which artifact is missing where locks are to be in memory. An application whose
 * locks are off starts without it, unless something needs the client.
 */
@AutoConfiguration(before = LockAutoConfiguration.class)
@ConditionalOnMissingClass("io.holdfast.lock.local.LocalLockClient")
@Conditional(OnLocalLocksCondition.class)
public final class MissingLocalLockAutoConfiguration {

	private static final String ADVICE = "it needs the artifact io.holdfast:lock-local";

	MissingLocalLockAutoConfiguration(Environment environment) {
		if (OnLockSwitchCondition.isOn(environment, LockProperties.PREFIX + "enabled")) {
			throw new InvalidConfigurationPropertyValueException(OnLocalLocksCondition.MODE, Mode.LOCAL, ADVICE);
		}
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	@SuppressWarnings("DoNotCallSuggester") // Spring calls it
	LockClient lockClient() {
		throw new InvalidConfigurationPropertyValueException(LockProperties.PREFIX + "enabled", false,
				"a LockClient is wanted, which locks in memory then: " + ADVICE);
	}

}
