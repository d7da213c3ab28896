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

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Who a client is, as operators read it in Redis: {@code application@host/random}. At
 * most 42 characters: Redis keeps a hash compact up to 64, three of which say how the
 * client holds a lock, and 19 are for its session with a lease of up to half an hour.
 *
 * @param text the whole id
 */
public record ClientId(String text) {

	private static final int APPLICATION_LENGTH = 16;

	private static final int NAMES_LENGTH = 30;

	private static final int RANDOM_LENGTH = 10;

	/**
	 * A new id, different from that of every other client.
	 */
	public static ClientId create(String application) {
		return create(application, hostName());
	}

	static ClientId create(String application, String hostName) {
		// Without its domain, unless it is an address.
		String host = plain(hostName.replaceFirst("^([A-Za-z][^.]*)\\..*", "$1"));
		String app = plain(application);
		String shortApp = app.substring(0, Math.min(app.length(), APPLICATION_LENGTH));
		// The ends of host names differ where their beginnings are the same.
		String shortHost = host.substring(Math.max(host.length() - NAMES_LENGTH + shortApp.length(), 0));
		return new ClientId(shortApp + "@" + shortHost + "/" + RequestIds.random().substring(0, RANDOM_LENGTH));
	}

	public String application() {
		return this.text.substring(0, Math.max(0, this.text.indexOf('@')));
	}

	public String host() {
		int at = this.text.indexOf('@');
		int slash = this.text.lastIndexOf('/');
		return (at < 0 || slash < at) ? "" : this.text.substring(at + 1, slash);
	}

	private static String plain(String text) {
		String plain = text.replaceAll("[^A-Za-z0-9._-]", "-");
		return plain.isEmpty() ? "unknown" : plain;
	}

	private static String hostName() {
		String fromEnvironment = System.getenv("HOSTNAME");
		if (fromEnvironment != null && !fromEnvironment.isBlank()) {
			return fromEnvironment;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

}
