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

package io.holdfast.lock.internal.engine;

import java.util.Collection;
import java.util.Objects;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * What is left in an engine that nobody uses.
 */
public final class EngineResidue {

	private EngineResidue() {
	}

	/**
	 * The locks of which it knows anything.
	 */
	public static Collection<String> locks(LockEngine engine) {
		return EngineState.names(engine);
	}

	/**
	 * How many requests are yet to be released.
	 */
	public static int pending(LockEngine engine) {
		return EngineState.pending(engine);
	}

	/**
	 * Whether the watchdog has to look at anything.
	 */
	public static boolean isScheduled(LockEngine engine) {
		EngineContext context = (EngineContext) Objects.requireNonNull(ReflectionTestUtils.getField(engine, "context"));
		long horizon = context.host.nanoTime() + 2 * Schedule.HORIZON_NANOS;
		return context.schedule.sleepUntil(horizon) != horizon;
	}

}
