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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.EngineState;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.HandleOwner;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.redis.FaultClients;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Several locks by one call: all of them, or nothing is left. */
class BatchAcquireTests {

	private static final List<String> NAMES = List.of("a", "b", "c");

	private final RedisConnectionFactory connections = RedisDriver.JEDIS.connect(RedisProcess.shared());

	private final RedisLockClient client = RedisLockClient.builder(this.connections)
		.keyPrefix("batch-" + UUID.randomUUID() + ":")
		.build();

	private final LockRuntime runtime = FaultClients.runtime(this.client);

	@AfterEach
	void close() {
		this.client.close();
		RedisDriver.disconnect(this.connections);
	}

	@Test
	void allAreHad() throws Exception {
		assertThat(acquire(Grant::name)).isEqualTo(NAMES);

		assertThat(this.client.directory().find("c")).isPresent();
	}

	@Test
	void errorOnTheWayToTheCallerGivesAllBack() {
		List<String> made = new ArrayList<>();

		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> acquire((grant) -> {
			if (!made.isEmpty()) {
				throw new OutOfMemoryError("thrown on purpose");
			}
			made.add(grant.name());
			return grant.name();
		}));

		assertThat(made).containsExactly("a");
		assertNothingIsLeft();
	}

	@Test
	void lockThatAnotherOfThisClientHoldsEndsTheAttemptBeforeTheCall() throws Exception {
		this.client.acquire("c", LockOptions.defaults());

		assertThat(acquire(Grant::name)).isEmpty();

		assertThat(this.client.directory().find("a")).isEmpty();
		assertThat(EngineState.names(this.runtime.engine())).containsExactly("c");
	}

	@Test
	void lockThatItsOwnerHoldsEndsTheAttemptBeforeTheCall() throws Exception {
		this.client.getLock("b").lock();
		BatchAcquire<String> batch = new BatchAcquire<>(this.runtime, null, LockType.REENTRANT, Thread::currentThread,
				new LeaseSpec(60_000, false), true, Grant::name);

		assertThat(batch.acquire(NAMES, Duration.ZERO)).isEmpty();

		assertThat(this.client.directory().find("a")).isEmpty();
		assertThat(this.client.getLock("b").holdCount()).isOne();
	}

	@Test
	void interruptedThreadSendsNothing() throws Exception {
		Thread.currentThread().interrupt();

		assertThat(acquire(Grant::name)).isEmpty();

		assertThat(Thread.interrupted()).isTrue();
		assertNothingIsLeft();
	}

	private <T> List<T> acquire(Function<Grant, T> result) throws InterruptedException {
		return new BatchAcquire<>(this.runtime, null, LockType.REENTRANT, HandleOwner::new, new LeaseSpec(60_000, true),
				true, result)
			.acquire(NAMES, Duration.ZERO);
	}

	private void assertNothingIsLeft() {
		NAMES.forEach((name) -> assertThat(this.client.directory().find(name)).as(name).isEmpty());
		assertThat(EngineState.names(this.runtime.engine())).isEmpty();
		assertThat(FaultClients.leftovers(this.client)).isZero();
	}

}
