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

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisClock;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens when the wall clock of Redis is set while locks are held.
 */
class ServerClockIT {

	@TempDir
	private Path directory;

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	private RedisClock clock;

	private RedisProcess server;

	private FaultClients clients;

	@BeforeEach
	void start() {
		this.clock = RedisClock.in(this.directory);
		this.server = this.clock.startServer();
		this.clients = new FaultClients(this.server, "time:");
	}

	@AfterEach
	void end() throws Exception {
		if (this.server != null) {
			this.clients.close();
			this.server.close();
		}
	}

	private RedisLockClient anotherClient() {
		RedisLockClient client = this.clients.open(RedisDriver.JEDIS, this.server.host(), this.server.port(),
				(builder) -> builder.watchdogTimeout(Duration.ofSeconds(6))
					.observer(new LossObserver(this.losses::add)));
		FaultClients.awaitHears(client);
		return client;
	}

	@Test
	void holdThatAClockSetForwardEndsIsALoss() throws Exception {
		LeaseLock lock = anotherClient().getLock("orders");
		LeaseLock next = anotherClient().getLock("orders");
		lock.lock();
		long token = lock.token();

		this.clock.set(Duration.ofMinutes(1));

		FaultClients.await("the holder is told", () -> !this.losses.isEmpty());
		assertThat(this.losses).singleElement().extracting(LockLoss::cause).isEqualTo(Cause.GONE);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(next.tryLock(FaultClients.PATIENCE)).isTrue();
		assertThat(next.token()).isGreaterThan(token);
		next.unlock();
	}

	/**
	 * To the server a lease lasts longer then, to its owner it does not.
	 */
	@Test
	void clockThatIsSetBackProlongsNoBeliefAndTokensGrow() throws Exception {
		LeaseLock lock = anotherClient().getLock("orders", LockOptions.defaults().leaseTime(Duration.ofSeconds(4)));
		LeaseLock next = anotherClient().getLock("orders");
		RedisLockClient other = this.clients.open(RedisDriver.LETTUCE, this.server.host(), this.server.port(),
				(builder) -> builder.watchdogTimeout(Duration.ofSeconds(6)).takeoverAfter(Duration.ZERO));
		LeaseLock renewed = other.getLock("renewed");
		renewed.lock();
		lock.lock();
		long token = lock.token();

		this.clock.set(Duration.ofMinutes(-1));

		assertThat(other.directory().find("orders").orElseThrow().leaseLeft()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(lock.validFor()).isLessThanOrEqualTo(Duration.ofSeconds(4));
		FaultClients.await("the lease is over", () -> !lock.isHeldByCurrentThread());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		// Its client has released what it does not believe in any more.
		assertThat(next.tryLock(FaultClients.PATIENCE)).isTrue();
		assertThat(next.token()).isGreaterThan(token);
		next.unlock();
		FaultClients.await("a renewal of what lasts longer to the server",
				() -> other.directory().find("renewed").orElseThrow().leaseLeft().compareTo(Duration.ofSeconds(50)) > 0
						&& renewed.validFor().compareTo(Duration.ofSeconds(5)) > 0);
		assertThat(renewed.validFor()).isLessThanOrEqualTo(Duration.ofSeconds(6));
		renewed.unlock();
		assertThat(this.losses).hasSize(1);
	}

}
