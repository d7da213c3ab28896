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

package io.holdfast.lock.benchmarks.libraries;

import java.util.List;

import io.holdfast.lock.benchmarks.libraries.HoldfastLibrary.Variant;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * All libraries, in the order in which they take turns and are shown.
 */
public final class Libraries {

	private static final List<Library> ALL = List.of(new RawJedis(), new RawLettuce(), new RawQueue(),
			new HoldfastLibrary(SpringDriver.JEDIS, Variant.PLAIN),
			new HoldfastLibrary(SpringDriver.JEDIS, Variant.METRICS),
			new HoldfastLibrary(SpringDriver.JEDIS, Variant.LEASES),
			new HoldfastLibrary(SpringDriver.LETTUCE, Variant.PLAIN),
			new HoldfastLibrary(SpringDriver.JEDIS, Variant.FAIR),
			new HoldfastLibrary(SpringDriver.LETTUCE, Variant.FAIR), new RedissonLibrary(RedissonLibrary.Kind.LOCK),
			new RedissonLibrary(RedissonLibrary.Kind.SPIN), new RedissonLibrary(RedissonLibrary.Kind.FAIR),
			new SpringIntegrationLibrary(RedisLockType.SPIN_LOCK, false),
			new SpringIntegrationLibrary(RedisLockType.PUB_SUB_LOCK, false),
			new SpringIntegrationLibrary(RedisLockType.SPIN_LOCK, true), new ShedLockLibrary(false),
			new ShedLockLibrary(true), new Lock4jLibrary(false), new Lock4jLibrary(true));

	private Libraries() {
	}

	/**
	 * Finds a library.
	 * @param name its name
	 * @return the library
	 */
	public static Library named(String name) {
		return ALL.stream().filter((library) -> library.name().equals(name)).findFirst().orElseThrow();
	}

	/**
	 * Finds the libraries whose names begin with one of the given words.
	 * @param words the words; none for all libraries
	 * @return the libraries, at least one
	 */
	public static List<Library> beginningWith(List<String> words) {
		List<Library> found = ALL.stream()
			.filter((library) -> words.isEmpty() || words.stream().anyMatch(library.name()::startsWith))
			.toList();
		if (found.isEmpty()) {
			throw new IllegalArgumentException(
					"No library among " + words + "; there are " + ALL.stream().map(Library::name).toList());
		}
		return found;
	}

}
