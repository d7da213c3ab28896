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

import java.util.List;
import java.util.function.Function;

/**
 * One server, or several that each have every lock.
 */
final class OneNode implements Topology {

	@Override
	public String nodeOf(String key) {
		return ONLY_NODE;
	}

	@Override
	public boolean isKnown() {
		return true;
	}

	@Override
	public void refresh() {
		// There is nothing to find.
	}

	@Override
	public <T> List<List<T>> group(List<T> items, Function<T, String> keyOf) {
		return List.of(items);
	}

}
