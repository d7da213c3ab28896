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

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration for the health of locks.
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@Conditional(OnLockHealthCondition.class)
public final class LockHealthAutoConfiguration {

	private LockHealthAutoConfiguration() {
	}

	/**
	 * Static, and without a client yet: Spring makes it early, to see what it gives.
	 */
	@Bean
	@ConditionalOnSingleCandidate(LockClient.class)
	@ConditionalOnMissingBean(name = "holdfastLockHealthIndicator")
	static LockHealthIndicatorFactory holdfastLockHealthIndicator(ObjectProvider<LockClient> lockClient) {
		return new LockHealthIndicatorFactory(lockClient);
	}

}
