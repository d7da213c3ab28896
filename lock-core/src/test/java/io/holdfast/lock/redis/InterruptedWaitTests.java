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

import java.time.Duration;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.VirtualThreads;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * When a wait has ended with {@link InterruptedException} nobody else notices any more
 * that there was one, although it was interrupted while the server was asked.
 */
class InterruptedWaitTests extends FaultFixture {

	/**
	 * How long the commands of the interrupted client take.
	 */
	private static final Duration SLOW = Duration.ofMillis(200);

	private Crew interruptible = this.crew;

	private FaultProxy.Fault answer;

	@AfterEach
	void close() throws Exception {
		if (this.answer != null) {
			this.answer.release();
		}
		this.interruptible.close();
	}

	private static void awaitQueue(RedisLockClient client, int length) {
		FaultClients.await(length + " wait", () -> client.directory().queue("orders", 100).size() == length);
	}

	/**
	 * Has a client wait whose thread has no answer yet.
	 */
	private Crew.Member startWait(RedisDriver driver, RedisLockClient holder) throws Exception {
		if (driver == RedisDriver.JEDIS) {
			assumeThat(Runtime.version().feature()).as("Java with virtual threads").isGreaterThanOrEqualTo(21);
			this.interruptible = new Crew(VirtualThreads.factory());
		}
		RedisLockClient client = openPatient(driver, this.proxy.port());
		client.getLock("other").lock();
		this.answer = this.proxy.holdReplyTo(this.clients.key("orders"));
		Crew.Member waiter = this.interruptible.start("waiter",
				() -> assertThatExceptionOfType(InterruptedException.class)
					.isThrownBy(client.getLock("orders")::lockInterruptibly));
		this.answer.awaitCaught();
		awaitQueue(holder, 1);
		return waiter;
	}

	/**
	 * Interrupts it and waits until it has ended.
	 */
	private void interrupt(Crew.Member waiter) throws Exception {
		this.proxy.delay(SLOW);
		waiter.thread().interrupt();
		try {
			Awaitility.await().atMost(Duration.ofMillis(500)).until(waiter.task()::isDone);
		}
		catch (ConditionTimeoutException ex) {
			// It waits for the answer, or for that to its leaving.
			this.answer.release();
		}
		waiter.join(FaultClients.PATIENCE);
	}

	@ParameterizedTest
	@EnumSource
	void lockThatNobodyElseWaitsForIsFreeAfterItsRelease(RedisDriver driver) throws Exception {
		RedisLockClient holder = openPatient(driver);
		RedisLockClient other = openPatient(driver);
		other.getLock("other").isLocked();
		LeaseLock held = holder.getLock("orders");
		held.lock();
		Crew.Member waiter = startWait(driver, holder);

		interrupt(waiter);
		held.unlock();

		assertThat(other.getLock("orders").tryLock()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void nextWaiterGetsTheLockWithItsRelease(RedisDriver driver) throws Exception {
		RedisLockClient holder = openPatient(driver);
		RedisLockClient other = openPatient(driver);
		LeaseLock held = holder.getLock("orders");
		held.lock();
		Crew.Member waiter = startWait(driver, holder);
		Crew.Member next = this.crew.start("next", other.getLock("orders")::lock);
		awaitQueue(holder, 2);

		interrupt(waiter);
		held.unlock();

		assertThat(holder.directory().find("orders").map(HeldLock::client)).contains(other.id());
		next.join(FaultClients.PATIENCE);
	}

}
