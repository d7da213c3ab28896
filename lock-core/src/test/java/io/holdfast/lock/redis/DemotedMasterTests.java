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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.lettuce.core.api.async.RedisServerAsyncCommands;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What happens when a replica becomes the master, while connections behind the one
 * address that both have still lead to the old one.
 */
class DemotedMasterTests {

	private final RedisProcess old = RedisProcess.start();

	private final RedisProcess current = RedisProcess.start("--replicaof", this.old.host(),
			Integer.toString(this.old.port()));

	private final FaultProxy address = new FaultProxy(this.old);

	private final FaultClients clients = new FaultClients(this.current, "demoted:");

	private final Crew crew = new Crew();

	private final AtomicLong setForward = new AtomicLong();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	@AfterEach
	void end() throws Exception {
		this.crew.close();
		this.clients.close();
		this.address.close();
		this.current.close();
		this.old.close();
	}

	private RedisLockClient open(RedisDriver driver) {
		RedisLockClient client = this.clients.openPatient(driver, this.address.host(), this.address.port(),
				(builder) -> builder.nanoTime(() -> System.nanoTime() + this.setForward.get())
					.observer(new LossObserver(this.losses::add)));
		FaultClients.awaitHears(client);
		return client;
	}

	private void failOver() {
		FaultClients.await("it replicates", () -> "up".equals(this.current.info("replication", "master_link_status")));
		this.old.awaitReplicas();
		this.current.command("REPLICAOF", "NO", "ONE");
		this.old.command("REPLICAOF", this.current.host(), Integer.toString(this.current.port()));
	}

	private static boolean isAcquired(LeaseLock lock) {
		try {
			return lock.tryLock();
		}
		catch (LockServerException ex) {
			assertThat(ex.reason()).isNotEqualTo(Reason.REFUSED);
			return false;
		}
	}

	@ParameterizedTest
	@EnumSource
	void locksWorkAgainAtOnceAndHoldsAreKept(RedisDriver driver) throws Exception {
		RedisLockClient client = open(driver);
		RedisLockClient other = open(driver);
		LeaseLock held = client.getLock("held");
		held.lock();

		failOver();
		this.address.switchTo(this.current);
		LeaseLock free = client.getLock("free");
		FaultClients.await("it works again", () -> isAcquired(free));

		this.setForward.addAndGet(FaultFixture.LONG_LEASE.dividedBy(2).toNanos());
		FaultClients.await("it is renewed",
				() -> held.validFor().compareTo(FaultFixture.LONG_LEASE.multipliedBy(2).dividedBy(3)) > 0);
		LeaseLock wanted = other.getLock("held");
		Crew.Member waiter = this.crew.start("waiter", () -> {
			wanted.lock();
			wanted.unlock();
		});
		FaultClients.await("it waits",
				() -> this.clients.redis().opsForHash().hasKey(this.clients.key("held"), "head"));
		held.unlock();
		waiter.join(FaultClients.PATIENCE);
		assertThat(this.losses).isEmpty();
		free.unlock();
	}

	/**
	 * It may be in the middle of something, and may be set never to connect again.
	 */
	@Test
	void sharedConnectionOfTheApplicationIsLeftAlone() throws Exception {
		RedisConnectionFactory factory = this.clients.connect(RedisDriver.LETTUCE, this.address.host(),
				this.address.port(), FaultClients.PATIENCE);
		LeaseLock lock = this.clients.open(factory, FaultClients::patient).getLock("orders");
		lock.lock();
		lock.unlock();
		long before = connectionId(factory);
		failOver();

		// So often may locks look for another connection.
		for (int i = 0; i < 5; i++) {
			assertThat(isAcquired(lock)).isFalse();
			FaultClients.pass(Duration.ofMillis(250));
		}

		assertThat(connectionId(factory)).isEqualTo(before);
	}

	private static long connectionId(RedisConnectionFactory factory) throws Exception {
		try (RedisConnection connection = factory.getConnection()) {
			return ((RedisServerAsyncCommands<?, ?>) connection.getNativeConnection()).clientId().get();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whatItSaysWithoutAWriteIsNotBelieved(RedisDriver driver) {
		LeaseLock held = open(driver).getLock("held");
		held.lock();
		RedisLockClient other = open(driver);
		LeaseLock wanted = other.getLock("held");
		assertThat(wanted.tryLock()).isFalse();

		failOver();

		for (ThrowingCallable question : List.<ThrowingCallable>of(wanted::tryLock, wanted::isLocked,
				() -> other.directory().find("held"), () -> other.directory().queue("held", 1),
				() -> other.directory().list(null, 100))) {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(question)
				.returns(Reason.UNAVAILABLE, LockServerException::reason);
		}
	}

}
