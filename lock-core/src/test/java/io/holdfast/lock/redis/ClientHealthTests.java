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

import io.holdfast.lock.LockClientHealth;
import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a client knows of itself while Redis answers, hangs, and answers again.
 */
@ParameterizedClass
@EnumSource
class ClientHealthTests {

	@Parameter
	RedisDriver driver;

	private final RedisProcess server = RedisProcess.start();

	private final FaultClients clients = new FaultClients(this.server, "health:");

	@AfterEach
	void close() throws Exception {
		try {
			this.server.resume();
			this.clients.close();
		}
		finally {
			this.server.close();
		}
	}

	@Test
	void saysWhatItHolds() {
		RedisLockClient client = this.clients.open(this.driver, this.server);
		FaultClients.awaitHears(client);
		client.getLock("order").lock();

		LockClientHealth health = client.health();

		assertThat(health.status()).isEqualTo(Status.UP);
		assertThat(health.held()).isOne();
		assertThat(health.overdueRenewals()).isZero();
		assertThat(health.lastAnswer()).isLessThan(Duration.ofSeconds(10));
		assertThat(health.subscriptionDownFor()).isNull();
	}

	/**
	 * One call fails, and nobody uses the client after that.
	 */
	@Test
	void noticesThatRedisIsAwayAndThatItIsBack() {
		RedisLockClient client = this.clients.open(this.driver, this.server);
		FaultClients.await("an answer", () -> client.health().lastAnswer() != null);

		this.server.pause();
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("order")::tryLock);
		assertThat(client.health().status()).isEqualTo(Status.UP);
		FaultClients.await("out of service", () -> client.health().status() == Status.OUT_OF_SERVICE);
		assertThat(client.health().failure()).startsWith("TIMED_OUT");

		this.server.resume();
		FaultClients.await("up", () -> client.health().status() == Status.UP);
	}

	/**
	 * Before its lease ends, so that there is time to do something.
	 */
	@Test
	void renewalIsLateWhileRedisHangs() {
		RedisLockClient client = this.clients.open(
				this.clients.connect(this.driver, this.server.host(), this.server.port()),
				(builder) -> builder.watchdogTimeout(Duration.ofSeconds(6)));
		client.getLock("order").lock();

		this.server.pause();
		FaultClients.await("late", () -> client.health().status() == Status.RENEWALS_LATE);

		assertThat(client.health().overdueRenewals()).isOne();
		assertThat(client.getLock("order").isHeldByCurrentThread()).isTrue();
		this.server.resume();
		FaultClients.await("up", () -> client.health().status() == Status.UP);
	}

}
