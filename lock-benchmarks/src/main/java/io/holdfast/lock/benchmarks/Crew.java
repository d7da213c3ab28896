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

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.benchmarks.libraries.Library;
import io.holdfast.lock.benchmarks.libraries.Library.RedisAddress;
import org.jspecify.annotations.Nullable;

/**
 * Worker processes of one library, on a Redis of their own. All of them end with the
 * crew, and with this process.
 */
final class Crew implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private final List<Member> members = new ArrayList<>();

	private final RedisServer redis = new RedisServer();

	/**
	 * Starts a server and processes, and waits until each has a session.
	 */
	Crew(Scenario scenario, Library library, Path journal, int processes, int threads) {
		try {
			RedisAddress address = this.redis.address();
			for (int i = 0; i < processes; i++) {
				this.members.add(new Member(
						List.of(scenario.name(), library.name(), address.host(), Integer.toString(address.port()),
								Integer.toString(threads), Integer.toString(i), journal.toString())));
			}
			answers(START_LIMIT);
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	RedisServer redis() {
		return this.redis;
	}

	/**
	 * Gives all workers a job and waits for their answers.
	 * @throws TooSlowException if one has not answered by then; the crew is of no further
	 * use
	 */
	List<Numbers> run(Numbers job, Duration limit) {
		this.members.forEach((member) -> member.tell(job.toString()));
		return answers(limit);
	}

	private List<Numbers> answers(Duration limit) {
		long deadline = System.nanoTime() + limit.toNanos();
		return this.members.stream().map((member) -> member.answer(deadline)).toList();
	}

	/**
	 * Processor time of all since they started.
	 */
	long cpuNanos() {
		return this.members.stream()
			.mapToLong((member) -> member.process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
			.sum();
	}

	@Override
	public void close() {
		this.members.forEach((member) -> Children.end(member.process));
		this.redis.close();
	}

	/**
	 * Somebody has not answered in time.
	 */
	static final class TooSlowException extends RuntimeException {

		private TooSlowException() {
			super("no answer in time");
		}

	}

	private static final class Member {

		private final Process process;

		private final BufferedWriter in;

		private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

		Member(List<String> arguments) {
			List<String> command = new ArrayList<>();
			command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
			command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
			command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
			command.addAll(arguments);
			this.process = Children.start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
			this.in = this.process.outputWriter(StandardCharsets.UTF_8);
			Thread reader = new Thread(this::read, "reader");
			reader.setDaemon(true);
			reader.start();
		}

		private void read() {
			try (BufferedReader out = this.process.inputReader(StandardCharsets.UTF_8)) {
				for (String line = out.readLine(); line != null; line = out.readLine()) {
					this.lines.add(line);
				}
			}
			catch (IOException ex) {
				// It has ended
			}
			this.lines.add(Worker.FAILURE + "ended");
		}

		void tell(String line) {
			try {
				this.in.append(line).append('\n').flush();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		Numbers answer(long deadline) {
			while (true) {
				String line = poll(deadline);
				if (line == null) {
					throw new TooSlowException();
				}
				if (line.startsWith(Worker.FAILURE)) {
					throw new IllegalStateException(line.substring(Worker.FAILURE.length()));
				}
				if (line.startsWith(Worker.ANSWER)) {
					return Numbers.parse(line);
				}
			}
		}

		private @Nullable String poll(long deadline) {
			try {
				return this.lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
