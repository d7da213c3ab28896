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

package io.holdfast.lock.internal.server;

import org.jspecify.annotations.Nullable;

/**
 * Gives a request up, and puts another one in its place.
 *
 * @param id the request to release
 * @param token the fencing token of the latest owner, or 0 if nobody owned it
 * @param nextId the new request, or empty if nobody waits
 * @param next what the new request wants
 */
public record ReleaseCommand(String id, long token, String nextId, @Nullable LockRequest next) {

	public static ReleaseCommand of(String id) {
		return new ReleaseCommand(id, 0, "", null);
	}

}
