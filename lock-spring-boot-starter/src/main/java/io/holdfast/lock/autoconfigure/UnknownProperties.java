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

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.PropertyMatches;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;

/**
 * Warns of properties of locks that do not exist: services of several versions may share
 * a file. One that exists and has no value stops the start.
 */
final class UnknownProperties extends NoUnboundElementsBindHandler {

	private static final Log logger = LogFactory.getLog(UnknownProperties.class);

	private static final ConfigurationPropertyName LOCK = ConfigurationPropertyName.of("holdfast.lock");

	/** What decides with whom locks are shared: a slip of the pen stops the start. */
	private static final Set<ConfigurationPropertyName> STRICT = Set.of(LOCK.append("quorum"),
			LOCK.append("key-prefix"));

	private static final Pattern DASH = Pattern.compile("-([a-z0-9])");

	private final BindHandler parent;

	/** The types of what a class has a field for, with a value or without. */
	private final Map<ConfigurationPropertyName, Class<?>> existing = new HashMap<>();

	UnknownProperties(BindHandler parent) {
		super(parent, new UnboundElementsSourceFilter());
		this.parent = parent;
	}

	@Override
	public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
		this.existing.put(name, target.getType().resolve(Object.class));
		return super.onStart(name, target, context);
	}

	@Override
	public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
			Exception error) throws Exception {
		// The class above would refuse what the handler of a class lets pass.
		return this.parent.onFailure(name, target, context, error);
	}

	@Override
	public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
			@Nullable Object result) throws Exception {
		this.parent.onFinish(name, target, context, result);
		if (!LOCK.equals(name) && !LOCK.isAncestorOf(name)) {
			return;
		}
		try {
			super.onFinish(name, target, context, result);
		}
		catch (UnboundConfigurationPropertiesException ex) {
			for (ConfigurationProperty property : ex.getUnboundProperties()) {
				List<ConfigurationPropertyName> nearest = nearest(property.getName());
				if (this.existing.containsKey(property.getName()) || nearest.stream().anyMatch(STRICT::contains)) {
					throw ex;
				}
				warn(property, nearest);
			}
		}
	}

	private static void warn(ConfigurationProperty property, List<ConfigurationPropertyName> nearest) {
		String meant = nearest.stream().map(Object::toString).collect(Collectors.joining(" or "));
		// Not its value, which may be a password.
		logger.warn("No such property, so it has no effect: " + property.getName() + " (from " + property.getOrigin()
				+ ")." + (meant.isEmpty() ? "" : " Did you mean " + meant + "?"));
	}

	/**
	 * Which properties may be meant by one that does not exist, or by the group of it.
	 */
	private List<ConfigurationPropertyName> nearest(ConfigurationPropertyName property) {
		ConfigurationPropertyName wrong = property;
		Class<?> owner = this.existing.get(wrong.getParent());
		while (owner == null) {
			wrong = wrong.getParent();
			owner = this.existing.get(wrong.getParent());
		}
		ConfigurationPropertyName group = wrong.getParent();
		return Stream.of(PropertyMatches.forField(fieldOf(wrong), owner).getPossibleMatches())
			.map((match) -> group.append(DataObjectPropertyName.toDashedForm(match)))
			.toList();
	}

	private static String fieldOf(ConfigurationPropertyName property) {
		return DASH.matcher(property.getLastElement(Form.ORIGINAL))
			.replaceAll((found) -> found.group(1).toUpperCase(Locale.ROOT));
	}

}
