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

import io.holdfast.lock.LockClientHealth.Status;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.RedisDriver;
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
class ClientHealthTests extends FaultFixture {

	@Parameter
	RedisDriver driver;

	@Test
	void noticesThatRedisIsAwayAndThatItIsBack() {
		RedisLockClient client = this.clients.open(this.driver, this.server.host(), this.server.port(),
				(builder) -> builder.watchdogTimeout(LONG_LEASE));
		FaultClients.lockPatiently(client.getLock("order"));
		this.clients.unlock(client.getLock("order"));

		this.server.pause();
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("order")::tryLock);
		assertThat(client.health().status()).isNotEqualTo(Status.OUT_OF_SERVICE);
		assertThat(client.health().failure()).startsWith("TIMED_OUT");
		FaultClients.await("out of service", () -> {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("order")::tryLock);
			return client.health().status() == Status.OUT_OF_SERVICE;
		});

		this.server.resume();
		// Nobody tries: what is owed is given back by now.
		FaultClients.await("up", () -> client.health().status() == Status.UP);
		assertThat(client.health().failure()).isNull();
	}

	@Test
	void ownersAreNotSureWhileRedisHangs() {
		RedisLockClient client = openPatient(this.driver, this.server.port(),
				(builder) -> builder.takeoverAfter(Duration.ofMillis(500)));
		client.getLock("order").lock();
		FaultClients.await("it is tied", () -> this.clients.isTied("order"));
		assertThat(client.health().held()).isOne();

		this.server.pause();
		FaultClients.await("not sure", () -> client.health().unsure() == 1);
		assertThat(client.health().status()).isEqualTo(Status.UP);

		this.server.resume();
		FaultClients.await("sure again", () -> client.health().unsure() == 0);
	}

	@Test
	void holdsAreTiedByDefault() {
		RedisLockClient client = this.clients.open(this.driver, this.server.host(), this.server.port(),
				(builder) -> builder.watchdogTimeout(LONG_LEASE));

		FaultClients.lockPatiently(client.getLock("order"));

		FaultClients.await("it is tied", () -> this.clients.isTied("order"));
		this.clients.unlock(client.getLock("order"));
	}

	/**
	 * Before its lease ends, so that there is time to do something.
	 */
	@Test
	void renewalIsLateWhileRedisHangs() {
		RedisLockClient client = open(this.driver, this::withClock);
		FaultClients.lockPatiently(client.getLock("order"));

		this.server.pause();
		setForwardToRenewal();
		this.setForward.addAndGet(LONG_LEASE.dividedBy(3).toNanos());
		FaultClients.await("late", () -> client.health().status() == Status.RENEWALS_LATE);

		assertThat(client.getLock("order").isHeldByCurrentThread()).isTrue();
		this.server.resume();
		FaultClients.await("up", () -> client.health().status() == Status.UP);
	}

}
