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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.sample.companion.CompanionProcess;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The process with the payment provider and the database: started if nobody answers at
 * its address, joined otherwise.
 * <p>
 * Every instance keeps one connection to it for as long as it lives, and it ends when the
 * last of them is gone, however that went. As it hosts the database, no instance does,
 * and none is missed by the others when it dies.
 */
class Companion implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Companion.class);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(20);

	private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);

	private final URI address;

	private final Path directory;

	private final @Nullable String database;

	private final Socket presence;

	/**
	 * Connects to the process, after starting it if need be.
	 * @param database the URL of the H2 database that it hosts, if any
	 */
	Companion(URI address, Path directory, @Nullable String database) throws IOException, InterruptedException {
		this.address = address;
		this.directory = directory.toAbsolutePath();
		this.database = database;
		Socket joined = tryJoin();
		this.presence = (joined != null) ? joined : start();
	}

	private Socket start() throws IOException, InterruptedException {
		logger.info("Nobody answers on " + this.address + ": starting the payment provider, with the database");
		Files.createDirectories(this.directory);
		Process process = launch();
		long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
		while (System.nanoTime() < deadline) {
			Socket joined = tryJoin();
			if (joined != null) {
				return joined;
			}
			if (!process.isAlive()) {
				// One that was about to end still had the port
				process = launch();
			}
			Thread.sleep(50);
		}
		throw new IllegalStateException(
				"No payment provider answers on " + this.address + "; see companion.log in " + this.directory);
	}

	/**
	 * Its output is the log file; Ctrl-C and Ctrl-Z in the terminal of this instance are
	 * not for it.
	 */
	private Process launch() throws IOException {
		List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP TSTP; exec \"$@\"", "sh",
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
				CompanionProcess.class.getName(), String.valueOf(this.address.getPort()), "companion"));
		if (this.database != null) {
			command.add(this.database);
		}
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.directory.resolve("companion.log").toFile()))
			.start();
	}

	private @Nullable Socket tryJoin() {
		Socket socket = new Socket();
		try {
			socket.connect(new InetSocketAddress(this.address.getHost(), this.address.getPort()));
			if (isWelcome(socket)) {
				return socket;
			}
		}
		catch (IOException ex) {
			logger.trace("Nobody answers on " + this.address, ex);
		}
		close(socket);
		return null;
	}

	private static boolean isWelcome(Socket socket) throws IOException {
		socket.setSoTimeout((int) ANSWER_TIMEOUT.toMillis());
		socket.getOutputStream().write("GET /presence HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		String status = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
			.readLine();
		return status != null && status.endsWith(" 200 OK");
	}

	/**
	 * Leaves it. If this was the last instance it ends.
	 */
	@Override
	public void close() {
		close(this.presence);
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			logger.debug("A connection to the companion is left as it is", ex);
		}
	}

}
