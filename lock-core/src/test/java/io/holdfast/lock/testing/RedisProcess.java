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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.SafeEncoder;
import redis.embedded.core.ExecutableProvider;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.util.ClassUtils;
import org.springframework.util.FileSystemUtils;

/**
 * A real redis-server on a free port: the one from Maven, or the one that the system
 * property {@code redis.executable} names. Ends with the JVM at the latest.
 */
public final class RedisProcess implements RedisTopology {

	private static final File EXECUTABLE = executable();

	private static final FileChannel PORTS = ports();

	private static final Pattern REPLICA_OFFSET = Pattern.compile("state=online,offset=(\\d+)");

	/** How far the port of a cluster's bus is from that of its node. */
	private static final int BUS = 10_000;

	/** Tests of applications may have one of them only. */
	private static final boolean BOTH_DRIVERS = ClassUtils.isPresent("io.lettuce.core.RedisClient", null)
			&& ClassUtils.isPresent("redis.clients.jedis.Jedis", null);

	private final int port;

	private final Path directory;

	private final List<String> arguments;

	private final Map<String, String> environment;

	private Process process;

	private RedisProcess(int port, Path directory, List<String> arguments, Map<String, String> environment) {
		this.port = port;
		this.directory = directory;
		this.arguments = arguments;
		this.environment = environment;
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		startAgain();
	}

	/**
	 * Starts a server that keeps nothing on disk.
	 */
	public static RedisProcess start(String... arguments) {
		return start(Map.of(), arguments);
	}

	/**
	 * Starts a server that has more variables in its environment.
	 */
	static RedisProcess start(Map<String, String> environment, String... arguments) {
		return start(environment, (port) -> List.of(arguments));
	}

	/**
	 * Starts a server whose arguments depend on its port.
	 */
	static RedisProcess start(Map<String, String> environment, IntFunction<List<String>> arguments) {
		RedisProcess server = start((port) -> {
			List<String> all = new ArrayList<>(List.of("--port", Integer.toString(port), "--bind", localhost(),
					"--save", "", "--appendonly", "no", "--daemonize", "no"));
			all.addAll(arguments.apply(port));
			return new RedisProcess(port, newDirectory(), all, environment);
		});
		if (BOTH_DRIVERS) {
			RedisDriver.warmUp(server);
		}
		return server;
	}

	/**
	 * Starts a server on a free port, whatever takes one that was free a moment ago.
	 */
	private static RedisProcess start(IntFunction<RedisProcess> server) {
		while (true) {
			try {
				return server.apply(freePort());
			}
			catch (IllegalStateException ex) {
				if (!String.valueOf(ex.getMessage()).contains("Address already in use")) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Starts a sentinel.
	 * @param lines what its configuration says beside its address
	 */
	static RedisProcess startSentinel(String... lines) {
		return start((port) -> {
			Path directory = newDirectory();
			List<String> all = new ArrayList<>(List.of("port " + port, "bind " + localhost()));
			all.addAll(List.of(lines));
			try {
				Files.write(directory.resolve("sentinel.conf"), all);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			return new RedisProcess(port, directory, List.of("sentinel.conf", "--sentinel"), Map.of());
		});
	}

	/**
	 * The server that tests share which do it no harm; each uses its own key prefix.
	 */
	public static RedisProcess shared() {
		return Shared.INSTANCE;
	}

	/**
	 * A port that nothing listens on, and with it that of a cluster's bus. Systems do not
	 * give such ports to connections, and no test of another JVM takes it, so it stays
	 * free while a server is down.
	 */
	public static int freePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(10_240, 32_768 - BUS);
			if (isFree(port) && isFree(secondPort(port)) && reserve(port) && reserve(secondPort(port))) {
				return port;
			}
		}
	}

	/**
	 * The port that goes with that of a server: of the bus of a node, or for TLS.
	 */
	static int secondPort(int port) {
		return port + BUS;
	}

	/** A byte of a file for each port, locked until this JVM ends. */
	private static boolean reserve(int port) {
		try {
			return PORTS.tryLock(port, 1, false) != null;
		}
		catch (OverlappingFileLockException ex) {
			return false;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static FileChannel ports() {
		try {
			return FileChannel.open(
					Path.of(System.getProperty("java.io.tmpdir"),
							"holdfast-test-ports-" + System.getProperty("user.name")),
					StandardOpenOption.CREATE, StandardOpenOption.WRITE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isFree(int port) {
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(localhost()))) {
			return socket.isBound();
		}
		catch (IOException ex) {
			return false;
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

	private static Path newDirectory() {
		try {
			return Files.createTempDirectory("holdfast-redis");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String localhost() {
		return "127.0.0.1";
	}

	public String host() {
		return localhost();
	}

	public int port() {
		return this.port;
	}

	@Override
	public RedisStandaloneConfiguration configuration() {
		return new RedisStandaloneConfiguration(host(), this.port);
	}

	@Override
	public List<RedisProcess> servers() {
		return List.of(this);
	}

	@Override
	public RedisProcess masterOf(String key) {
		return this;
	}

	@Override
	public void awaitOtherMaster(String key, RedisProcess before) {
		throw new UnsupportedOperationException("There is no other server");
	}

	/**
	 * Waits until it answers. Its log tells that it does: another process may have taken
	 * the port just before.
	 */
	@Override
	public void awaitReady() {
		Awaitility.await(toString()).atMost(Duration.ofMinutes(1)).pollInterval(Duration.ofMillis(10)).until(() -> {
			failIfEnded();
			return log().contains("Running mode=") && answers();
		});
	}

	/**
	 * Starts the server again, on the same port and with what it kept on disk, which is
	 * nothing unless its arguments say so.
	 * @param more arguments for this time
	 */
	public void startAgain(String... more) {
		List<String> command = new ArrayList<>(List.of(EXECUTABLE.getAbsolutePath()));
		command.addAll(this.arguments);
		command.addAll(List.of(more));
		try {
			ProcessBuilder builder = new ProcessBuilder(command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(this.directory.resolve("log").toFile());
			builder.environment().putAll(this.environment);
			this.process = builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		awaitReady();
	}

	private void failIfEnded() {
		if (!isAlive()) {
			throw new IllegalStateException(this + " ended with code " + this.process.exitValue() + ": " + log());
		}
	}

	private String log() {
		try {
			return Files.readString(this.directory.resolve("log"));
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Whether it answers soon, be it with an error.
	 */
	public boolean answers() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(host(), this.port), 1000);
			socket.setSoTimeout(1000);
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
	 * Waits until its replicas have all that was written until now.
	 */
	public void awaitReplicas() {
		long written = Long.parseLong(info("replication", "master_repl_offset"));
		Awaitility.await("replicas of " + this).atMost(Duration.ofSeconds(20)).until(() -> {
			String replication = (String) command("INFO", "replication");
			return REPLICA_OFFSET.matcher(replication)
				.results()
				.allMatch((replica) -> Long.parseLong(replica.group(1)) >= written);
		});
	}

	/**
	 * Ends the server as {@code kill -9} does.
	 */
	public void kill() {
		this.process.destroyForcibly();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				throw new IllegalStateException(this + " does not end");
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
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

	@Override
	public String toString() {
		return "redis-server on port " + this.port;
	}

	private static final class Shared {

		static final RedisProcess INSTANCE = RedisProcess.start("--maxclients", "2000");

	}

}
