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

import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.metrics.LockNameRule;
import io.holdfast.lock.metrics.LockObservations;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration for {@link LockObservations}.
 */
@AutoConfiguration(
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnLockSwitch(value = "observations", byDefault = false)
public final class LockObservationAutoConfiguration {

	private static final Log logger = LogFactory.getLog(LockObservationAutoConfiguration.class);

	/**
	 * Says that nothing is observed. Comes after what would observe.
	 */
	@Bean
	@ConditionalOnMissingBean(LockObservations.class)
	SmartInitializingSingleton lockObservationsMissing() {
		return () -> logger.warn("Locks are not observed, though " + LockProperties.PREFIX
				+ "observations is true. Add spring-boot-starter-actuator, and if there are several ObservationRegistry "
				+ "beans, mark one of them with @Primary");
	}

	/**
	 * Masks what the endpoint masks, as a trace has no user who may see more. Comes
	 * before the bean method of the enclosing class.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(SanitizingFunction.class)
	@EnableConfigurationProperties(LocksEndpointProperties.class)
	static class ActuatorConfiguration {

		@Bean
		@ConditionalOnSingleCandidate(ObservationRegistry.class)
		@ConditionalOnMissingBean
		LockObservations lockObservations(ObservationRegistry registry, ObjectProvider<LockNameRule> rule,
				LocksEndpointProperties endpoint, ObjectProvider<SanitizingFunction> functions) {
			Sanitizer sanitizer = new Sanitizer(functions.orderedStream().toList());
			boolean shown = endpoint.showValues() == Show.ALWAYS;
			return new LockObservations(registry, rule.getIfAvailable(() -> LockNameRule.NONE), (lockName) -> String
				.valueOf(sanitizer.sanitize(new SanitizableData(null, LocksEndpoint.NAME_KEY, lockName), shown)));
		}

	}

}
