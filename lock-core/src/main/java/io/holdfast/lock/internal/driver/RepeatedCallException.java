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

package io.holdfast.lock.internal.driver;

/**
 * What a call met when it was sent once more. What became of the first time is not known,
 * so even a call that was refused now may have taken effect.
 */
public final class RepeatedCallException extends RuntimeException {

	/**
	 * Create the exception.
	 * @param again what the driver threw the second time
	 */
	public RepeatedCallException(RuntimeException again) {
		super(again);
	}

}
