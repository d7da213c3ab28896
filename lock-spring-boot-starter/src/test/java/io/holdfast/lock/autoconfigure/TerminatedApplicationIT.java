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

package io.holdfast.lock.autoconfigure;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.TestThread;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that is told to end, or that ends by itself, gives its locks and places
 * back, except what a thread still works with.
 */
class TerminatedApplicationIT {

	static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Of ten minutes of a lease, or a minute that a driver waits. */
	static final Duration SOON = Duration.ofSeconds(10);

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void locksAreReleasedAndWaitersAreTold(boolean exits) {
		String prefix = UUID.randomUUID() + ":";
		try (OtherProcess other = new OtherProcess(prefix);
				JavaProcess process = JavaProcess.start("application", Application.class,
						Integer.toString(RedisProcess.shared().port()), prefix)) {
			other.hold("awaited");
			process.awaitLine("HOLDS", PATIENCE);
			Awaitility.await().until(() -> other.client().directory().queue("awaited", 10).size() == 1);
			assertThat(other.sees("held")).isTrue();

			if (exits) {
				process.tell("exit");
			}
			else {
				process.terminate();
			}

			process.awaitLine("CLOSED", PATIENCE);
			process.end(PATIENCE);
			// Long before its lease of ten minutes ends.
			assertThat(other.sees("held")).isFalse();
			assertThat(other.sees("at work")).isTrue();
			assertThat(other.client().directory().queue("awaited", 10)).isEmpty();
		}
	}

	@Test
	void locksAreFreeAtOnce() throws Exception {
		String prefix = UUID.randomUUID() + ":";
		try (OtherProcess other = new OtherProcess(prefix);
				JavaProcess process = start(RedisProcess.shared(), prefix)) {
			other.hold("awaited");
			process.awaitLine("HOLDS", PATIENCE);
			Awaitility.await().until(() -> other.client().directory().queue("awaited", 10).size() == 1);
			try (TestThread<Long> next = TestThread.start(() -> {
				other.client().getLock("held").lock();
				return System.nanoTime();
			})) {
				Awaitility.await().until(() -> other.client().directory().queue("held", 10).size() == 1);
				long start = System.nanoTime();

				process.terminate();

				assertThat(Duration.ofNanos(next.join() - start)).isLessThan(SOON);
			}
			process.end(PATIENCE);
		}
	}

	/** Spring waits for 30 s for what does not stop. */
	@Test
	void callThatExitsIsNotWaitedFor() {
		String prefix = UUID.randomUUID() + ":";
		try (JavaProcess process = start(RedisProcess.shared(), prefix)) {
			process.awaitLine("HOLDS", PATIENCE);
			long start = System.nanoTime();

			process.tell("exit under a lock");

			process.end(PATIENCE);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON.multipliedBy(2));
		}
	}

	static JavaProcess start(RedisProcess redis, String prefix, String... arguments) {
		return JavaProcess.start("application", Application.class,
				Stream.concat(Stream.of(Integer.toString(redis.port()), prefix), Stream.of(arguments))
					.toArray(String[]::new));
	}

	/**
	 * Holds a lock, waits for another, and exits when it is told to.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@Import({ BootLine.class, LifecycleAutoConfiguration.class, Exit.class })
	public static class Application {

		public static void main(String[] args) throws Exception {
			ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
				.web(WebApplicationType.NONE)
				.properties("spring.data.redis.port=" + args[0], "holdfast.lock.key-prefix=" + args[1],
						"holdfast.lock.watchdog-timeout=10m", "spring.main.banner-mode=off")
				.run(Arrays.copyOfRange(args, 2, args.length));
			LockClient client = context.getBean(LockClient.class);
			boolean fails = false;
			try {
				assertThat(client.getLock("at work").tryLock()).isTrue();
			}
			catch (LockServerException ex) {
				fails = true;
				System.out.println("FAILS");
				System.in.read();
			}
			if (!fails) {
				Lease lease = client.acquire("held", LockOptions.defaults());
				context.addApplicationListener((ApplicationListener<ContextClosedEvent>) (event) -> lease.close());
			}
			CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> await(client),
					(task) -> new Thread(task, "waiter").start());
			// Else the process may be gone before it has said what it was told.
			Runtime.getRuntime().addShutdownHook(new Thread(waiting::join));
			System.out.println("HOLDS");
			BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			String told = in.readLine();
			if ("exit".equals(told)) {
				System.exit(0);
			}
			else if ("exit under a lock".equals(told)) {
				context.getBean(Exit.class).exit();
			}
			Thread.currentThread().join();
		}

		private static void await(LockClient client) {
			try {
				client.getLock("awaited").lock();
			}
			catch (LockClientClosedException ex) {
				System.out.println("CLOSED");
			}
		}

	}

	public static class Exit {

		@DistributedLock(name = "exit")
		public void exit() {
			System.exit(0);
		}

	}

}
