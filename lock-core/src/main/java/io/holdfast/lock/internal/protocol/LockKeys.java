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

package io.holdfast.lock.internal.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

import io.holdfast.lock.LockClient;

/**
 * The only place that spells a key or a channel. A lock has one key, so no name can tear
 * its parts into different slots of a cluster, and the name stands in it as it is: two
 * names never meet in one key, and a key tells its name.
 *
 * @param prefix what all keys and channels begin with
 */
public record LockKeys(String prefix) {

	private static final String LOCK = "lock:";

	public LockKeys {
		if (prefix.isBlank() || prefix.length() > 200) {
			throw new IllegalArgumentException("Key prefix must have 1 to 200 characters and not be blank");
		}
		if (prefix.lastIndexOf(LOCK) > 0) {
			// Or a lock would share its key with one of a shorter prefix and a longer
			// name.
			throw new IllegalArgumentException(
					"Key prefix must not contain '" + LOCK + "' but at its beginning: " + prefix);
		}
		utf8Length(prefix, "Key prefix");
	}

	/**
	 * The key of a lock.
	 * @throws IllegalArgumentException if no lock can have that name
	 */
	public String lock(String name) {
		return this.prefix + LOCK + checked(name);
	}

	/**
	 * A name as it is.
	 * @throws IllegalArgumentException if no lock can have it
	 */
	public static String checked(String name) {
		Objects.requireNonNull(name, "Lock name must not be null");
		if (name.isBlank()) {
			throw new IllegalArgumentException("Lock name must not be blank");
		}
		int bytes = (name.length() <= LockClient.MAX_NAME_BYTES) ? utf8Length(name, "Lock name") : name.length();
		if (bytes > LockClient.MAX_NAME_BYTES) {
			throw new IllegalArgumentException(
					"Lock name is too long: at least " + bytes + " bytes in UTF-8, allowed are "
							+ LockClient.MAX_NAME_BYTES + "; it starts with '" + name.substring(0, 40) + "'");
		}
		return name;
	}

	public String lockPrefix() {
		return this.prefix + LOCK;
	}

	public String nameOf(String lockKey) {
		return lockKey.substring(this.prefix.length() + LOCK.length());
	}

	public String channelPrefix() {
		return this.prefix + "client:";
	}

	/**
	 * A pattern of {@code SCAN} that finds all locks whose names begin with a prefix, and
	 * nothing else, whatever characters the prefixes hold.
	 */
	public String lockPattern(String namePrefix) {
		return (lockPrefix() + namePrefix).replaceAll("[\\\\*?\\[\\]]", "\\\\$0") + "*";
	}

	/**
	 * Half a surrogate pair would become the same "?" in every name.
	 */
	private static int utf8Length(String name, String what) {
		byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
		if (!new String(encoded, StandardCharsets.UTF_8).equals(name)) {
			throw new IllegalArgumentException(what + " is not valid Unicode: it holds half a surrogate pair");
		}
		return encoded.length;
	}

}
