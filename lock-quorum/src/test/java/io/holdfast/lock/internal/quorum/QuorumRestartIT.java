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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Locks on servers that start again without their data.
 */
class QuorumRestartIT extends QuorumFixture {

	/**
	 * Of three, as each that is away leaves no more than a majority.
	 */
	@Test
	void holdOutlastsTheRestartOfEachServer() {
		// The driver that takes longer to connect again
		assumeThat(this.driver).isEqualTo(RedisDriver.LETTUCE);
		List<RedisProcess> servers = SERVERS.subList(0, 3);
		List<LockLoss> losses = new CopyOnWriteArrayList<>();
		RedisLockClient client = client(connect(servers), TIMEOUT, WATCHDOG,
				(builder) -> builder.observer(new LossObserver(losses::add)));
		RedisLockClient others = client(connect(servers), TIMEOUT, WATCHDOG, (builder) -> builder);
		LeaseLock held = client.getLock("rolling");
		LeaseLock wanted = others.getLock("rolling");
		// So far that no clock says it.
		setToken(servers.get(0), "rolling", (System.currentTimeMillis() + 3_600_000) * 1000);
		held.lock();
		long token = held.token();
		// A majority is enough to begin with, and no longer one without its first server.
		servers.forEach((server) -> await(() -> assertThat(isHeldOn(server, "rolling", client)).isTrue()));
		AtomicBoolean over = new AtomicBoolean();
		TestThreads.Running<Void> trying = this.threads.run(() -> {
			while (!over.get()) {
				assertThat(isHad(wanted)).as(() -> "the other has it; losses: " + losses).isFalse();
			}
		});

		for (RedisProcess server : servers) {
			server.kill();
			server.startAgain();
			await(() -> {
				assertThat(losses).isEmpty();
				assertThat(isHeldOn(server, "rolling", client)).isTrue();
			});
		}

		assertThat(held.isHeldByCurrentThread()).isTrue();
		assertThat(held.token()).isEqualTo(token);
		over.set(true);
		trying.result();
		held.unlock();
		wanted.lock();
		assertThat(wanted.token()).isGreaterThan(token);
		wanted.unlock();
	}

	private static boolean isHad(LeaseLock lock) throws InterruptedException {
		try {
			return lock.tryLock(Duration.ofMillis(100));
		}
		catch (LockServerException ex) {
			return false;
		}
	}

	@Test
	void restartedServersGrantNothingWhileTheirHoldsMayLast() throws Exception {
		Duration guard = WATCHDOG.plusSeconds(1);
		LeaseLock holder = client(guard).getLock("guarded");
		LeaseLock other = client(guard).getLock("guarded");
		holder.lock();
		long token = holder.token();
		kill(0, 1, 2);
		startAgain(0, 1, 2);

		assertThatExceptionOfType(LockServerException.class).isThrownBy(other::tryLock)
			.withMessageContaining("may have forgotten")
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.UNAVAILABLE));

		assertThat(other.tryLock(guard.plus(TestThreads.LONG))).isTrue();
		assertThat(holder.isHeldByCurrentThread()).isFalse();
		assertThat(other.token()).isGreaterThan(token);
		other.unlock();
	}

	@Test
	void majorityThatHasForgottenTheLockIsALoss() {
		this.here.lock();
		await(() -> assertThat(servers("a name")).isEqualTo(5));
		// All together: one after another would take the hold up again.
		kill(0, 1, 2);
		startAgain(0, 1, 2);

		await(() -> assertThat(this.here.isHeldByCurrentThread()).isFalse());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.here::unlock);
	}

	@Test
	@Timeout(value = 5, unit = TimeUnit.MINUTES)
	void serverThatMissesAReleaseForLongIsToldWhenItAnswers() {
		assumeThat(this.driver).isEqualTo(RedisDriver.JEDIS);
		RedisLockClient client = client((builder) -> builder.watchdogTimeout(Duration.ofMinutes(20)));
		LeaseLock lock = client.getLock("a name");
		lock.lock();
		await(() -> assertThat(servers("a name")).isEqualTo(5));
		pause(0);
		lock.unlock();

		long since = System.nanoTime();
		Awaitility.await()
			.atMost(Duration.ofMinutes(3))
			.until(() -> System.nanoTime() - since > TimeUnit.SECONDS.toNanos(95));
		resume(0);

		await(() -> assertThat(servers("a name")).isZero());
	}

}
