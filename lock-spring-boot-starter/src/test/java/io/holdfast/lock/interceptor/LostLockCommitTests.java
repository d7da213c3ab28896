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

import java.util.List;
import java.util.function.BiConsumer;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.autoconfigure.LockAnnotationAutoConfiguration;
import io.holdfast.lock.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which transactions commit when a lock is lost, on a real Redis and real databases.
 */
class LostLockCommitTests {

	private static final String RECORDS = "holdfast.lock.transaction.unguarded=" + Records.class.getName() + ".*";

	@Test
	void failureIsRecordedByTransactionThatTheApplicationNames() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.locked("job", () -> {
				try {
					world.transaction("work").executeWithoutResult((status) -> {
						world.write("BOOKED");
						world.lose("job");
					});
				}
				catch (LockLostException ex) {
					world.context.getBean(Records.class).record("FAILED");
					throw ex;
				}
			}));

			assertThat(world.rows()).containsExactly("FAILED");
		}, RECORDS);
	}

	@Test
	void failureIsRecordedWhileTheGuardedTransactionIsSuspended() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.transactional("job", () -> {
				world.write("BOOKED");
				world.lose("job");
				world.context.getBean(Records.class).record("FAILED");
			}));

			assertThat(world.rows()).containsExactly("FAILED");
		}, RECORDS);
	}

	@Test
	void namedTransactionThatOnlyJoinsTheGuardedOneIsRefusedWithIt() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.transactional("job", () -> {
				world.lose("job");
				world.context.getBean(Records.class).join("FAILED");
			}));

			assertThat(world.rows()).isEmpty();
		}, RECORDS);
	}

	@Test
	void loopThatGoesOnAfterFailuresCommitsNothingMore() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.locked("job", () -> {
				world.transaction("pay").executeWithoutResult((status) -> world.write("1"));
				world.lose("job");
				for (String payment : List.of("2", "3", "4")) {
					assertThatExceptionOfType(LockLostException.class).isThrownBy(
							() -> world.transaction("pay").executeWithoutResult((status) -> world.write(payment)));
				}
			}));

			assertThat(world.rows()).containsExactly("1");
		}, RECORDS);
	}

	@Test
	void springBatchRecordsThatAJobHasFailed() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.locked("job", () -> {
				world.lose("job");
				world.transaction("org.springframework.batch.core.repository.support.SimpleJobRepository.update")
					.executeWithoutResult((status) -> world.write("FAILED"));
			}));

			assertThat(world.rows()).containsExactly("FAILED");
		});
	}

	@Test
	void savepointAndReadOnlyTransactionAreRefused() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.locked("job", () -> {
				TransactionTemplate readOnly = world.transaction("read");
				readOnly.setReadOnly(true);
				TransactionTemplate nested = world.transaction(TransactionDefinition.PROPAGATION_NESTED);
				world.lose("job");

				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> readOnly.executeWithoutResult((status) -> world.write("READ")));
				world.transaction("outer").executeWithoutResult((outer) -> {
					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> nested.executeWithoutResult((status) -> world.write("NESTED")));
					outer.setRollbackOnly();
				});
			}));

			assertThat(world.rows()).isEmpty();
		});
	}

	@Test
	void transactionUnderAnotherLockThatIsHeldCommits() {
		run((jobs, world) -> {
			jobs.locked("plan", () -> {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> jobs.transactional("job", () -> world.lose("job")));
				world.transaction("record").executeWithoutResult((status) -> world.write("FAILED"));
			});

			assertThat(world.rows()).containsExactly("FAILED");
		});
	}

	@Test
	void transactionUnderTheInnerOfTwoLocksIsRefusedIfTheOuterIsLost() {
		run((jobs, world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.locked("plan", () -> {
				world.lose("plan");
				jobs.transactional("job", () -> world.write("BOOKED"));
			}));

			assertThat(world.rows()).isEmpty();
		});
	}

	@Test
	void transactionOfAnotherManagerIsRefused() {
		run((jobs, world) -> {
			PlatformTransactionManager other = world.context.getBean("otherTransactionManager",
					PlatformTransactionManager.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.locked("job", () -> {
				world.lose("job");
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> new TransactionTemplate(other).executeWithoutResult((status) -> {
					}));
			}));
		});
	}

	@Test
	void reportLetsTransactionCommitAndEndsTheCallAllTheSame() {
		run((jobs, world) -> {
			try (LogCapture log = LogCapture.of(CommitGuard.class.getName(), Level.WARN)) {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.transactional("job", () -> {
					world.write("BOOKED");
					world.lose("job");
				}));

				assertThat(world.rows()).containsExactly("BOOKED");
				assertThat(log.lines()).singleElement()
					.asString()
					.startsWith(
							"WARN Transaction '" + Jobs.class.getName() + ".transactional' is committed all the same "
									+ "(holdfast.lock.transaction.on-lost-lock): ");
			}
		}, "holdfast.lock.transaction.on-lost-lock=Report");
	}

	@Test
	void callersTransactionThatTheApplicationNamesCommits() {
		run((jobs, world) -> {
			world.transaction(Records.class.getName() + ".record").executeWithoutResult((status) -> {
				jobs.locked("job", () -> world.write("FAILED"));
				world.lose("job");
			});

			assertThat(world.rows()).containsExactly("FAILED");
		}, RECORDS);
	}

	@Test
	void transactionWithoutANameIsReportedAsSuch() {
		run((jobs, world) -> {
			try (LogCapture log = LogCapture.of(CommitGuard.class.getName(), Level.DEBUG)) {
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.locked("job", () -> {
					world.lose("job");
					new TransactionTemplate(world.transactionManager).executeWithoutResult((status) -> {
					});
				}));

				assertThat(log.lines()).singleElement()
					.asString()
					.as("a warning, unless there were many of them just now")
					.contains("A transaction without a name is not committed");
			}
		});
	}

	@Test
	void reportLetsCallersTransactionCommit() {
		run((jobs, world) -> {
			try (LogCapture log = LogCapture.of(CommitGuard.class.getName(), Level.WARN)) {
				world.transaction("caller").executeWithoutResult((status) -> {
					jobs.transactional("job", () -> world.write("BOOKED"));
					world.lose("job");
				});

				assertThat(world.rows()).containsExactly("BOOKED");
				assertThat(log.lines()).singleElement()
					.asString()
					.startsWith("WARN Transaction 'caller' is committed all the same");
			}
		}, "holdfast.lock.transaction.on-lost-lock=report");
	}

	@Test
	void transactionsOfAParentAreGuardedWithTheSettingsOfTheLockAndKeepNoContext() {
		run((jobs, world) -> {
			ConfigurableApplicationContext parent = ((AssertableApplicationContext) world.context)
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			int listeners = listeners(parent);
			for (String onLostLock : List.of("refuse-commit", "report")) {
				try (ConfigurableApplicationContext child = child(parent, onLostLock)) {
					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> child.getBean(Jobs.class).transactional("job", () -> {
							world.write(onLostLock);
							world.lose(child.getBean(LockClient.class).getLock("job"));
						}));
				}
			}

			assertThat(world.rows()).containsExactly("report");
			assertThat(listeners(parent)).isEqualTo(listeners);
		});
	}

	@Test
	void eachLockOfATransactionHasTheSettingsOfItsOwnContext() {
		run((jobs, world) -> {
			ConfigurableApplicationContext parent = ((AssertableApplicationContext) world.context)
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			try (ConfigurableApplicationContext reporting = child(parent, "report");
					ConfigurableApplicationContext refusing = child(parent, "refuse-commit")) {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> world.transaction("both").executeWithoutResult((status) -> {
						reporting.getBean(Jobs.class).locked("first", () -> world.write("BOOKED"));
						refusing.getBean(Jobs.class).locked("second", () -> {
						});
						world.lose(refusing.getBean(LockClient.class).getLock("second"));
					}));
			}

			assertThat(world.rows()).isEmpty();
		});
	}

	@Test
	void methodDoesNotBeginUnderALockThatIsLostWhileAFenceWaits() {
		TransactionScene.run(
				TransactionScene.application().withUserConfiguration(TwoDatabases.class).withBean(SlowFence.class),
				Jobs.class, (jobs, world) -> {
					world.context.getBean(SlowFence.class).meanwhile = () -> world.lose("job");

					assertThatExceptionOfType(LockLostException.class)
						.isThrownBy(() -> jobs.locked("job", () -> world.ran = true));

					assertThat(world.ran).isFalse();
				});
	}

	@Test
	void transactionDuringTheStartIsRefused() {
		TransactionScene.application()
			.withUserConfiguration(TwoDatabases.class)
			.withBean(Jobs.class)
			.withBean(Migration.class)
			.run((context) -> assertThat(context.getBean(Migration.class).rows).isZero());
	}

	@Test
	void lazyTransactionManagerIsNotMadeForTheGuardButGuarded() {
		LockRunner.create().withBean(Jobs.class).withUserConfiguration(LazyManager.class).run((context) -> {
			assertThat(context.getSourceApplicationContext(ConfigurableApplicationContext.class)
				.getBeanFactory()
				.containsSingleton("lazyManager")).isFalse();
			assertThat(context.getBean(JdbcTransactionManager.class).getTransactionExecutionListeners())
				.hasOnlyElementsOfType(CommitGuard.class)
				.hasSize(1);
		});
	}

	@Test
	void transactionUnderTheLockOfALazyBeanBehindAnInterfaceIsRefused() {
		TransactionScene.run(TransactionScene.application().withUserConfiguration(TwoDatabases.class, LazyWork.class),
				Records.class, (records, world) -> {
					Work work = world.context.getBean(Work.class);
					assertThatExceptionOfType(LockLostException.class).isThrownBy(
							() -> work.locked("job", () -> world.transaction("pay").executeWithoutResult((status) -> {
								world.write("1");
								world.lose("job");
							})));

					assertThat(world.rows()).isEmpty();
				});
	}

	private static int listeners(ApplicationContext context) {
		return context.getBean("transactionManager", JdbcTransactionManager.class)
			.getTransactionExecutionListeners()
			.size();
	}

	private static ConfigurableApplicationContext child(ConfigurableApplicationContext parent, String onLostLock) {
		AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext();
		child.setParent(parent);
		TestPropertyValues.of("holdfast.lock.transaction.on-lost-lock=" + onLostLock).applyTo(child);
		child.register(EnableTransactions.class, LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class,
				Jobs.class);
		child.refresh();
		return child;
	}

	private static void run(BiConsumer<Jobs, TransactionScene> test, String... properties) {
		TransactionScene.run(TransactionScene.application(properties)
			.withUserConfiguration(TwoDatabases.class)
			.withBean(Records.class), Jobs.class, test);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class EnableTransactions {

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyManager {

		@Bean
		@Lazy
		JdbcTransactionManager lazyManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:lazy"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean(defaultCandidate = false)
		JdbcTransactionManager otherTransactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:other"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyWork {

		@Bean
		@Lazy
		Work work() {
			return new LockedWork();
		}

	}

	interface Work {

		void locked(String name, Runnable work);

	}

	static class LockedWork implements Work {

		@Override
		@DistributedLock(key = "#name", waitTime = 0)
		public void locked(String name, Runnable work) {
			work.run();
		}

	}

	public static class Jobs {

		@DistributedLock(key = "#name", waitTime = 0)
		public void locked(String name, Runnable work) {
			work.run();
		}

		@DistributedLock(key = "#name", waitTime = 0)
		@Transactional("transactionManager")
		public void transactional(String name, Runnable work) {
			work.run();
		}

	}

	static class SlowFence implements LockFence {

		private Runnable meanwhile = () -> {
		};

		@Override
		public void granted(Grant grant) {
			this.meanwhile.run();
		}

		@Override
		public void beforeCommit(TransactionExecution transaction, List<Grant> grants) {
		}

	}

	public static class Migration {

		private final @Nullable Integer rows;

		Migration(Jobs jobs, LockClient client, JdbcTemplate jdbc) {
			jdbc.execute("create table migrated (id int)");
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> jobs.transactional("migration", () -> {
				jdbc.update("insert into migrated values (1)");
				LeaseView lease = Leases.current();
				client.directory().forceUnlock("migration");
				Awaitility.await().until(() -> !lease.isHeld());
			}));
			this.rows = jdbc.queryForObject("select count(*) from migrated", Integer.class);
		}

	}

	public static class Records {

		private final JdbcTemplate jdbc;

		Records(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional(value = "transactionManager", propagation = Propagation.REQUIRES_NEW)
		public void record(String status) {
			this.jdbc.update("insert into entry values (?)", status);
		}

		@Transactional("transactionManager")
		public void join(String status) {
			this.jdbc.update("insert into entry values (?)", status);
		}

	}

}
