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

import io.micrometer.common.KeyValues;

/**
 * The default {@link LockAcquireObservationConvention}. Extend it to change a part.
 */
public class DefaultLockAcquireObservationConvention implements LockAcquireObservationConvention {

	private final LockNameSanitizer sanitizer;

	/**
	 * Create the convention.
	 * @param sanitizer what is shown of a lock's name
	 */
	public DefaultLockAcquireObservationConvention(LockNameSanitizer sanitizer) {
		this.sanitizer = sanitizer;
	}

	@Override
	public String getName() {
		return "holdfast.lock.acquire";
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		return "lock acquire " + context.getDeclaredName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		return LockKeyValues.lowCardinality(context);
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		return LockKeyValues.highCardinality(context, this.sanitizer);
	}

}
