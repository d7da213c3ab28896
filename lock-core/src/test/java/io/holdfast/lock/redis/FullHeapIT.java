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
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.Lease;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A heap that is full while locks are to be renewed, and then free again. Each lock is
 * held on, or its owner is told; the client renews those that are left and new ones. So
 * it is, too, when all connections end meanwhile, and with them what their threads do.
 */
class FullHeapIT {

	private static final int LOCKS = 1000;

	private static final Duration LEASE = Duration.ofSeconds(9);

	private static final long FULL_NANOS = Duration.ofSeconds(6).toNanos();

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	@ParameterizedTest
	@EnumSource
	void noLockIsForgotten(RedisDriver driver) {
		assertNoLockIsForgotten(driver, RedisProcess.shared(), () -> {
		});
	}

	/**
	 * With Lettuce the event loops end for good, the application's, too.
	 */
	@Test
	void noLockIsForgottenWhenConnectionsEnd() {
		try (RedisProcess server = RedisProcess.start()) {
			assertNoLockIsForgotten(RedisDriver.JEDIS, server, () -> {
				server.command("CLIENT", "KILL", "TYPE", "pubsub");
				server.command("CLIENT", "KILL", "TYPE", "normal");
			});
		}
	}

	private static void assertNoLockIsForgotten(RedisDriver driver, RedisProcess server, Runnable whileFull) {
		try (JavaProcess process = JavaProcess.startWithOptions(
				List.of("-Xmx64m", "-cp", System.getProperty("java.class.path")), "full", Full.class, driver.name(),
				server.host(), Integer.toString(server.port()), "full-" + UUID.randomUUID() + ":")) {
			process.awaitLine("Full", PATIENCE);
			Awaitility.await("the heap is free").atMost(PATIENCE).pollInterval(Duration.ofMillis(500)).until(() -> {
				whileFull.run();
				return process.says("Free");
			});
			String[] words = process.awaitLine("Valid", PATIENCE);
			System.out.println(driver + ": " + String.join(" ", words));

			assertThat(words).endsWith("health", "UP", "new", "true");
			int valid = Integer.parseInt(words[1]);
			int told = Integer.parseInt(words[3]);
			assertThat(valid + told).isEqualTo(LOCKS);
			assertThat(valid).isPositive();
		}
	}

	/** The process. */
	public static final class Full {

		private final byte[][] hoard = new byte[1 << 17][];

		private int hoarded;

		private Full() {
		}

		public static void main(String[] args) throws InterruptedException, IOException {
			AtomicInteger told = new AtomicInteger();
			RedisConnectionFactory connections = RedisDriver.valueOf(args[0])
				.connect(args[1], Integer.parseInt(args[2]), FaultClients.PATIENCE);
			RedisLockClient client = RedisLockClient.builder(connections)
				.keyPrefix(args[3])
				.watchdogTimeout(LEASE)
				.observer(new LossObserver((loss) -> told.incrementAndGet()))
				.build();
			List<Lease> leases = new ArrayList<>(LOCKS);
			for (int i = 0; i < LOCKS; i++) {
				leases.add(client.acquire("lock-" + i));
			}
			Full full = new Full();
			full.keepFull();
			full.free();
			System.out.println("Free");

			Lease later = client.acquire("later");
			// All that is not renewed from now on is lost meanwhile.
			pause(LEASE.plus(LEASE.dividedBy(3)).toNanos());
			long valid = leases.stream().filter(Lease::isValid).count();
			System.out.println("Valid " + valid + " told " + told.get() + " health " + client.health().status()
					+ " new " + later.isValid());
			// Until the test has seen it.
			int unused = System.in.read();
		}

		private void keepFull() {
			System.out.println("Full");
			long start = System.nanoTime();
			while (System.nanoTime() - start < FULL_NANOS) {
				for (int size = 1 << 20; size > 0; size >>= 4) {
					hoard(size);
				}
				pause(10_000_000);
			}
		}

		private void hoard(int size) {
			try {
				while (this.hoarded < this.hoard.length) {
					this.hoard[this.hoarded] = new byte[size];
					this.hoarded++;
				}
			}
			catch (OutOfMemoryError ex) {
				// That is what it is for.
			}
		}

		private void free() {
			while (this.hoarded > 0) {
				this.hoard[--this.hoarded] = null;
			}
		}

		private static void pause(long nanos) {
			long start = System.nanoTime();
			for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - start)) {
				LockSupport.parkNanos(left);
			}
		}

	}

}
