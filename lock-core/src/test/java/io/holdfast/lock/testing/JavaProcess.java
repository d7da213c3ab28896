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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;

/**
 * A Java process that a test has started from its own class path. What it prints are
 * lines for the test to wait for. Ends with the test at the latest.
 */
public final class JavaProcess implements AutoCloseable {

	private final String name;

	private final Process process;

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private final Thread reader;

	private JavaProcess(String name, Process process) {
		this.name = name;
		this.process = process;
		this.reader = new Thread(this::read, "reader-" + name);
		this.reader.setDaemon(true);
		this.reader.start();
	}

	/**
	 * Starts a process with a small heap.
	 */
	public static JavaProcess start(String name, Class<?> main, String... arguments) {
		return startWith(System.getProperty("java.class.path"), name, main, arguments);
	}

	/**
	 * Starts a process with a small heap on a class path of its own.
	 */
	public static JavaProcess startWith(String classPath, String name, Class<?> main, String... arguments) {
		return startWithOptions(List.of("-cp", classPath), name, main, arguments);
	}

	/**
	 * Starts a process with a small heap and an agent.
	 */
	public static JavaProcess startWithAgent(Path agent, String name, Class<?> main, String... arguments) {
		return startWithOptions(List.of("-javaagent:" + agent, "-cp", System.getProperty("java.class.path")), name,
				main, arguments);
	}

	/**
	 * Starts a process with a small heap and options of the JVM, its class path among
	 * them.
	 */
	public static JavaProcess startWithOptions(List<String> options, String name, Class<?> main, String... arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m",
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
		command.addAll(options);
		command.add(main.getName());
		command.addAll(List.of(arguments));
		try {
			return new JavaProcess(name, new ProcessBuilder(command).redirectErrorStream(true).start());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void read() {
		try (BufferedReader out = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = out.readLine(); line != null; line = out.readLine()) {
				this.lines.add(line);
			}
		}
		catch (IOException ex) {
			// It was killed.
		}
	}

	/**
	 * Waits for a line that begins with a word.
	 * @return the words of the line
	 */
	public String[] awaitLine(String word, Duration limit) {
		Awaitility.await(this.name + " says " + word)
			.atMost(limit)
			.pollInterval(Duration.ofMillis(2))
			.until(() -> says(word));
		return find(word).orElseThrow().split(" ", -1);
	}

	private void failIfEndedWithout(String word) {
		if (!this.reader.isAlive() && find(word).isEmpty()) {
			throw new AssertionError(this + " has ended");
		}
	}

	private Optional<String> find(String word) {
		return this.lines.stream().filter((line) -> line.startsWith(word)).findFirst();
	}

	/**
	 * Whether it has written a line that begins so.
	 */
	public boolean says(String word) {
		failIfEndedWithout(word);
		return find(word).isPresent();
	}

	/**
	 * Whether it ended with an error.
	 */
	public boolean hasFailed() {
		return !this.process.isAlive() && this.process.exitValue() == 1;
	}

	/**
	 * Gives the process a line to read.
	 */
	public void tell(String line) {
		try {
			this.process.outputWriter(StandardCharsets.UTF_8).append(line).append('\n').flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends its input and waits until it has ended.
	 * @return its exit code
	 */
	public int end(Duration limit) {
		try {
			this.process.outputWriter(StandardCharsets.UTF_8).close();
			if (!this.process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
				throw new AssertionError(this + " does not end");
			}
			this.reader.join(TimeUnit.SECONDS.toMillis(10));
			return this.process.exitValue();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Ends the process as {@code kill -9} does.
	 */
	public void kill() {
		this.process.destroyForcibly();
		try {
			this.process.waitFor(10, TimeUnit.SECONDS);
			this.reader.join(TimeUnit.SECONDS.toMillis(10));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Asks the process to end, as {@code kill} does.
	 */
	public void terminate() {
		Signals.send(this.process.toHandle(), "TERM");
	}

	/**
	 * Stops the process from running, as {@code kill -STOP} does.
	 */
	public void pause() {
		Signals.send(this.process.toHandle(), "STOP");
	}

	public void resume() {
		Signals.send(this.process.toHandle(), "CONT");
	}

	@Override
	public void close() {
		if (this.process.isAlive()) {
			kill();
		}
	}

	@Override
	public String toString() {
		return "Process " + this.name + " that said " + this.lines;
	}

}
