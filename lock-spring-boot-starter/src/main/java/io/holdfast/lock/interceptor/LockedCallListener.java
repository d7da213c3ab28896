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

package io.holdfast.lock.interceptor;

import io.holdfast.lock.LockType;

/**
 * Notified when a call ran without its lock: skipped, or replaced by its fallback. Not
 * called when the call throws. Called on the thread of the caller, so it must be quick.
 * What it throws is logged, ten times in a minute at most, and changes nothing.
 */
public interface LockedCallListener {

	/**
	 * A call was skipped.
	 * @param declaredName the name of the annotation, or the class and the method if it
	 * has none
	 * @param type the order for which the method asks
	 */
	void skipped(String declaredName, LockType type);

	/**
	 * A fallback method runs instead.
	 * @param declaredName the name of the annotation, or the class and the method if it
	 * has none
	 * @param type the order for which the method asks
	 */
	void fellBack(String declaredName, LockType type);

}
