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

package io.holdfast.lock.interceptor.internal.annotation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.TypeConverter;

/**
 * Converts as the application does, but to text as keys are written: an application's own
 * text of a date is that of the locale of the thread. What has no such text is refused.
 * So it is with the elements of arrays and collections, but not with what other types
 * have in them.
 *
 * @param converter the application's
 */
record CanonicalTextConverter(TypeConverter converter) implements TypeConverter {

	private static final TypeDescriptor TEXT = TypeDescriptor.valueOf(String.class);

	/**
	 * Always to text, or Spring would take what {@code toString()} says.
	 */
	@Override
	public boolean canConvert(@Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
		return targetType.getType() == String.class || this.converter.canConvert(sourceType, targetType);
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor sourceType,
			TypeDescriptor targetType) {
		try {
			if (value != null && targetType.getType() == String.class) {
				return KeyText.partOf(value);
			}
			TypeDescriptor element = targetType.getElementTypeDescriptor();
			if (value != null && element != null && element.getType() == String.class && !KeyText.isText(value)) {
				List<String> texts = KeyText.partsOf(value);
				return this.converter.convertValue(texts, TypeDescriptor.collection(List.class, TEXT), targetType);
			}
		}
		catch (IllegalArgumentException ex) {
			throw new EvaluationException(String.valueOf(ex.getMessage()), ex);
		}
		return this.converter.convertValue(value, sourceType, targetType);
	}

}
