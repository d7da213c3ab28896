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

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The other clients that are subscribed, as far as a server knows.
 *
 * @param clients their ids; texts of unknown origin
 * @param missing why there may be others, as it stands behind a colon; {@code null} if
 * these are all
 */
public record Subscribers(List<String> clients, @Nullable String missing) {

	/**
	 * How many clients are asked at most.
	 */
	public static final int MAX = 1000;

	/**
	 * What stands between several reasons.
	 */
	public static final String SEPARATOR = "; ";

	/**
	 * Where there are no others.
	 */
	public static final Subscribers NONE = new Subscribers(List.of(), null);

	/**
	 * That there are more than are asked.
	 */
	public static final String TOO_MANY = "more than " + MAX + " are subscribed, and only these were asked";

	/**
	 * As many of some clients as are asked.
	 * @param missing why there may be others
	 */
	public static Subscribers of(Set<String> clients, Set<String> missing) {
		Set<String> reasons = new LinkedHashSet<>(missing);
		if (clients.size() > MAX) {
			reasons.add(TOO_MANY);
		}
		return new Subscribers(clients.stream().limit(MAX).toList(),
				reasons.isEmpty() ? null : String.join(SEPARATOR, reasons));
	}

}
