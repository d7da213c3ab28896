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

package io.holdfast.lock.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.SafeEncoder;
import redis.embedded.core.ExecutableProvider;

/**
 * A real redis-server on a free port: the one from Maven, or the one that the system
 * property {@code redis.executable} names. Ends with the JVM at the latest.
 */
public final class RedisProcess implements AutoCloseable {

	private static final File EXECUTABLE = executable();

	private final int port;

	private final List<String> arguments;

	private Process process;

	private RedisProcess(int port, List<String> arguments) {
		this.port = port;
		this.arguments = arguments;
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		startAgain();
	}

	/**
	 * Starts a server that keeps nothing on disk.
	 */
	public static RedisProcess start(String... arguments) {
		return new RedisProcess(freePort(), List.of(arguments));
	}

	/**
	 * The server that tests share which do it no harm; each uses its own key prefix.
	 */
	public static RedisProcess shared() {
		return Shared.INSTANCE;
	}

	/**
	 * A port that nothing listens on.
	 */
	public static int freePort() {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static File executable() {
		String named = System.getProperty("redis.executable");
		try {
			return (named != null) ? new File(named) : ExecutableProvider.newJarResourceProvider().get();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public String host() {
		return "127.0.0.1";
	}

	public int port() {
		return this.port;
	}

	/**
	 * Starts the server again, on the same port; empty unless the arguments tell it where
	 * its data are.
	 * @param more arguments for this time
	 */
	public void startAgain(String... more) {
		List<String> command = new ArrayList<>(List.of(EXECUTABLE.getPath(), "--port", Integer.toString(this.port),
				"--bind", host(), "--save", "", "--appendonly", "no", "--daemonize", "no"));
		command.addAll(this.arguments);
		command.addAll(List.of(more));
		try {
			File directory = Files.createTempDirectory("holdfast-redis").toFile();
			directory.deleteOnExit();
			this.process = new ProcessBuilder(command).directory(directory)
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await("redis-server on port " + this.port)
			.atMost(Duration.ofSeconds(20))
			.pollInterval(Duration.ofMillis(10))
			.until(this::answers);
	}

	private boolean answers() {
		if (!this.process.isAlive()) {
			throw new IllegalStateException("redis-server ended with code " + this.process.exitValue());
		}
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(host(), this.port), 500);
			socket.setSoTimeout(500);
			socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
			int first = socket.getInputStream().read();
			return first == '+' || first == '-';
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Runs a command as the default user.
	 * @return the answer: text, a number, or a list of such
	 */
	public Object command(String... words) {
		try (Jedis jedis = new Jedis(host(), this.port, 20_000)) {
			String[] arguments = Arrays.copyOfRange(words, 1, words.length);
			return SafeEncoder
				.encodeObject(jedis.sendCommand(() -> words[0].getBytes(StandardCharsets.UTF_8), arguments));
		}
	}

	/**
	 * A value of {@code INFO}, or nothing.
	 */
	public String info(String section, String name) {
		return valueOf(name, (String) command("INFO", section));
	}

	static String valueOf(String name, String lines) {
		return lines.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.map((line) -> line.substring(name.length() + 1))
			.findFirst()
			.orElse("");
	}

	/**
	 * Ends the server as {@code kill -9} does.
	 */
	public void kill() {
		this.process.destroyForcibly();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException("redis-server on port " + this.port + " does not end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Stops the server from running, as {@code kill -STOP} does.
	 */
	public void pause() {
		Signals.send(this.process.toHandle(), "STOP");
	}

	public void resume() {
		Signals.send(this.process.toHandle(), "CONT");
	}

	@Override
	public void close() {
		if (this.process != null && this.process.isAlive()) {
			kill();
		}
	}

	private static final class Shared {

		static final RedisProcess INSTANCE = RedisProcess.start("--maxclients", "2000");

	}

}
