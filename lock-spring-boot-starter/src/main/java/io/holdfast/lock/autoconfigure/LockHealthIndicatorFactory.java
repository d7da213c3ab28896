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

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.autoconfigure.BootHealth.Reading;
import io.holdfast.lock.internal.server.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.NestedExceptionUtils;

/**
 * Makes the {@code HealthIndicator} that says how the client is. It asks the client and
 * never Redis, so it returns at once, also while Redis hangs.
 */
// Raw type on purpose: during AOT the factory does not exist yet, and Spring would take a
// declared generic type for the bean type and miss the indicator.
@SuppressWarnings("rawtypes")
final class LockHealthIndicatorFactory implements FactoryBean {

	private static final Log logger = LogFactory.getLog(LockHealthIndicatorFactory.class);

	private final BootHealth types = Objects
		.requireNonNull(BootHealth.find(LockHealthIndicatorFactory.class.getClassLoader()));

	private final LimitedLog failures = new LimitedLog(logger);

	private final ObjectProvider<LockClient> client;

	LockHealthIndicatorFactory(ObjectProvider<LockClient> client) {
		this.client = client;
	}

	@Override
	public Object getObject() {
		return this.types.indicator(this::read);
	}

	@Override
	public Class<?> getObjectType() {
		return this.types.indicatorType();
	}

	private Reading read(boolean withDetails) {
		try {
			LockClient present = this.client.getObject();
			LockClientHealth health = present.health();
			return new Reading(health.status().name(), withDetails ? details(present.id(), health) : Map.of());
		}
		catch (RuntimeException | LinkageError ex) {
			// Thrown, it would take the health of everything else with it.
			this.failures.warn("The health of locks is not known: there is no client that answers", ex);
			String failure = NestedExceptionUtils.getMostSpecificCause(ex).getClass().getName();
			return new Reading("DOWN", withDetails ? Map.of("error", failure) : Map.of());
		}
	}

	private static Map<String, Object> details(String client, LockClientHealth health) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("client", client);
		details.put("held", health.held());
		details.put("overdueRenewals", health.overdueRenewals());
		put(details, "lastAnswer", health.lastAnswer());
		put(details, "subscriptionDownFor", health.subscriptionDownFor());
		put(details, "unavailableFor", health.unavailableFor());
		if (health.failure() != null) {
			details.put("failure", health.failure());
		}
		return details;
	}

	private static void put(Map<String, Object> details, String name, @Nullable Duration time) {
		if (time != null) {
			details.put(name, time.truncatedTo(ChronoUnit.MILLIS).toString());
		}
	}

}
