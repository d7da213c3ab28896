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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.redis.FailoverIT.Setup;
import io.holdfast.lock.redis.RedisLockClient.ReplicaAcknowledgement;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisTopology;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That a replica which takes over knows every lock whose owner runs, when they wait for
 * it.
 */
@Tag("long")
@ParameterizedClass(name = "{0} with {1}")
@CsvSource({ "SENTINEL, JEDIS", "SENTINEL, LETTUCE", "CLUSTER, JEDIS", "CLUSTER, LETTUCE" })
class AcknowledgedFailoverIT {

	private static final int THREADS = 8;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Parameter(0)
	Setup setup;

	@Parameter(1)
	RedisDriver driver;

	private final Crew crew = new Crew();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	private RedisTopology redis;

	private FaultClients clients;

	@BeforeEach
	void start() {
		this.redis = this.setup.start();
		this.clients = new FaultClients(this.redis, "fault:");
	}

	@AfterEach
	void end() throws Exception {
		this.crew.close();
		this.clients.close();
		this.redis.close();
	}

	private RedisLockClient open() {
		return this.clients.open(this.clients.connect(this.driver, this.redis, Duration.ofSeconds(1)),
				(builder) -> builder.replicaAcknowledgement(ReplicaAcknowledgement.MAJORITY)
					.watchdogTimeout(Duration.ofSeconds(45))
					.waiterTimeout(Duration.ofSeconds(30))
					.listener(this.losses::add));
	}

	@Test
	void lockWhoseOwnerRunsOutlastsItsMaster() throws Exception {
		RedisLockClient client = open();
		RedisLockClient other = open();
		Map<String, Lease> leases = new ConcurrentHashMap<>();
		AtomicBoolean stopped = new AtomicBoolean();
		AtomicInteger names = new AtomicInteger();
		this.crew.start("owner", THREADS, () -> {
			while (!stopped.get()) {
				String name = "load-" + names.incrementAndGet();
				leases.put(name, client.acquire(name, LockOptions.defaults().waitTime(PATIENCE)));
			}
		});
		FaultClients.await("some locks are held", () -> this.crew.isWell() && leases.size() > 20 * THREADS);
		RedisProcess master = this.redis.masterOf(this.clients.key("load-1"));
		master.kill();
		this.redis.awaitOtherMaster(this.clients.key("load-1"), master);
		// In the cluster the new master had no other replica, and without one grants
		// nothing.
		master.startAgain();
		int before = leases.size();
		FaultClients.await("work goes on", () -> this.crew.isWell() && leases.size() > before + THREADS);
		stopped.set(true);
		this.crew.join(PATIENCE);

		for (Map.Entry<String, Lease> held : leases.entrySet()) {
			String name = held.getKey();
			Lease lease = held.getValue();
			assertThat(lease.isValid()).isTrue();
			assertThat(other.directory().find(name)).map(HeldLock::client).hasValue(client.id());
			lease.close();
			try (Lease next = other.acquire(name, LockOptions.defaults().waitTime(PATIENCE))) {
				assertThat(next.token()).isGreaterThan(lease.token());
			}
		}
		assertThat(this.losses).isEmpty();
	}

}
