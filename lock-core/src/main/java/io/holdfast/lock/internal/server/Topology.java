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
 * Tells which server has which lock. The default methods describe a single server, and a
 * quorum, where every server has every lock: only a cluster overrides them. What is known
 * here may be out of date. It decides what waits for what and what travels together,
 * never where a call goes, which is the driver's business.
 */
public interface Topology {

	/**
	 * The server if there is but one, and the one of a slot that no server is known for.
	 */
	String ONLY_NODE = "";

	/**
	 * Where there is one server only.
	 */
	Topology ONE_NODE = new Topology() {
	};

	/**
	 * The server that has a lock.
	 */
	default String nodeOf(String key) {
		return ONLY_NODE;
	}

	/**
	 * Whether {@link #refresh} has succeeded once.
	 */
	default boolean isKnown() {
		return true;
	}

	/**
	 * Finds the servers anew, which may take a call.
	 */
	default void refresh() {
	}

	/**
	 * Groups items by hash slot; one script takes one group. The groups are in the order
	 * of the first item of each.
	 */
	default <T> List<List<T>> group(List<T> items, Function<T, String> keyOf) {
		return List.of(items);
	}

}
