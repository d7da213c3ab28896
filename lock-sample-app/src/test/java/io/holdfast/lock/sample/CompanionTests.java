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

package io.holdfast.lock.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CompanionTests extends AtOnePlace {

	@Test
	void hostsTheDatabaseForEverybodyUntilTheLastOneIsGone() throws Exception {
		String url = "jdbc:h2:file:" + this.directory.resolve("shop") + ";AUTO_SERVER=TRUE";
		Companion first = companion(url);
		Companion second = companion(url);
		try (Connection connection = DriverManager.getConnection(url, "sa", "")) {
			first.close();

			// It would notice within a fifth of a second that nobody is left
			Awaitility.await()
				.during(Duration.ofSeconds(1))
				.atMost(Duration.ofSeconds(30))
				.until(() -> connection.isValid(1) && isServedByAnotherProcess(connection)
						&& this.place.hasCompanion());
		}
		second.close();
		this.place.awaitEndOfCompanion();
	}

	/** Whose number of servers is one then, as H2 says. */
	private static boolean isServedByAnotherProcess(Connection connection) throws SQLException {
		return connection.getClientInfo("numServers").equals("1");
	}

	private Companion companion(@Nullable String url) throws IOException, InterruptedException {
		return new Companion(this.place.payments(), this.directory, url);
	}

	/** Whoever left it while it starts would be the last one for it, so it would end. */
	@Test
	void oneThatTakesLongToStartIsNotLeftMeanwhile() throws Exception {
		try (ServerSocket slow = new ServerSocket(this.place.paymentsPort(), 5, InetAddress.getLoopbackAddress())) {
			Future<Boolean> isAskedTwice = CompletableFuture.supplyAsync(() -> isAskedTwice(slow));
			Companion companion = companion(null);
			companion.close();
			assertThat(isAskedTwice.get(30, TimeUnit.SECONDS)).isFalse();
		}
	}

	/** Answers what came first once nothing has come for a while. */
	private static boolean isAskedTwice(ServerSocket slow) {
		try (Socket first = slow.accept()) {
			boolean again = comes(slow);
			first.getOutputStream()
				.write("HTTP/1.0 200 OK\r\nCompanion: holdfast-sample\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			return again;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean comes(ServerSocket server) throws IOException {
		server.setSoTimeout(3000);
		try (Socket next = server.accept()) {
			return next.isConnected();
		}
		catch (SocketTimeoutException ex) {
			return false;
		}
	}

	@Test
	void strangerOnItsPortIsNotTakenForTheProvider() throws IOException {
		HttpServer stranger = HttpServer
			.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.place.paymentsPort()), 0);
		stranger.createContext("/", (exchange) -> {
			exchange.sendResponseHeaders(200, -1);
			exchange.close();
		});
		stranger.start();
		try {
			assertThatIllegalStateException().isThrownBy(() -> companion("jdbc:h2:mem:"))
				.withMessageStartingWith("Port " + this.place.paymentsPort() + " is taken by something");
		}
		finally {
			stranger.stop(0);
		}
	}

	@Test
	void addressWithoutSchemeIsExplained() {
		runner(CompanionConfiguration.class).withPropertyValues("sample.payments-url=payments:8090")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessage("sample.payments-url must be like http://localhost:8090, not payments:8090"));
	}

	@Test
	void providerOnAnotherMachineIsLeftToWhoeverConfiguredIt() {
		runner(CompanionConfiguration.class).withPropertyValues("sample.payments-url=http://192.0.2.1:8090")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Companion.class));
	}

}
