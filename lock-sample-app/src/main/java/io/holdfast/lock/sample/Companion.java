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
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

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

	private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

	private static final FileAttribute<Set<PosixFilePermission>> FOR_THE_OWNER = PosixFilePermissions
		.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

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
		this.presence = join();
	}

	/**
	 * Starts it once, if nobody has its port. Whoever has the port without an answer may
	 * be starting, or ending after the last one. An instance that gave up while it starts
	 * would look to it like the last one that leaves, so none does.
	 */
	private Socket join() throws IOException, InterruptedException {
		Process launched = null;
		long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
		while (System.nanoTime() < deadline) {
			try {
				Socket joined = tryJoin(Duration.ofNanos(deadline - System.nanoTime()));
				if (joined != null) {
					return joined;
				}
			}
			catch (ConnectException ex) {
				if (launched == null) {
					launched = launch();
				}
				else if (!launched.isAlive()) {
					break;
				}
			}
			Thread.sleep(50);
		}
		throw new IllegalStateException("No payment provider answers on %s. The last message in %s: %s"
			.formatted(this.address, log(), lastMessage()));
	}

	/** If it is new, nobody but its owner may read what is in it. */
	static void createDirectory(Path directory) throws IOException {
		Files.createDirectories(directory, FOR_THE_OWNER);
	}

	/**
	 * Its output is the log file; Ctrl-C and Ctrl-Z in the terminal of this instance are
	 * not for it.
	 */
	private Process launch() throws IOException {
		logger.info("Nobody answers on " + this.address + ": starting the payment provider, with the database");
		createDirectory(this.directory);
		List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP TSTP; exec \"$@\"", "sh",
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
				CompanionProcess.class.getName(), String.valueOf(this.address.getPort()), "companion"));
		if (this.database != null) {
			command.add(this.database);
		}
		return new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
			.start();
	}

	private Path log() {
		return this.directory.resolve("companion.log");
	}

	private String lastMessage() throws IOException {
		if (!Files.exists(log())) {
			return "none";
		}
		try (Stream<String> lines = Files.lines(log())) {
			return lines.filter((line) -> !line.startsWith("\t")).reduce("none", (before, line) -> line);
		}
	}

	/**
	 * Joins whoever has the port.
	 * @return the connection, or {@code null} if there is no welcome (yet)
	 * @throws ConnectException if nobody has the port
	 */
	private @Nullable Socket tryJoin(Duration timeout) throws ConnectException {
		Socket socket = new Socket();
		try {
			socket.setSoTimeout((int) Math.max(1, timeout.toMillis()));
			socket.connect(new InetSocketAddress(this.address.getHost(), this.address.getPort()));
			if (isWelcome(socket)) {
				return socket;
			}
		}
		catch (ConnectException ex) {
			throw ex;
		}
		catch (IOException ex) {
			logger.trace("No answer from " + this.address, ex);
		}
		close(socket);
		return null;
	}

	private boolean isWelcome(Socket socket) throws IOException {
		socket.getOutputStream().write("GET /presence HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		BufferedReader answer = new BufferedReader(
				new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
		String status = answer.readLine();
		if (status == null) {
			return false;
		}
		for (String line = status; line != null && !line.isEmpty(); line = answer.readLine()) {
			if (line.equals("Companion: holdfast-sample")) {
				return status.endsWith(" 200 OK");
			}
		}
		close(socket);
		throw new IllegalStateException(
				"Port %d is taken by something that is not the payment provider. ".formatted(this.address.getPort())
						+ "Set sample.payments-url to another one, for all instances");
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
