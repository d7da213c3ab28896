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

package io.holdfast.lock.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.LogManager;

import io.holdfast.lock.chaos.Session.Hold;

/**
 * A client process. It obeys lines on its input: {@code interrupt} interrupts threads for
 * as many milliseconds, {@code stop} makes them end what they do, and has it say whether
 * they have. The end of the input ends the process.
 */
public final class ClientMain {

	private final List<Thread> threads = new ArrayList<>();

	private final Random random;

	private volatile boolean stopped;

	private volatile boolean died;

	private ClientMain(long seed) {
		this.random = new Random(seed);
	}

	/**
	 * Works.
	 * @param args as {@link ClientSetup} writes them
	 * @throws IOException if it cannot
	 * @throws InterruptedException never
	 */
	public static void main(String[] args) throws IOException, InterruptedException {
		LogManager.getLogManager().reset();
		ClientSetup setup = ClientSetup.of(args);
		ClientMain client = new ClientMain(setup.seed());
		Recorder recorder = Recorder.create(Path.of(setup.history()), setup.process());
		Session session = open(setup, recorder);
		warmUp(session, setup.process());
		new StallDetector(recorder, setup.process()).start();
		say("READY " + session.id());
		client.start(setup, session, recorder);
		client.obey();
		Runtime.getRuntime().halt(0);
	}

	/**
	 * Opens a session, for which some libraries need a server that answers.
	 */
	private static Session open(ClientSetup setup, Recorder recorder) {
		long end = System.nanoTime() + Client.PATIENCE.toNanos();
		while (true) {
			try {
				return setup.library()
					.open(setup, (lock, token) -> recorder.loss(LockNumbers.number(lock), token, System.nanoTime()));
			}
			catch (RuntimeException ex) {
				if (System.nanoTime() > end) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Connects and loads classes, so that the first calls are as quick as others.
	 */
	private static void warmUp(Session session, int process) throws InterruptedException {
		for (int i = 0; i < 20; i++) {
			LockRequest request = new LockRequest("warm-up-" + process, Mode.ALONE, i % 2 == 0, i % 4 == 0,
					Duration.ofSeconds(5), null);
			try {
				Hold hold = session.acquire(request);
				if (hold != null) {
					hold.release();
				}
			}
			catch (RuntimeException ex) {
				// Something is broken already.
			}
		}
	}

	private static void say(String line) {
		System.out.println(line);
	}

	private void start(ClientSetup setup, Session session, Recorder recorder) throws IOException {
		AtomicInteger singles = new AtomicInteger();
		for (int i = 0; i < setup.threads(); i++) {
			Workload workload = new Workload(setup, this.random.nextLong(), singles);
			Worker worker = new Worker(setup.process(), workload, session, recorder,
					new Resource.Client(setup.resourcePort()), () -> this.stopped);
			Thread thread = new Thread(worker, "worker-" + i);
			thread.setDaemon(true);
			thread.setUncaughtExceptionHandler((dead, ex) -> {
				this.died = true;
				ex.printStackTrace();
			});
			this.threads.add(thread);
		}
		this.threads.forEach(Thread::start);
	}

	private void obey() throws IOException, InterruptedException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			String[] words = line.split(" ", -1);
			switch (words[0]) {
				case "interrupt" -> interrupt(Duration.ofMillis(Long.parseLong(words[1])));
				case "stop" -> stop();
				default -> throw new IllegalArgumentException(line);
			}
		}
	}

	private void interrupt(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		while (System.nanoTime() < end) {
			this.threads.get(this.random.nextInt(this.threads.size())).interrupt();
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + this.random.nextInt(5)));
		}
	}

	private void stop() throws InterruptedException {
		this.stopped = true;
		for (Thread thread : this.threads) {
			thread.join();
		}
		say(this.died ? "DIED" : "STOPPED");
	}

}
