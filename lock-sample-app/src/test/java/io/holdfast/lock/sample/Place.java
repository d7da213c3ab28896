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
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

import org.awaitility.Awaitility;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ShutdownParams;

/**
 * Where instances of a test meet: a directory with a database, and ports for Redis and
 * for the payment provider.
 */
record Place(Path directory, int redisPort, int paymentsPort) {

	static Place in(Path directory) {
		return new Place(directory, freePort(), freePort());
	}

	/**
	 * Below the ports that systems give to connections and those of other tests, so that
	 * none takes it before it is used.
	 */
	static int freePort() {
		return ThreadLocalRandom.current().ints(4_000, 10_000).filter(Place::isFree).findFirst().orElseThrow();
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
		}
	}

	HostAndPort redis() {
		return new HostAndPort("localhost", this.redisPort);
	}

	URI payments() {
		return URI.create("http://localhost:" + this.paymentsPort);
	}

	boolean hasRedis() {
		return answers(this.redisPort);
	}

	boolean hasCompanion() {
		return answers(this.paymentsPort);
	}

	private static boolean answers(int port) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

	/** The companion has closed its files when it gives up its port. */
	void awaitEndOfCompanion() {
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> !hasCompanion());
	}

	/** Ends the server that a failed test left behind. */
	void endRedis() {
		if (hasRedis()) {
			try (Jedis jedis = new Jedis(redis())) {
				jedis.shutdown(ShutdownParams.shutdownParams().nosave());
			}
		}
	}

	String[] arguments(int serverPort, String... more) {
		List<String> arguments = new ArrayList<>(
				List.of("--server.port=" + serverPort, "--spring.data.redis.port=" + this.redisPort,
						"--sample.directory=" + this.directory, "--sample.payments-url=" + payments()));
		arguments.addAll(List.of(more));
		return arguments.toArray(String[]::new);
	}

}
