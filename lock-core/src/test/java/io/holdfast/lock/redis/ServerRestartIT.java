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

import java.util.List;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What remains of locks when Redis is killed and starts again from what it kept on disk.
 */
class ServerRestartIT extends FaultFixture {

	ServerRestartIT() {
		super("--appendfsync", "always");
	}

	@ParameterizedTest
	@EnumSource
	void appendOnlyFileThatIsAlwaysWrittenLosesNothing(RedisDriver driver) throws Exception {
		this.server.command("CONFIG", "SET", "appendonly", "yes");
		for (String step : List.of("aof_rewrite_scheduled", "aof_rewrite_in_progress")) {
			FaultClients.await("the end of " + step, () -> "0".equals(this.server.info("persistence", step)));
		}
		LeaseLock lock = open(driver, this::withClock).getLock("orders");
		LeaseLock next = open(driver, (builder) -> builder.waiterTimeout(LONG_LEASE)).getLock("orders");
		lock.lock();
		long token = lock.token();
		Crew.Member waiter = this.crew.start("waiter", () -> {
			FaultClients.lockPatiently(next);
			assertThat(next.token()).isGreaterThan(token);
			this.clients.unlock(next);
		});
		this.clients.awaitWaiters("orders", 1);

		this.server.kill();
		this.server.startAgain("--appendonly", "yes");
		setForwardToRenewal();
		FaultClients.await("the hold is renewed", () -> lock.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);

		assertThat(this.clients.waiters("orders")).isEqualTo(1);
		this.clients.unlock(lock);
		waiter.join(FaultClients.PATIENCE);
		assertThat(this.losses).isEmpty();
	}

	/**
	 * What was granted after the snapshot is lost, and what was before is not.
	 */
	@ParameterizedTest
	@EnumSource
	void snapshotLosesWhatCameAfterIt(RedisDriver driver) {
		RedisLockClient client = open(driver, this::withClock);
		LeaseLock before = client.getLock("before");
		LeaseLock after = client.getLock("after");
		before.lock();
		this.server.command("SAVE");
		after.lock();
		long token = after.token();

		this.server.kill();
		this.server.startAgain();
		setForwardToRenewal();

		FaultClients.await("the holder is told", () -> !this.losses.isEmpty());
		assertThat(this.losses).singleElement().satisfies((loss) -> {
			assertThat(loss.name()).isEqualTo("after");
			assertThat(loss.cause()).isEqualTo(Cause.GONE);
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(after::unlock);
		assertThat(before.isHeldByCurrentThread()).isTrue();
		this.clients.unlock(before);
		after.lock();
		assertThat(after.token()).isGreaterThan(token);
		this.clients.unlock(after);
	}

}
