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

/**
 * Tells what a client has to say: {@link io.holdfast.lock.internal.notice.Observers}
 * those who observe it and the actions for lost locks, and
 * {@link io.holdfast.lock.internal.notice.LimitedLog} the log. Each observer, the actions
 * of a client, and the log of the process have one bounded queue and one thread, so
 * nobody waits for them. But what a caller does, a release by force, and the start and
 * the end of a client are told to observers on the thread that does it.
 * <p>
 * Internal: no API, only for Holdfast's own jars.
 */
@NullMarked
package io.holdfast.lock.internal.notice;

import org.jspecify.annotations.NullMarked;
