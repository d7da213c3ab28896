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

package io.holdfast.lock.internal.replicas;

import java.time.Duration;

import io.holdfast.lock.internal.server.ServerSettings;

/**
 * How many replicas must have a lock before its owner runs.
 *
 * @param majority whether more than half of those that are connected to the master; if
 * not, one
 * @param timeout how long to wait for them at a time
 */
public record ReplicaSettings(boolean majority, Duration timeout) {

	public ReplicaSettings {
		ServerSettings.check("Replica timeout", timeout, Duration.ofMillis(1), Duration.ofMinutes(1));
	}

}
