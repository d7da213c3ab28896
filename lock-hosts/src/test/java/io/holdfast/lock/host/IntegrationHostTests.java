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

package io.holdfast.lock.host;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/** A registry of Spring Integration is one line, and its leader election runs on it. */
class IntegrationHostTests {

	private final JedisConnectionFactory connections = RedissonHostTests.jedis();

	private final String prefix = "integration-" + UUID.randomUUID() + ":";

	private LockClient here;

	private LockClient there;

	@BeforeEach
	void open() {
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.here = client();
		this.there = client();
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
		this.connections.destroy();
	}

	private LockClient client() {
		return RedisLockClient.builder(this.connections).keyPrefix(this.prefix).build();
	}

	private static LockRegistry<LeaseLock> registry(LockClient client) {
		return (key) -> client.getLock("registry:" + key);
	}

	private static LockRegistryLeaderInitiator candidate(LockClient client, String id) {
		return candidate(client, new DefaultCandidate(id, "boss"));
	}

	private static LockRegistryLeaderInitiator candidate(LockClient client, Candidate candidate) {
		LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(registry(client), candidate);
		initiator.setHeartBeatMillis(50);
		initiator.start();
		return initiator;
	}

	@Test
	void locksAreThoseOfTheClient() throws Exception {
		Lock lock = registry(this.here).obtain(7);

		lock.lock();
		assertThat(registry(this.there).obtain(7).tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
		lock.unlock();
		boolean locked = registry(this.here).executeLocked(7, () -> this.there.getLock("registry:7").isLocked());
		assertThat(locked).isTrue();

		assertThat(registry(this.there).obtain(7).tryLock()).isTrue();
	}

	@Test
	void oneLeadsAndTheOtherWhenItStepsDown() {
		LockRegistryLeaderInitiator first = candidate(this.here, "first");
		await(first, true);
		LockRegistryLeaderInitiator second = candidate(this.there, "second");

		first.stop();
		await(second, true);
		assertThat(first.getContext().isLeader()).isFalse();

		second.stop();
		Awaitility.await().atMost(TestThreads.LONG).until(() -> !this.here.getLock("registry:boss").isLocked());
	}

	@Test
	void leaderThatLosesItsLockStepsDownAndMayLeadAgain() {
		AtomicInteger stepsDown = new AtomicInteger();
		LockRegistryLeaderInitiator leader = candidate(this.here, new DefaultCandidate("first", "boss") {

			@Override
			public void onRevoked(Context context) {
				stepsDown.incrementAndGet();
			}

		});
		await(leader, true);

		assertThat(this.there.getLock("registry:boss").forceUnlock()).isTrue();

		Awaitility.await().atMost(TestThreads.LONG).until(() -> stepsDown.get() == 1);
		await(leader, true);
		leader.stop();
		Awaitility.await().atMost(TestThreads.LONG).until(() -> stepsDown.get() == 2);
	}

	private static void await(LockRegistryLeaderInitiator candidate, boolean leads) {
		Awaitility.await().atMost(TestThreads.LONG).until(() -> candidate.getContext().isLeader() == leads);
	}

}
