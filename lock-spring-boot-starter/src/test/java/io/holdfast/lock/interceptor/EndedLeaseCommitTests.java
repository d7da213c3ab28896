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

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What becomes of transactions whose lock had a lease time that has run out. */
class EndedLeaseCommitTests {

	private static final List<String> JOB = List.of("job");

	private final ApplicationContextRunner runner = LockRunner.create()
		.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
		.withBean(Jobs.class)
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	@Test
	void transactionIsRefused() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);

			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> jobs.transactional(JOB, () -> jobs.bookUntilTheEnd(JOB)));
			assertThat(jobs.bookings()).isZero();
		});
	}

	@Test
	void transactionUnderSeveralLocksIsRefused() {
		List<String> several = List.of("one", "two");
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);

			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> jobs.transactional(several, () -> jobs.bookUntilTheEnd(several)));
			assertThat(jobs.bookings()).isZero();
		});
	}

	@Test
	void callersTransactionIsRefused() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			TransactionTemplate caller = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> caller.executeWithoutResult((status) -> {
					jobs.transactional(JOB, () -> {
					});
					jobs.bookUntilTheEnd(JOB);
				}));
			assertThat(jobs.bookings()).isZero();
		});
	}

	/** Another may have had it between its first and its second lease. */
	@Test
	void transactionIsRefusedAlthoughItHasAcquiredTheLockAnew() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);

			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.transactional(JOB, () -> {
				jobs.bookUntilTheEnd(JOB);
				jobs.longer(JOB, () -> {
				});
			}));
			assertThat(jobs.bookings()).isZero();
		});
	}

	@Test
	void callerWithoutTransactionIsToldAlthoughTheLockWasAcquiredAnew() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);

			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.leased(JOB, () -> {
				jobs.bookUntilTheEnd(JOB);
				jobs.longer(JOB, () -> {
				});
			}));
			assertThat(context.getBean(LockClient.class).getLock("job").isLocked()).isFalse();
		});
	}

	@Test
	void reportLetsTransactionCommitAndTellsTheCallerOfTheLoss() {
		this.runner.withPropertyValues("holdfast.lock.transaction.on-lost-lock=report").run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);

			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> jobs.transactional(JOB, () -> jobs.bookUntilTheEnd(JOB)));
			assertThat(jobs.bookings()).isOne();
		});
	}

	@Test
	void lockThatACallersTransactionHasAcquiredAnewIsKeptUntilItHasCommitted() {
		this.runner.withPropertyValues("holdfast.lock.transaction.on-lost-lock=report").run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			LeaseLock lock = context.getBean(LockClient.class).getLock("job");
			TransactionTemplate caller = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));

			try (LogCapture log = LogCapture.of("io.holdfast.lock.interceptor", Level.WARN)) {
				caller.executeWithoutResult((status) -> {
					jobs.leased(JOB, () -> {
					});
					jobs.bookUntilTheEnd(JOB);
					jobs.longer(JOB, () -> {
					});
					assertThat(lock.isHeldByCurrentThread()).isTrue();
				});
				assertThat(log.lines()).singleElement().asString().contains("is committed all the same");
			}
			assertThat(lock.isLocked()).isFalse();
			assertThat(jobs.bookings()).isOne();
		});
	}

	public static class Jobs {

		private final JdbcTemplate jdbc;

		private final LockClient client;

		Jobs(JdbcTemplate jdbc, LockClient client) {
			this.jdbc = jdbc;
			this.client = client;
			jdbc.execute("create table booking (id int)");
		}

		@DistributedLock(key = "#names", waitTime = 0, leaseTime = 300)
		@Transactional
		public void transactional(Collection<String> names, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#names", waitTime = 0, leaseTime = 300)
		public void leased(Collection<String> names, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#names", waitTime = 0, leaseTime = 60_000)
		public void longer(Collection<String> names, Runnable work) {
			work.run();
		}

		public void bookUntilTheEnd(Collection<String> names) {
			this.jdbc.update("insert into booking values (1)");
			Awaitility.await()
				.pollInSameThread()
				.until(() -> !this.client.getLock(names, LockType.REENTRANT).isHeldByCurrentThread());
		}

		public int bookings() {
			return this.jdbc.queryForList("select id from booking").size();
		}

	}

}
