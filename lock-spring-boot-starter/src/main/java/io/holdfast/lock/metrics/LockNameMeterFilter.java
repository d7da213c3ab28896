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

package io.holdfast.lock.metrics;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.holdfast.lock.internal.notice.LimitedLog;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Gives meters of locks 100 declared names at most: those that come later are
 * {@code other}. A registry keeps what it has for a name as long as it lives. Spring Boot
 * gives filters to all registries but to one that consists of others, which gets this one
 * as a bean post-processor. Thread-safe.
 */
public final class LockNameMeterFilter implements MeterFilter, BeanPostProcessor {

	static final int MOST = 100;

	private static final String OTHER = "other";

	/** Of the metrics, and of observations. */
	private static final List<String> TAGS = List.of("name", "lock.name");

	private static final Log logger = LogFactory.getLog(LockNameMeterFilter.class);

	/** Guarded by the monitor. */
	private final Set<String> names = new HashSet<>(Set.of(OTHER));

	@Override
	public Meter.Id map(Meter.Id id) {
		if (id.getName().startsWith(LockMetrics.PREFIX)) {
			for (String tag : TAGS) {
				String name = id.getTag(tag);
				if (name != null && !isKnown(name)) {
					return id.replaceTags(Tags.of(id.getTagsAsIterable()).and(tag, OTHER));
				}
			}
		}
		return id;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof CompositeMeterRegistry registry) {
			registry.config().meterFilter(this);
		}
		return bean;
	}

	private synchronized boolean isKnown(String name) {
		if (this.names.contains(name)) {
			return true;
		}
		if (this.names.size() <= MOST) {
			this.names.add(name);
			if (this.names.size() > MOST) {
				logger.warn("Locks have " + MOST + " declared names, the latest of which is '"
						+ LimitedLog.onOneLine(name) + "'; in metrics all further ones are '" + OTHER
						+ "'. Declare few names that stand in the source code, without keys in them.");
			}
			return true;
		}
		return false;
	}

}
