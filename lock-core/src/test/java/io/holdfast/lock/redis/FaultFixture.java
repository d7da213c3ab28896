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
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.AfterEach;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * What a fault test has: a Redis, the network to it, clients, threads, and the losses
 * that clients told of. All of it ends with the test, whatever the test has broken, and
 * no key of the clients lasts for ever.
 */
abstract class FaultFixture {

	/** By how much things may take longer on a busy machine. */
	static final Duration SLACK = Duration.ofSeconds(4);

	/** Far longer than a test, which sets the clock forward to renewals instead. */
	static final Duration LONG_LEASE = Duration.ofSeconds(60);

	final RedisProcess server;

	final String prefix;

	final FaultProxy proxy;

	final FaultClients clients;

	final Crew crew = new Crew();

	final TestThreads threads = new TestThreads();

	final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	final AtomicLong setForward = new AtomicLong();

	/**
	 * Starts a server of its own.
	 */
	FaultFixture(String... arguments) {
		this(RedisProcess.start(arguments), "fault:");
	}

	FaultFixture(RedisProcess shared) {
		this(shared, "fault-" + UUID.randomUUID() + ":");
	}

	private FaultFixture(RedisProcess server, String prefix) {
		this.server = server;
		this.prefix = prefix;
		this.proxy = new FaultProxy(server);
		this.clients = new FaultClients(server, prefix);
	}

	@AfterEach
	final void end() throws Exception {
		this.proxy.heal();
		try {
			if (this.server.isAlive()) {
				this.server.resume();
			}
			this.crew.close();
			this.threads.close();
			if (this.server.isAlive()) {
				this.clients.assertNothingLastsForEver();
			}
		}
		finally {
			this.clients.close();
			this.proxy.close();
			if (this.server != RedisProcess.shared()) {
				this.server.close();
			}
		}
	}

	/**
	 * A client that hears messages already, and notes its losses.
	 */
	final RedisLockClient open(RedisDriver driver) {
		return open(driver, UnaryOperator.identity());
	}

	final RedisLockClient open(RedisDriver driver, UnaryOperator<RedisLockClientBuilder> settings) {
		return open(this.clients.connect(driver, this.server.host(), this.server.port()), settings);
	}

	final RedisLockClient open(RedisConnectionFactory factory, UnaryOperator<RedisLockClientBuilder> settings) {
		RedisLockClient client = this.clients.open(factory,
				(builder) -> settings.apply(builder.observer(new LossObserver(this.losses::add))));
		FaultClients.awaitHears(client);
		return client;
	}

	/**
	 * One that a busy machine costs neither an answer nor a lock.
	 */
	final RedisLockClient openPatient(RedisDriver driver) {
		return openPatient(driver, this.server.port());
	}

	final RedisLockClient openPatient(RedisDriver driver, int port) {
		return openPatient(driver, port, UnaryOperator.identity());
	}

	final RedisLockClient openPatient(RedisDriver driver, int port, UnaryOperator<RedisLockClientBuilder> settings) {
		return open(this.clients.connect(driver, this.server.host(), port, FaultClients.PATIENCE),
				(builder) -> settings.apply(FaultClients.patient(builder)));
	}

	/**
	 * Has the test set a client's clock. Owners are sure until their leases end.
	 */
	final RedisLockClientBuilder withClock(RedisLockClientBuilder builder) {
		return builder.watchdogTimeout(LONG_LEASE)
			.takeoverAfter(Duration.ZERO)
			.nanoTime(() -> System.nanoTime() + this.setForward.get());
	}

	/**
	 * Sets the clock forward, past the moment at which what was just acquired is to be
	 * renewed.
	 */
	final void setForwardToRenewal() {
		this.setForward.addAndGet(LONG_LEASE.dividedBy(3).plusSeconds(1).toNanos());
	}

}
