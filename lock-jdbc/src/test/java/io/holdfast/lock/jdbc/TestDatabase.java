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

package io.holdfast.lock.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.Signals;
import org.awaitility.Awaitility;
import org.h2.tools.Server;
import org.junit.jupiter.api.Assumptions;

import org.springframework.util.FileSystemUtils;

/**
 * Databases of the tests. Those that are servers are started from what the machine has,
 * in a folder of their own, once for all tests of a JVM; a test is skipped where there is
 * none. They need not write to disk, unless {@code -Dfence.disk} asks for it.
 */
enum TestDatabase {

	H2 {

		@Override
		String start() {
			return "jdbc:h2:mem:fence-%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
		}

	},

	POSTGRESQL {

		@Override
		String start() throws Exception {
			Path initdb = find("initdb", "/usr/lib/postgresql");
			Path folder = folder("postgres");
			int port = RedisProcess.freePort();
			run(as("postgres", initdb.toString(), "-D", folder + "/data", "-U", "test", "--auth=trust", "--no-sync",
					"-E", "UTF8", "--locale=C"));
			startServer(folder, "INT",
					as("postgres", initdb.resolveSibling("postgres").toString(), "-D", folder + "/data", "-p",
							"" + port, "-k", folder.toString(), "-c", "max_connections=200", "-c",
							"fsync=" + onDisk("on", "off")));
			return awaitAnswer("jdbc:postgresql://localhost:" + port + "/", "postgres", "%s");
		}

	},

	MARIADB {

		@Override
		String start() throws Exception {
			Path server = find("mariadbd", "/usr/sbin", "/usr/libexec");
			Path folder = folder("mysql");
			int port = RedisProcess.freePort();
			run(as("mysql", find("mariadb-install-db", "/usr/bin").toString(), "--no-defaults",
					"--datadir=" + folder + "/data", "--auth-root-authentication-method=normal", "--skip-test-db"));
			startServer(folder, "TERM",
					as("mysql", server.toString(), "--no-defaults", "--datadir=" + folder + "/data", "--port=" + port,
							"--bind-address=127.0.0.1", "--socket=" + folder + "/socket", "--max-connections=200",
							"--innodb-flush-log-at-trx-commit=" + onDisk("1", "0")));
			return awaitAnswer("jdbc:mariadb://127.0.0.1:" + port + "/", "", "%s?user=root");
		}

	};

	/** Addresses of those that run, and why others do not. */
	private static final Map<TestDatabase, String> started = new EnumMap<>(TestDatabase.class);

	private static final Map<TestDatabase, String> missing = new EnumMap<>(TestDatabase.class);

	private static final String IN_MEMORY = "jdbc:h2:mem:";

	/** What other processes reach H2 by. */
	private static Server h2;

	abstract String start() throws Exception;

	/**
	 * Returns the address of a new database of a name, with its user. Skips the test if
	 * the machine has no such database.
	 */
	String url(String name) {
		synchronized (started) {
			try {
				if (!started.containsKey(this) && !missing.containsKey(this)) {
					started.put(this, start());
				}
			}
			catch (NotThere ex) {
				missing.put(this, ex.getMessage());
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
		Assumptions.assumeTrue(started.containsKey(this), () -> this + " is not tested: " + missing.get(this));
		String address = started.get(this);
		if (this != H2) {
			String any = withUser(address.formatted((this == POSTGRESQL) ? "postgres" : ""));
			try (Connection connection = DriverManager.getConnection(any);
					Statement statement = connection.createStatement()) {
				statement.execute("create database " + name);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}
		return withUser(address.formatted(name));
	}

	/**
	 * Where other processes reach a database that this one has opened.
	 */
	static String sharedUrl(String url) {
		return url.startsWith(IN_MEMORY) ? "jdbc:h2:tcp://localhost:" + h2Port() + "/mem:"
				+ url.substring(IN_MEMORY.length()) + ";USER=sa;PASSWORD=" : url;
	}

	private static int h2Port() {
		synchronized (started) {
			try {
				h2 = (h2 != null) ? h2 : Server.createTcpServer("-tcpPort", "0", "-tcpDaemon").start();
				return h2.getPort();
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	private static String withUser(String address) {
		return address.startsWith("jdbc:postgresql") ? address + "?user=test" : address;
	}

	private static String awaitAnswer(String address, String database, String rest) {
		Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(() -> {
			DriverManager.getConnection(withUser((address + rest).formatted(database))).close();
			return true;
		});
		return address + rest;
	}

	private static String onDisk(String yes, String no) {
		return (System.getProperty("fence.disk") != null) ? yes : no;
	}

	private static Path find(String program, String... folders) throws IOException {
		for (String each : folders) {
			if (Files.isDirectory(Path.of(each))) {
				try (Stream<Path> files = Files.find(Path.of(each), 3,
						(file, attributes) -> file.getFileName().toString().equals(program))) {
					Path found = files.max(Path::compareTo).orElse(null);
					if (found != null) {
						return found;
					}
				}
			}
		}
		throw new NotThere("no " + program + " in " + Arrays.toString(folders));
	}

	private static boolean isRoot() {
		return "root".equals(System.getProperty("user.name"));
	}

	/** These servers do not run as root: then as the user that their package brings. */
	private static List<String> as(String user, String... command) {
		List<String> words = new ArrayList<>();
		if (isRoot()) {
			words.addAll(List.of("setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"));
		}
		words.addAll(List.of(command));
		return words;
	}

	private static Path folder(String user) throws Exception {
		Path folder = Files.createTempDirectory("holdfast-" + user);
		if (isRoot()) {
			run(List.of("chown", user, folder.toString()));
		}
		return folder;
	}

	private static void run(List<String> command) throws Exception {
		Path output = Files.createTempFile("holdfast", ".log");
		Process process = new ProcessBuilder(command).directory(Path.of("/tmp").toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		boolean ended = process.waitFor(2, TimeUnit.MINUTES);
		String text = Files.readString(output);
		Files.delete(output);
		if (!ended || process.exitValue() != 0) {
			process.destroyForcibly();
			throw new NotThere(command + " failed: " + text);
		}
	}

	private static void startServer(Path folder, String signal, List<String> command) throws IOException {
		Process server = new ProcessBuilder(command).directory(Path.of("/tmp").toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			Signals.send(server.toHandle(), signal);
			server.onExit().orTimeout(20, TimeUnit.SECONDS).exceptionally((ex) -> server.destroyForcibly()).join();
			FileSystemUtils.deleteRecursively(folder.toFile());
		}));
	}

	private static final class NotThere extends RuntimeException {

		NotThere(String message) {
			super(message);
		}

	}

}
