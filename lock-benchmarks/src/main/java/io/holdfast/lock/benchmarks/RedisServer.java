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

package io.holdfast.lock.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.benchmarks.libraries.Library.Calls;
import io.holdfast.lock.benchmarks.libraries.Library.RedisAddress;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.embedded.core.ExecutableProvider;

/**
 * The Redis that all are measured on: the one from Maven, or the one that the system
 * property {@code redis.executable} names. Keeps nothing on disk.
 */
final class RedisServer implements AutoCloseable {

	static final String HOST = "127.0.0.1";

	private static final File EXECUTABLE = executable();

	private final Process process;

	private final int port;

	private final Jedis connection;

	RedisServer() {
		this.port = freePort();
		this.process = Children
			.start(new ProcessBuilder(List.of(EXECUTABLE.getPath(), "--port", Integer.toString(this.port), "--bind",
					HOST, "--save", "", "--appendonly", "no"))
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD));
		this.connection = connect();
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

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Jedis connect() {
		long deadline = System.nanoTime() + 20_000_000_000L;
		while (true) {
			try {
				Jedis jedis = new Jedis(HOST, this.port, 60_000);
				jedis.ping();
				return jedis;
			}
			catch (JedisConnectionException ex) {
				if (System.nanoTime() > deadline || !this.process.isAlive()) {
					throw ex;
				}
				Threads.sleepUntil(System.nanoTime() + 20_000_000);
			}
		}
	}

	RedisAddress address() {
		return new RedisAddress(HOST, this.port);
	}

	String version() {
		return info("server").getOrDefault("redis_version", "?");
	}

	/**
	 * The number of keys.
	 */
	long size() {
		return this.connection.dbSize();
	}

	long memoryBytes() {
		return Long.parseLong(info("memory").getOrDefault("used_memory", "0"));
	}

	/**
	 * Processor time since the start.
	 */
	long cpuNanos() {
		Map<String, String> info = info("cpu");
		double seconds = Double.parseDouble(info.getOrDefault("used_cpu_user", "0"))
				+ Double.parseDouble(info.getOrDefault("used_cpu_sys", "0"));
		return (long) (seconds * 1e9);
	}

	/**
	 * Bytes received and sent since the start.
	 */
	long networkBytes() {
		Map<String, String> info = info("stats");
		return Long.parseLong(info.getOrDefault("total_net_input_bytes", "0"))
				+ Long.parseLong(info.getOrDefault("total_net_output_bytes", "0"));
	}

	Calls calls() {
		return new Calls(byCommand("calls"));
	}

	/**
	 * A figure of each command that Redis ran since its start: {@code calls} or
	 * {@code usec}.
	 */
	Map<String, Long> byCommand(String figure) {
		Map<String, Long> figures = new HashMap<>();
		info("commandstats").forEach((command, line) -> {
			for (String each : line.split(",", -1)) {
				if (each.startsWith(figure + "=")) {
					figures.put(command.substring("cmdstat_".length()),
							Long.parseLong(each.substring(figure.length() + 1)));
				}
			}
		});
		return figures;
	}

	Map<String, String> info(String section) {
		Map<String, String> info = new HashMap<>();
		this.connection.info(section).lines().filter((line) -> line.indexOf(':') > 0).forEach((line) -> {
			int colon = line.indexOf(':');
			info.put(line.substring(0, colon), line.substring(colon + 1).strip());
		});
		return info;
	}

	@Override
	public void close() {
		this.connection.close();
		Children.end(this.process);
	}

}
