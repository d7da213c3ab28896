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

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * An {@link EnumMap} filled for every constant.
 *
 * @param <E> the enumeration
 * @param <T> what there is for each constant
 */
final class PerConstant<E extends Enum<E>, T> {

	private final Map<E, T> values;

	PerConstant(Class<E> type, Function<E, T> factory) {
		this.values = new EnumMap<>(type);
		for (E constant : type.getEnumConstants()) {
			this.values.put(constant, factory.apply(constant));
		}
	}

	T get(E constant) {
		return Objects.requireNonNull(this.values.get(constant));
	}

}
