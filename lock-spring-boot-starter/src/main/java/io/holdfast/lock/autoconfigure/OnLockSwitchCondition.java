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

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.convert.ConversionException;
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
		String property = LockProperties.PREFIX + annotation.getString("value");
		boolean on = isOn(context.getEnvironment(), property);
		return new ConditionOutcome(on == annotation.getBoolean("on"),
				ConditionMessage.forCondition(ConditionalOnLockSwitch.class)
					.because(property + " is " + (on ? "on" : "off")));
	}

	/**
	 * Whether a property is true, or not set.
	 * @throws LockStartUpException if it is not a boolean
	 */
	static boolean isOn(Environment environment, String property) {
		ConfigurationProperty found = find(environment, property);
		if (found == null) {
			return true;
		}
		String text = environment.resolvePlaceholders(String.valueOf(found.getValue()));
		Boolean value = convert(text);
		if (value == null) {
			throw new LockStartUpException(
					property + " is '" + text + "' (from " + describeOrigin(found)
							+ "), which is neither true nor false.",
					"Set it to true (or yes, on, 1) or to false (or no, off, 0), or remove it, which means true.");
		}
		return value;
	}

	private static @Nullable ConfigurationProperty find(Environment environment, String property) {
		ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
			ConfigurationProperty found = source.getConfigurationProperty(name);
			if (found != null) {
				return found;
			}
		}
		return null;
	}

	/**
	 * Converts text as Spring Boot does for properties.
	 * @return {@code null} if it is not a boolean; blank text is none
	 */
	private static @Nullable Boolean convert(String text) {
		try {
			return ApplicationConversionService.getSharedInstance().convert(text, Boolean.class);
		}
		catch (ConversionException ex) {
			return null;
		}
	}

	private static String describeOrigin(ConfigurationProperty property) {
		if (property.getOrigin() != null) {
			return property.getOrigin().toString();
		}
		ConfigurationPropertySource source = property.getSource();
		return (source != null) ? String.valueOf(source.getUnderlyingSource()) : "an unknown source";
	}

}
