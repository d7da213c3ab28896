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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lists and maps that mostly have at most one element, and cost no array unless they had
 * more. Assign the result: with two or more elements the argument itself is changed, so
 * nobody may iterate over it meanwhile.
 */
final class Few {

	private Few() {
	}

	static <T> List<T> plus(List<T> list, T added) {
		if (list.isEmpty()) {
			return List.of(added);
		}
		List<T> several = (list.size() == 1) ? new ArrayList<>(list) : list;
		several.add(added);
		return several;
	}

	static <T> List<T> minus(List<T> list, T removed) {
		if (list.size() <= 1) {
			return list.contains(removed) ? List.of() : list;
		}
		list.remove(removed);
		return list;
	}

	static <K, V> Map<K, V> plus(Map<K, V> map, K key, V value) {
		if (map.isEmpty()) {
			return Map.of(key, value);
		}
		Map<K, V> several = (map.size() == 1) ? new HashMap<>(map) : map;
		several.put(key, value);
		return several;
	}

	static <K, V> Map<K, V> minus(Map<K, V> map, K key) {
		if (map.size() <= 1) {
			return map.containsKey(key) ? Map.of() : map;
		}
		map.remove(key);
		return map;
	}

}
