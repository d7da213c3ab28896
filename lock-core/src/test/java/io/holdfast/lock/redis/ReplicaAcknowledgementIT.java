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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.redis.RedisLockClient.ReplicaAcknowledgement;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSentinels;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * That no owner runs before as many replicas as wanted have its lock. A replica that is
 * stopped acknowledges nothing.
 */
@ParameterizedClass
@EnumSource(RedisDriver.class)
class ReplicaAcknowledgementIT {

	private static RedisSentinels redis;

	@Parameter
	RedisDriver driver;

	private final Crew crew = new Crew();

	private RedisProcess master;

	private FaultClients clients;

	@BeforeAll
	static void startRedis() {
		redis = RedisSentinels.start();
	}

	@AfterAll
	static void endRedis() {
		redis.close();
	}

	@BeforeEach
	void start() {
		redis.awaitReady();
		this.master = redis.master();
		this.clients = new FaultClients(redis, "replica:" + this.driver + ":");
	}

	@AfterEach
	void end() throws Exception {
		redis.replicas().forEach(RedisProcess::resume);
		this.crew.close();
		this.clients.close();
	}

	private RedisLockClient open(ReplicaAcknowledgement acknowledgement) {
		return this.clients.open(this.clients.connect(this.driver, redis, Duration.ofSeconds(2)),
				(builder) -> builder.replicaAcknowledgement(acknowledgement)
					.replicaTimeout(Duration.ofMillis(200))
					.waiterTimeout(FaultClients.PATIENCE));
	}

	private void pauseReplicas() {
		redis.replicas().forEach(RedisProcess::pause);
	}

	private void resumeReplicas() {
		redis.replicas().forEach(RedisProcess::resume);
	}

	private boolean somebodyWaits() {
		return !this.master.info("clients", "blocked_clients").equals("0");
	}

	/** How often somebody waited for replicas; newer servers count it at its end. */
	private long waits() {
		String calls = this.master.info("commandstats", "cmdstat_wait");
		return calls.isEmpty() ? 0 : Long.parseLong(calls.substring("calls=".length(), calls.indexOf(',')));
	}

	private void awaitWaits(long count) {
		FaultClients.await(count + " waits", () -> waits() >= count);
	}

