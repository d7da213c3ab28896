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

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How much is logged: one line where all is well, and no stacks of what passes with time.
 */
class LogLevelTests {

	@Test
	void lifeWithoutTroubleIsOneLine() {
		AtomicReference<String> id = new AtomicReference<>();
		try (LogCapture log = LogCapture.open(); TestThreads threads = new TestThreads()) {
			LockRunner.create()
				.withBean(Shop.class)
				.withBean(PatientCheck.class)
				.withPropertyValues("holdfast.lock.key-prefix=quiet:")
				.run((context) -> {
					LockClient client = context.getBean(LockClient.class);
					id.set(client.id());
					waitForEachOther(client.getLock("order"), threads);
					refuse(client);
					context.getBean(Shop.class).pay(7L);
				});

			assertThat(log.messages(Level.INFO)).singleElement()
				.asString()
				.startsWith(
						"Locks are shared with all applications that use the key prefix 'quiet:' on the same Redis; ")
				.contains(id.get(), "on one Redis through ");
		}
	}

	private static void waitForEachOther(LeaseLock lock, TestThreads threads) {
		lock.lock();
		TestThreads.Running<Void> waiting = threads.run(() -> {
			lock.lock();
			lock.unlock();
		}).awaitParked();
		lock.unlock();
		waiting.result();
	}

	private static void refuse(LockClient client) throws Exception {
		LockOptions noWait = LockOptions.defaults().waitTime(Duration.ZERO);
		client.execute("order", noWait, (lease) -> {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> client.acquire("order", noWait));
			return "done";
		});
	}

	@Test
	void outageOfRedisIsToldWithoutStacks() {
		try (RedisProcess redis = RedisProcess.start(); LogCapture log = LogCapture.open()) {
			LockRunner.create()
				.withPropertyValues("spring.data.redis.port=" + redis.port(), "spring.data.redis.timeout=300ms",
						"holdfast.lock.watchdog-timeout=3s")
				.run((context) -> {
					LockClient client = context.getBean(LockClient.class);
					LeaseLock lock = client.getLock("order");
					lock.lock();
					redis.kill();

					assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("other")::tryLock);
					Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> saysLost(log));
					assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
				});

			assertThat(log.messages(Level.WARN)).anyMatch((message) -> message.startsWith("Renewal of lock(s) failed"));
			assertThat(log.stacks(Level.INFO)).isEmpty();
		}
	}

	private static boolean saysLost(LogCapture log) {
		return log.messages(Level.WARN)
			.stream()
			.anyMatch((message) -> message.startsWith("Lock 'order' with fencing token ")
					&& message.contains(" was lost ("));
	}

	public static class Shop {

		@DistributedLock(name = "order", key = "#id")
		public void pay(Long id) {
		}

	}

}
