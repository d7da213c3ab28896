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
import java.util.function.BiFunction;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.internal.notice.LimitedLog;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.NestedExceptionUtils;

/**
 * Says how the client is, to the indicator of either line of Spring Boot. It asks the
 * client and never Redis, so it returns at once, also while Redis hangs.
 *
 * @param client the client of the application
 */
record LockHealth(ObjectProvider<LockClient> client) {

	private static final LimitedLog failures = new LimitedLog(LogFactory.getLog(LockHealth.class));

	/**
	 * Reads the health.
	 * @param indicator makes a health of a status and details
	 */
	<T> T read(BiFunction<String, Map<String, Object>, T> indicator) {
		try {
			LockClient present = this.client.getObject();
			LockClientHealth health = present.health();
			return indicator.apply(health.status().name(), details(present.id(), health));
		}
		catch (RuntimeException | LinkageError ex) {
			// If this propagated, the whole health endpoint would fail.
			failures.warn("The health of locks is not known: there is no client that answers", ex);
			return indicator.apply("DOWN",
					Map.of("error", NestedExceptionUtils.getMostSpecificCause(ex).getClass().getName()));
		}
	}

	private static Map<String, Object> details(String client, LockClientHealth health) {
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("client", client);
		details.put("held", health.held());
		details.put("unsure", health.unsure());
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
