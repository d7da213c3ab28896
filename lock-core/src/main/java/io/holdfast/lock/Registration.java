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

package io.holdfast.lock;

/**
 * What is to be done about a loss, until it is removed: {@link LeaseView#onLost} returns
 * it.
 */
@FunctionalInterface
public interface Registration {

	/**
	 * Takes it back. May be called by any thread, also while a loss is told and by what
	 * is told; never blocks. Calling it again has no effect.
	 * <p>
	 * What happens after it has returned is not told. Of a loss that happened before,
	 * whoever was registered may still be told, once, shortly after.
	 */
	void remove();

}
