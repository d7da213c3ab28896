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

package io.holdfast.lock.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that locks until its stack is used up costs the lock that it locked, and
 * nothing else. In a process of its own: a class that is initialized at that moment is
 * lost to a JVM for ever, whoever needs it later.
 */
class EndlessRecursionIT {

	/** Each ends somewhere else. */
	private static final int TIMES = 60;

	private static final Duration LONG = Duration.ofSeconds(60);

	@ParameterizedTest
	@EnumSource
	void endsNoOtherLock(RedisDriver driver) {
		RedisProcess server = RedisProcess.shared();
		String prefix = "deep-" + UUID.randomUUID() + ":";
		RedisConnectionFactory connections = driver.connect(server);
		try (JavaProcess process = JavaProcess.start("deep", Deep.class, driver.name(), server.host(),
				Integer.toString(server.port()), prefix);
				RedisLockClient elsewhere = RedisLockClient.builder(connections)
					.keyPrefix(prefix)
					.commandTimeout(FaultClients.PATIENCE)
					.build()) {
			assertThat(process.awaitLine("Health", LONG)).containsExactly("Health", "UP", "other", "true");

			for (int i = 0; i < TIMES; i++) {
				Awaitility.await().atMost(LONG).until(elsewhere.getLock("deep" + i)::tryLock);
			}
		}
		finally {
			RedisDriver.disconnect(connections);
		}
	}

	/** The process. */
	public static final class Deep {

		private Deep() {
		}

		public static void main(String[] args) throws InterruptedException, IOException {
			RedisConnectionFactory connections = RedisDriver.valueOf(args[0])
				.connect(args[1], Integer.parseInt(args[2]), FaultClients.PATIENCE);
			RedisLockClient client = RedisLockClient.builder(connections)
				.keyPrefix(args[3])
				.commandTimeout(FaultClients.PATIENCE)
				.watchdogTimeout(Duration.ofSeconds(10))
				.build();
			Lease other = client.acquire("other");
			for (int i = 0; i < TIMES; i++) {
				LeaseLock lock = client.getLock("deep" + i, LockOptions.defaults().fair(i % 2 != 0));
				AtomicReference<Throwable> thrown = new AtomicReference<>();
				Thread thread = new Thread(null, () -> recurse(lock), "deep", (200L + i) * 1024);
				thread.setUncaughtExceptionHandler((unused, error) -> thrown.set(error));
				thread.start();
				thread.join();
				if (thrown.get() == null) {
					throw new IllegalStateException("The recursion has ended");
				}
			}
			System.out.println("Health " + client.health().status() + " other " + other.isValid());
			// Until the test has seen it.
			int unused = System.in.read();
		}

		@SuppressWarnings("InfiniteRecursion")
		private static void recurse(LeaseLock lock) {
			lock.lock();
			try {
				recurse(lock);
			}
			finally {
				lock.unlock();
			}
		}

	}

}
