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
 * The answer to a release.
 *
 * @param had whether the request had something to give up, now or when this ran first
 * @param next how the next request stands, or {@code null} if there is none
 */
public record ReleaseReply(boolean had, @Nullable LockReply next) {
}
