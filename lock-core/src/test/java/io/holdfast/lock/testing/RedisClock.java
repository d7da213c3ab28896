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

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.opentest4j.TestAbortedException;

/**
 * The wall clock of a redis-server, which a test may set while the server runs. Needs
 * Linux and a C compiler, else the test is skipped.
 */
public final class RedisClock {

	private final Path library;

	private final Path offset;

	private final MappedByteBuffer seconds;

	private RedisClock(Path directory) throws IOException {
		this.library = directory.resolve("clock.so");
		this.offset = directory.resolve("offset");
		Files.write(this.offset, new byte[Long.BYTES]);
		try (FileChannel file = FileChannel.open(this.offset, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			this.seconds = file.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
		}
		this.seconds.order(ByteOrder.nativeOrder());
	}

	/**
	 * Makes a clock.
	 * @param directory where to build it
	 */
	public static RedisClock in(Path directory) {
		try {
			RedisClock clock = new RedisClock(directory);
			clock.build(directory);
			return clock;
		}
		catch (IOException ex) {
			throw new TestAbortedException("There is no C compiler", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private void build(Path directory) throws IOException, InterruptedException {
		Path source = directory.resolve("clock.c");
		try (InputStream text = RedisClock.class.getResourceAsStream("/server-clock.c")) {
			Files.copy(text, source);
		}
		int code = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", this.library.toString(), source.toString(),
				"-ldl")
			.redirectErrorStream(true)
			.redirectOutput(directory.resolve("cc.log").toFile())
			.start()
			.waitFor();
		if (code != 0) {
			throw new TestAbortedException(
					"The clock cannot be built: " + Files.readString(directory.resolve("cc.log")));
		}
	}

	/**
	 * Starts a server with this clock.
	 */
	public RedisProcess startServer() {
		RedisProcess server = RedisProcess
			.start(Map.of("LD_PRELOAD", this.library.toString(), "CLOCK_OFFSET", this.offset.toString()));
		set(Duration.ofHours(-1));
		boolean runs = secondsOf(server) < System.currentTimeMillis() / 1000 - 1800;
		set(Duration.ZERO);
		if (!runs) {
			server.close();
			throw new TestAbortedException("This redis-server keeps its own clock");
		}
		return server;
	}

	private static long secondsOf(RedisProcess server) {
		return Long.parseLong((String) ((List<?>) server.command("TIME")).get(0));
	}

	/**
	 * Sets it off by so much.
	 */
	public void set(Duration off) {
		this.seconds.putLong(0, off.toSeconds());
	}

}
