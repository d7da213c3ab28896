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
import java.util.ArrayList;
import java.util.List;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nobody takes the locks of an owner that lives, whatever breaks between it and Redis for
 * a while, though others wait for them. It may not be sure meanwhile.
 */
class LivingOwnerIT extends FaultFixture {

	private static final Duration GRACE = Duration.ofSeconds(2);

	private static final Duration FAULT = Duration.ofSeconds(8);

	LivingOwnerIT() {
		super("--appendonly", "yes", "--appendfsync", "always");
	}

	private RedisLockClient tied(RedisDriver driver, int port, Duration lease) {
		RedisConnectionFactory factory = this.clients.connect(driver, this.server.host(), port, FaultClients.PATIENCE);
		return open(factory,
				(builder) -> builder.watchdogTimeout(lease).waiterTimeout(LONG_LEASE).takeoverAfter(GRACE));
	}

	/**
	 * The owner holds locks for which another client waits, until it has passed and the
	 * owner is sure again.
	 */
	private void survives(RedisDriver driver, Fault fault) throws Exception {
		survives(tied(driver, this.proxy.port(), LONG_LEASE), Duration.ZERO, fault);
	}

	private void survives(RedisLockClient owner, Duration apart, Fault fault) throws Exception {
		RedisLockClient other = tied(RedisDriver.JEDIS, this.server.port(), LONG_LEASE);
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			String name = "lock-" + i;
			leases.add(owner.acquire(name, LockOptions.defaults()));
			this.crew.start(name, () -> {
				LeaseLock lock = other.getLock(name, LockOptions.defaults().leaseTime(LONG_LEASE));
				lock.lock();
				lock.unlock();
			});
			this.clients.awaitWaiters(name, 1);
			FaultClients.pass(apart);
		}
		FaultClients.pass(GRACE.multipliedBy(2));

		long end = System.nanoTime() + FAULT.toNanos();
		while (System.nanoTime() - end < 0) {
			fault.happens();
		}

		FaultClients.await("all are sure", () -> leases.stream().allMatch(Lease::isValid));
		FaultClients.pass(GRACE.multipliedBy(2));
		assertThat(leases).allMatch(Lease::confirm);
		assertThat(this.losses).isEmpty();
		leases.forEach(Lease::close);
		this.crew.join(FaultClients.PATIENCE);
	}

	@ParameterizedTest
	@EnumSource
	void subscriptionsAreKilled(RedisDriver driver) throws Exception {
		survives(driver, () -> {
			this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
			FaultClients.pass(Duration.ofMillis(200));
		});
	}

	@ParameterizedTest
	@EnumSource
	void allConnectionsAreKilled(RedisDriver driver) throws Exception {
		survives(driver, () -> {
			killAll();
			FaultClients.pass(Duration.ofMillis(500));
		});
	}

	private void killAll() {
		this.server.command("CLIENT", "KILL", "TYPE", "pubsub");
		this.server.command("CLIENT", "KILL", "TYPE", "normal");
	}

	@ParameterizedTest
	@EnumSource
	void serverSleeps(RedisDriver driver) throws Exception {
		survives(driver, () -> {
			this.server.pause();
			FaultClients.pass(GRACE.multipliedBy(2));
			this.server.resume();
			FaultClients.pass(GRACE);
		});
	}

	@ParameterizedTest
	@EnumSource
	void serverIsStartedAgain(RedisDriver driver) throws Exception {
		survives(driver, () -> {
			this.server.kill();
			FaultClients.pass(Duration.ofMillis(500));
			this.server.startAgain();
			FaultClients.pass(GRACE.multipliedBy(2));
		});
	}

	/**
	 * Redis loses all connections of the owner, and the network does not tell the owner.
	 * New ones work.
	 */
	@ParameterizedTest
	@EnumSource
	void connectionsAreHalfOpen(RedisDriver driver) throws Exception {
		survives(driver, () -> {
			this.proxy.leaveHalfOpen();
			FaultClients.pass(GRACE.multipliedBy(4));
		});
	}

	/**
	 * As it takes a while until the owner sees that, renewals have begun meanwhile.
	 */
	@ParameterizedTest
	@EnumSource
	void connectionsOfRenewalsAreHalfOpen(RedisDriver driver) throws Exception {
		Duration lease = GRACE.multipliedBy(4);
		survives(tied(driver, this.proxy.port(), lease), lease.dividedBy(3 * 20), () -> {
			this.proxy.leaveHalfOpen();
			FaultClients.pass(GRACE.multipliedBy(4));
		});
	}

	/**
	 * It takes longer for an answer than a dead connection may: connections are not left
	 * again and again for that.
	 */
	@ParameterizedTest
	@EnumSource
	void serverIsSlow(RedisDriver driver) throws Exception {
		RedisLockClient owner = openPatient(driver, this.proxy.port(), (builder) -> builder.takeoverAfter(GRACE));
		Lease lease = owner.acquire("lock", LockOptions.defaults());
		FaultClients.await("it is tied", () -> this.clients.isTied("lock"));

		this.proxy.delayReplies(GRACE.dividedBy(4).plusMillis(100));
		FaultClients.pass(GRACE.multipliedBy(2));
		for (int i = 0; i < 5; i++) {
			owner.acquire("other-" + i, LockOptions.defaults()).close();
		}

		assertThat(lease.confirm()).isTrue();
		lease.close();
	}

	private interface Fault {

		void happens() throws Exception;

	}

}