	@Test
	void replicaHasTheLockWhenItsOwnerRuns() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		RedisProcess slow = redis.replicas().get(0);
		RedisProcess fast = redis.replicas().get(1);
		slow.pause();
		for (int i = 0; i < 20; i++) {
			try (var lease = client.acquire("a" + i, LockOptions.defaults())) {
				assertThat(fast.command("HGET", this.clients.key("a" + i), "token"))
					.isEqualTo(Long.toString(lease.token()));
			}
		}
	}

	@Test
	void majorityIsMoreThanHalfOfTheReplicas() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.MAJORITY);
		client.acquire("b", LockOptions.defaults()).close();
		redis.replicas().get(0).pause();

		LeaseLock lock = client.getLock("b");
		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::tryLock)
			.withMessageStartingWith("Lock 'b': 1 replicas acknowledged it within 200ms, wanted were 2 (")
			.returns(Reason.UNAVAILABLE, LockServerException::reason);
	}

	@Test
	void lockThatTooFewAcknowledgeIsGivenBack() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		pauseReplicas();

		LeaseLock lock = client.getLock("c");
		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::tryLock)
			.returns(Reason.UNAVAILABLE, LockServerException::reason);
		assertThat(this.clients.holder("c")).isNull();
		assertThatExceptionOfType(LockServerException.class).isThrownBy(() -> lock.tryLock(Duration.ofMillis(500)))
			.returns(Reason.UNAVAILABLE, LockServerException::reason);
		assertThat(this.clients.holder("c")).isNull();
		FaultClients.awaitForgotten(client);
	}

	@Test
	void shortLeaseThatTooFewAcknowledgeIsNoLockOfAnother() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		pauseReplicas();

		LeaseLock lock = client.getLock("n");
		for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(150), Duration.ofMillis(500))) {
			assertThatExceptionOfType(LockServerException.class)
				.isThrownBy(() -> lock.tryLock(wait, Duration.ofMillis(50)))
				.returns(Reason.UNAVAILABLE, LockServerException::reason);
		}
		FaultClients.awaitForgotten(client);
		LeaseLock free = open(ReplicaAcknowledgement.NONE).getLock("n");
		assertThat(free.tryLock(FaultClients.PATIENCE)).isTrue();
		free.unlock();
	}

	@Test
	void waitingCallGoesOnWhenReplicasAreBack() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		pauseReplicas();
		AtomicBoolean runs = new AtomicBoolean();
		long before = waits();
		Crew.Member owner = this.crew.start("owner", () -> {
			assertThat(client.getLock("d").tryLock(FaultClients.PATIENCE)).isTrue();
			runs.set(true);
		});
		// For longer than a lease, which is renewed meanwhile.
		awaitWaits(before + FaultClients.WATCHDOG_TIMEOUT.toMillis() / 200 + 1);
		assertThat(this.clients.holder("d")).isEqualTo(client.id());
		assertThat(runs).isFalse();
		resumeReplicas();
		owner.join(FaultClients.PATIENCE);
	}

	@Test
	void lockThatIsHandedOverIsAcknowledgedToo() throws Exception {
		RedisLockClient first = open(ReplicaAcknowledgement.NONE);
		RedisLockClient second = open(ReplicaAcknowledgement.ONE);
		FaultClients.awaitHears(first, second);
		AtomicBoolean runs = new AtomicBoolean();
		LeaseLock lock = first.getLock("e");
		lock.lock();
		Crew.Member next = this.crew.start("next", () -> {
			assertThat(second.getLock("e").tryLock(FaultClients.PATIENCE)).isTrue();
			runs.set(true);
		});
		this.clients.awaitWaiters("e", 1);
		pauseReplicas();
		long before = waits();
		lock.unlock();
		awaitWaits(before + 2);
		assertThat(this.clients.holder("e")).isEqualTo(second.id());
		assertThat(runs).isFalse();
		resumeReplicas();
		next.join(FaultClients.PATIENCE);
	}

	@Test
	void nothingButAnAcquisitionWaits() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.MAJORITY);
		LeaseLock lock = client.getLock("f");
		lock.lock();
		pauseReplicas();
		long before = waits();
		lock.lock();
		Object until = this.master.command("HGET", this.clients.key("f"), "until");
		FaultClients.await("it is renewed",
				() -> !this.master.command("HGET", this.clients.key("f"), "until").equals(until));
		lock.unlock();
		lock.unlock();
		assertThat(waits()).isEqualTo(before);
		assertThat(this.clients.holder("f")).isNull();
	}

	@Test
	void interruptEndsTheWaitForReplicas() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		pauseReplicas();
		long before = waits();
		AtomicBoolean interrupted = new AtomicBoolean();
		Crew.Member owner = this.crew.start("owner", () -> {
			try {
				client.getLock("g").lockInterruptibly();
			}
			catch (InterruptedException ex) {
				interrupted.set(true);
			}
		});
		awaitWaits(before + 1);
		owner.thread().interrupt();
		owner.join(FaultClients.PATIENCE);
		assertThat(interrupted).isTrue();
		assertThat(this.clients.holder("g")).isNull();
	}

	@Test
	void interruptEndsTheWaitForOthersThatWait() throws Exception {
		RedisLockClient client = this.clients.open(
				this.clients.connect(this.driver, redis, FaultClients.PATIENCE.multipliedBy(2)),
				(builder) -> builder.replicaAcknowledgement(ReplicaAcknowledgement.ONE)
					.replicaTimeout(Duration.ofMinutes(1))
					.waiterTimeout(FaultClients.PATIENCE));
		pauseReplicas();
		Crew.Member first = this.crew.start("first",
				() -> assertThat(client.getLock("l").tryLock(FaultClients.PATIENCE)).isTrue());
		FaultClients.await("the first one waits for replicas", this::somebodyWaits);
		AtomicBoolean interrupted = new AtomicBoolean();
		Crew.Member second = this.crew.start("second", () -> {
			try {
				client.getLock("m").lockInterruptibly();
			}
			catch (InterruptedException ex) {
				interrupted.set(true);
			}
		});
		FaultClients.await("the second one is granted its lock", () -> this.clients.holder("m") != null);
		second.thread().interrupt();
		second.join(FaultClients.PATIENCE);
		assertThat(interrupted).isTrue();
		assertThat(somebodyWaits()).isTrue();
		resumeReplicas();
		first.join(FaultClients.PATIENCE);
	}

	@Test
	void lockThatIsForcedAwayBeforeItIsAcknowledgedIsNotRunWith() throws Exception {
		RedisLockClient client = this.clients.open(
				this.clients.connect(this.driver, redis, FaultClients.PATIENCE.multipliedBy(2)),
				(builder) -> builder.replicaAcknowledgement(ReplicaAcknowledgement.ONE)
					.replicaTimeout(Duration.ofMinutes(1))
					.waiterTimeout(FaultClients.PATIENCE));
		LeaseLock operator = open(ReplicaAcknowledgement.NONE).getLock("o");
		FaultClients.awaitHears(client);
		pauseReplicas();
		AtomicLong token = new AtomicLong();
		Crew.Member owner = this.crew.start("owner", () -> {
			LeaseLock lock = client.getLock("o");
			assertThat(lock.tryLock(FaultClients.PATIENCE, Duration.ofMinutes(1))).isTrue();
			token.set(lock.token());
		});
		FaultClients.await("the owner waits for replicas", this::somebodyWaits);
		assertThat(operator.forceUnlock()).isTrue();
		assertThat(operator.tryLock()).isTrue();
		FaultClients.await("it is told", () -> !FaultClients.isConfirming(client, "o"));
		resumeReplicas();

		this.clients.awaitWaiters("o", 1);
		assertThat(token).hasValue(0);
		long before = operator.token();
		operator.unlock();
		owner.join(FaultClients.PATIENCE);
		assertThat(token).hasValueGreaterThan(before);
	}

	@Test
	void ownerWithoutReplicasWaitsBehindOthersAsLongAsTheyNeed() throws Exception {
		Duration patience = Duration.ofMillis(1500);
		RedisLockClient client = this.clients.open(this.clients.connect(this.driver, redis, Duration.ofSeconds(2)),
				(builder) -> builder.replicaAcknowledgement(ReplicaAcknowledgement.ONE)
					.replicaTimeout(Duration.ofMillis(200))
					.waiterTimeout(patience));
		RedisLockClient other = open(ReplicaAcknowledgement.NONE);
		FaultClients.awaitHears(client, other);
		pauseReplicas();
		Crew.Member owner = this.crew.start("owner",
				() -> assertThat(client.getLock("p").tryLock(FaultClients.PATIENCE, Duration.ofMillis(150))).isTrue());
		FaultClients.await("it is granted", () -> client.id().equals(this.clients.holder("p")));

		LeaseLock lock = other.getLock("p");
		lock.lock();
		this.clients.awaitWaiters("p", 1);
		resumeReplicas();
		Awaitility.await()
			.during(patience.plusMillis(500))
			.atMost(FaultClients.PATIENCE)
			.until(() -> owner.thread().isAlive());

		lock.unlock();
		owner.join(FaultClients.PATIENCE);
	}

	@Test
	void threadsShareTheWait() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.MAJORITY);
		pauseReplicas();
		long before = waits();
		int threads = 50;
		for (int i = 0; i < threads; i++) {
			String name = "h" + i;
			this.crew.start(name, () -> {
				assertThat(client.getLock(name).tryLock(FaultClients.PATIENCE)).isTrue();
				client.getLock(name).unlock();
			});
		}
		for (int i = 0; i < threads; i++) {
			String name = "h" + i;
			FaultClients.await(name + " is granted", () -> this.clients.holder(name) != null);
		}
		resumeReplicas();
		this.crew.join(FaultClients.PATIENCE);
		assertThat(waits() - before).isLessThan(threads / 2);
	}

	@Test
	void masterWithoutReplicasGrantsNothing() {
		RedisLockClient client = this.clients.open(
				this.clients.connect(this.driver, RedisProcess.shared(), FaultClients.COMMAND_TIMEOUT),
				(builder) -> builder.replicaAcknowledgement(ReplicaAcknowledgement.MAJORITY)
					.replicaTimeout(Duration.ofMillis(50)));
		assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("i")::tryLock)
			.withMessageStartingWith("Lock 'i': 0 replicas acknowledged it within 50ms, wanted were 1 (");
	}

	@Test
	void serverWithoutWaitIsARefusal() {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		this.master.command("ACL", "SETUSER", "default", "-wait");
		try {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("k")::tryLock)
				.returns(Reason.REFUSED, LockServerException::reason);
		}
		finally {
			this.master.command("ACL", "SETUSER", "default", "+wait");
		}
		assertThat(this.clients.holder("k")).isNull();
	}

	@Test
	void closedClientKeepsNoConnection() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		client.acquire("o", LockOptions.defaults()).close();
		assertThat(connectionsThatWaited()).isEqualTo(1);
		pauseReplicas();
		Crew.Member waiting = this.crew.start("waiting",
				() -> assertThatExceptionOfType(LockClientClosedException.class)
					.isThrownBy(() -> client.getLock("o").tryLock(FaultClients.PATIENCE)));
		FaultClients.await("it waits for replicas", this::somebodyWaits);
		client.close();
		waiting.join(FaultClients.PATIENCE);
		FaultClients.await("no connection is left", () -> connectionsThatWaited() == 0);
	}

	private long connectionsThatWaited() {
		String connections = (String) this.master.command("CLIENT", "LIST");
		return connections.lines().filter((line) -> line.contains(" cmd=wait ")).count();
	}

	@Test
	void brokenConnectionIsReplaced() throws Exception {
		RedisLockClient client = open(ReplicaAcknowledgement.ONE);
		for (int i = 0; i < 5; i++) {
			client.acquire("j", LockOptions.defaults()).close();
			String connections = (String) this.master.command("CLIENT", "LIST");
			connections.lines()
				.filter((line) -> line.contains(" cmd=wait "))
				.forEach((line) -> this.master.command("CLIENT", "KILL", "ID",
						line.substring("id=".length(), line.indexOf(' '))));
		}
		client.acquire("j", LockOptions.defaults()).close();
	}

}
