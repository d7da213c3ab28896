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

package io.holdfast.lock.sample.companion;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * Main class of the companion. The port makes sure there is only one.
 */
public final class CompanionProcess {

	private CompanionProcess() {
	}

	/**
	 * Runs until the last instance is gone; with the port alone until it is killed.
	 * @param arguments the port, {@code companion}, and the URL of an H2 database to keep
	 * open, if there is one
	 */
	public static void main(String[] arguments) throws Exception {
		// Otherwise each answer waits for an acknowledgement of its head
		System.setProperty("sun.net.httpserver.nodelay", "true");
		System.setProperty("h2.bindAddress", "127.0.0.1");
		int port = Integer.parseInt(arguments[0]);
		if (arguments.length == 1) {
			new PaymentServer(new InetSocketAddress(port), new Presence()).start();
		}
		else {
			accompany(port, (arguments.length > 2) ? arguments[2] : null);
		}
	}

	private static void accompany(int port, @Nullable String database) throws Exception {
		Presence presence = new Presence();
		InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
		try (PaymentServer payments = new PaymentServer(address, presence); Connection host = open(database)) {
			payments.start();
			presence.awaitLast();
		}
	}

	/**
	 * Opens a database, with {@code AUTO_SERVER=TRUE}: whoever has it open first serves
	 * it to all others that open the same URL.
	 */
	private static @Nullable Connection open(@Nullable String database) throws SQLException {
		return (database != null) ? DriverManager.getConnection(database, "sa", "") : null;
	}

}
