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
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.holdfast.lock.benchmarks.libraries.Libraries;
import io.holdfast.lock.benchmarks.libraries.Library.RedisAddress;
import io.holdfast.lock.benchmarks.libraries.Library.Session;

/**
 * A process that works for a scenario: reads jobs, writes answers, and ends with its
 * input, whatever it does at that time.
 */
public final class Worker {

	static final String ANSWER = "ANSWER ";

	static final String FAILURE = "FAILURE ";

	private Worker() {
	}

	/**
	 * Works.
	 * @param args scenario, library, Redis host and port, threads, process and journal
	 * @throws InterruptedException never
	 */
	public static void main(String[] args) throws InterruptedException {
		BlockingQueue<String> jobs = new LinkedBlockingQueue<>();
		Thread reader = new Thread(() -> read(jobs), "reader");
		reader.setDaemon(true);
		reader.start();
		try {
			Scenario scenario = Scenarios.named(args[0]);
			Session session = Libraries.named(args[1])
				.open(new RedisAddress(args[2], Integer.parseInt(args[3])), Integer.parseInt(args[4]));
			Journal journal = new Journal(Path.of(args[6]));
			say(ANSWER);
			while (true) {
				Numbers job = Numbers.parse(jobs.take()).and("process", Long.parseLong(args[5]));
				say(ANSWER + scenario.work(session, journal, job));
			}
		}
		catch (RuntimeException ex) {
			ex.printStackTrace();
			say(FAILURE + ex);
			Runtime.getRuntime().halt(1);
		}
	}

	private static void read(BlockingQueue<String> jobs) {
		try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			for (String line = in.readLine(); line != null; line = in.readLine()) {
				jobs.add(line);
			}
		}
		catch (IOException ex) {
			// As good as its end
		}
		Runtime.getRuntime().halt(0);
	}

	private static void say(String line) {
		System.out.println(line);
		System.out.flush();
	}

}
