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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.params.ShutdownParams;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A Redis for people who have none: started if nobody answers on the configured port,
 * joined otherwise.
 * <p>
 * It must outlive the instance that started it, also if that is killed or stopped by
 * Ctrl-C. So it runs as a daemon of its own, and every instance keeps one connection to
 * it for as long as it lives, known by its name. On the way out an instance takes the
 * name off, looks whether another one is left, and ends the server if not: of instances
 * that stop at the same time the last to take it off finds none. If the last one is
 * killed the server stays; the next instance joins it. A Redis that none of us started is
 * never ended: ours is known by its pid file.
 */
class EmbeddedRedis implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

	/** Of the connection that each instance keeps. */
	private static final String NAME = "holdfast-sample";

	private final HostAndPort address;

	private final JedisClientConfig clientConfig;

	private final Path directory;

	private final Jedis connection;

	/**
	 * Connects to the server, after starting it if need be.
	 */
	EmbeddedRedis(HostAndPort address, JedisClientConfig clientConfig, Path directory)
			throws IOException, InterruptedException {
		this.address = address;
		this.clientConfig = clientConfig;
		this.directory = directory.toAbsolutePath();
		Jedis joined = tryConnect();
		this.connection = (joined != null) ? joined : start();
	}

	private Jedis start() throws IOException, InterruptedException {
		logger.info("Nobody answers on " + this.address + ": starting a Redis in " + this.directory);
		Companion.createDirectory(this.directory);
		// Another instance may be running its own at this moment
		Path own = Files.createTempDirectory(this.directory, "redis-");
		try {
			startServer(own).waitFor();
		}
		finally {
			FileSystemUtils.deleteRecursively(own);
		}
		long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
		while (System.nanoTime() < deadline) {
			Jedis started = tryConnect();
			if (started != null) {
				return started;
			}
			Thread.sleep(20);
		}
		throw new IllegalStateException(
				"Redis does not answer on " + this.address + "; see the log file in " + this.directory);
	}

	/**
	 * Writes the server and starts it. One thread at a time: a process that another one
	 * starts keeps the file open for writing for a moment, and it cannot be run then.
	 */
	private Process startServer(Path own) throws IOException {
		synchronized (EmbeddedRedis.class) {
			Path executable = ExecutableProvider.newJarResourceProvider(own.toFile()).get().toPath();
			return new ProcessBuilder(command(executable)).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
		}
	}

	private List<String> command(Path executable) {
		return List.of(executable.toString(), "--bind", "127.0.0.1", "--port", String.valueOf(this.address.getPort()),
				"--daemonize", "yes", "--dir", this.directory.toString(), "--pidfile", pidFile().toString(),
				"--logfile", this.directory.resolve("redis-" + this.address.getPort() + ".log").toString(), "--save",
				"");
	}

	private Path pidFile() {
		return this.directory.resolve("redis-" + this.address.getPort() + ".pid");
	}

	private @Nullable Jedis tryConnect() {
		try {
			Jedis connected = new Jedis(this.address, this.clientConfig);
			connected.clientSetname(NAME);
			return connected;
		}
		catch (JedisConnectionException ex) {
			return null;
		}
	}

	/**
	 * Ends the server if it is ours and this was the last instance.
	 */
	@Override
	public void close() {
		try (this.connection) {
			this.connection.clientSetname("");
			if (isOurs() && isNobodyLeft()) {
				logger.info("No other instance is left: stopping the Redis on " + this.address);
				this.connection.shutdown(ShutdownParams.shutdownParams().nosave());
			}
		}
		catch (JedisException ex) {
			logger.debug("The Redis on " + this.address + " is left as it is", ex);
		}
	}

	private boolean isOurs() {
		return pidFile().toString().equals(this.connection.configGet("pidfile").get("pidfile"));
	}

	/** Looks for instances: other connections of this one may still be closing. */
	private boolean isNobodyLeft() {
		return this.connection.clientList().lines().noneMatch((client) -> client.contains(" name=" + NAME + " "));
	}

}
