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

package io.holdfast.lock.interceptor;

import java.util.Collection;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What becomes of transactions whose lock had a lease time that has run out. */
class EndedLeaseCommitTests {

	private static final List<String> JOB = List.of("job");

	@ParameterizedTest
	@MethodSource
	void transactionIsRefused(List<String> names) {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> jobs.transactional(names, () -> bookUntilTheEnd(world, names)));
			assertThat(world.rows()).isEmpty();
		});
	}

	static Stream<List<String>> transactionIsRefused() {
		return Stream.of(JOB, List.of("one", "two"));
	}

	@Test
	void callersTransactionIsRefused() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> world.transaction("caller").executeWithoutResult((status) -> {
					jobs.transactional(JOB, () -> {
					});
					bookUntilTheEnd(world, JOB);
				}));
			assertThat(world.rows()).isEmpty();
		});
	}

	/** Another may have had it between its first and its second lease. */
	@Test
	void transactionIsRefusedAlthoughItHasAcquiredTheLockAnew() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.transactional(JOB, () -> {
				bookUntilTheEnd(world, JOB);
				jobs.longer(JOB, () -> {
				});
			}));
			assertThat(world.rows()).isEmpty();
		});
	}

	@Test
	void callerWithoutTransactionIsToldAlthoughTheLockWasAcquiredAnew() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.leased(JOB, () -> {
				bookUntilTheEnd(world, JOB);
				jobs.longer(JOB, () -> {
				});
			}));
			assertThat(world.client.getLock("job").isLocked()).isFalse();
		});
	}

	@Test
	void reportLetsTransactionCommitAndTellsTheCallerOfTheLoss() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> jobs.transactional(JOB, () -> bookUntilTheEnd(world, JOB)));
			assertThat(world.rows()).hasSize(1);
		}, "holdfast.lock.transaction.on-lost-lock=report");
	}

	@Test
	void lockThatACallersTransactionHasAcquiredAnewIsKeptUntilItHasCommitted() {
		run((jobs, world) -> {
			LeaseLock lock = world.client.getLock("job");
			try (LogCapture log = LogCapture.of("io.holdfast.lock.interceptor", Level.WARN)) {
				world.transaction("caller").executeWithoutResult((status) -> {
					jobs.leased(JOB, () -> {
					});
					bookUntilTheEnd(world, JOB);
					// Redis ends it a little later than its owner.
					Awaitility.await().atMost(TestThreads.LONG).until(() -> !lock.isLocked());
					jobs.longer(JOB, () -> {
					});
					assertThat(lock.isHeldByCurrentThread()).isTrue();
				});
				assertThat(log.lines()).singleElement().asString().contains("is committed all the same");
			}
			assertThat(lock.isLocked()).isFalse();
			assertThat(world.rows()).hasSize(1);
		}, "holdfast.lock.transaction.on-lost-lock=report");
	}

	private static void run(BiConsumer<Jobs, TransactionScene> test, String... properties) {
		TransactionScene.run(TransactionScene.application(properties), Jobs.class, test);
	}

	private static void bookUntilTheEnd(TransactionScene world, List<String> names) {
		world.write("BOOKED");
		LeaseLock lock = world.client.getLock(names);
		Awaitility.await().pollInSameThread().atMost(TestThreads.LONG).until(() -> !lock.isHeldByCurrentThread());
	}

	public static class Jobs {

		@DistributedLock(key = "#names", waitTime = 0, leaseTime = 300)
		@Transactional
		public void transactional(Collection<String> names, Runnable work) {
			work.run();
		}

		/** Returns before its lease has ended, also on a busy machine. */
		@DistributedLock(key = "#names", waitTime = 0, leaseTime = 6_000)
		public void leased(Collection<String> names, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#names", waitTime = 0, leaseTime = 60_000)
		public void longer(Collection<String> names, Runnable work) {
			work.run();
		}

	}

}
