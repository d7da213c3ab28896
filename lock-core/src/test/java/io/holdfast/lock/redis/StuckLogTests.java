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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** A log that never returns costs nobody a lock. */
class StuckLogTests extends FaultFixture {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");

	private final Level level = this.logger.getLevel();

	private final StuckAppender stuck = new StuckAppender();

	StuckLogTests() {
		super(RedisProcess.shared());
	}

	@AfterEach
	void letTheLogGoOn() {
		this.stuck.end.countDown();
		this.logger.detachAppender(this.stuck);
		this.logger.setLevel(this.level);
	}

	@ParameterizedTest
	@EnumSource
	void locksAreRenewedAndHandedOverWhileEveryLineOfTheLogHangs(RedisDriver driver) throws Exception {
		RedisLockClient client = openPatient(driver, this.server.port(),
				(builder) -> withClock(builder).heldTooLong(Duration.ofMillis(100)));
		RedisLockClient other = openPatient(driver);
		LeaseLock handedOver = other.getLock("handed-over");
		handedOver.lock();
		this.stuck.start();
		this.logger.setLevel(Level.INFO);
		this.logger.addAppender(this.stuck);

		Lease held = client.acquire("held", LockOptions.defaults());
		// The subscription has something to say, too.
		this.clients.redis().convertAndSend(this.prefix + "client:" + client.id(), "2 granted nonsense");
		assertThat(this.stuck.begun.await(TestThreads.LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
		for (int i = 0; i < 3; i++) {
			setForwardToRenewal();
			FaultClients.await("a renewal", () -> held.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		}
		TestThreads.Running<Void> waiting = this.threads.start(() -> {
			client.getLock("handed-over").lock();
			return null;
		});
		this.clients.awaitWaiters("handed-over", 1);
		handedOver.unlock();

		waiting.result();
		assertThat(this.stuck.end.getCount()).isOne();
		held.close();
	}

	private static final class StuckAppender extends AppenderBase<ILoggingEvent> {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch end = new CountDownLatch(1);

		@Override
		protected void append(ILoggingEvent event) {
			this.begun.countDown();
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
