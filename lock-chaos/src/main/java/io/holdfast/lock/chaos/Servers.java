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

package io.holdfast.lock.chaos;

import java.util.Map;

import io.holdfast.lock.testing.RedisProcess;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a run, and what can happen to them.
 */
interface Servers extends AutoCloseable {

	/**
	 * Where they are, for {@link Topology#connect}.
	 */
	String address();

	/**
	 * The server that a proxy can lead to, or {@code null} if clients find their own way.
	 */
	@Nullable RedisProcess proxied();

	Map<Fault, Nemesis> nemeses();

	@Override
	void close();

}
