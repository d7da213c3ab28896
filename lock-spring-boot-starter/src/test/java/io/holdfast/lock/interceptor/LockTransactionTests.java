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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.OtherProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Locks and transactions, on a real Redis and a real database. */
class LockTransactionTests {

	@Test
	void ownTransactionCommitsBeforeLockIsReleased() {
		run((world) -> {
			world.stock.book("pen", () -> world.afterCommit(() -> {
				assertThat(world.committedRows()).isEqualTo(1);
				assertThat(world.isLocked("pen")).isTrue();
			}));

			assertThat(world.ran).isTrue();
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void ownTransactionBeginsUnderTheLock() {
		run((world) -> {
			((ConfigurableTransactionManager) world.transactionManager).addListener(new TransactionExecutionListener() {

				@Override
				public void beforeBegin(TransactionExecution transaction) {
					world.ran = true;
					assertThat(world.isLocked("pen")).isTrue();
				}

			});

			world.stock.book("pen", () -> {
			});

			assertThat(world.ran).isTrue();
		});
	}

	@Test
	void ownTransactionDoesNotCommitUnderLostLock() {
		run((world) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> world.stock.book("pen", () -> world.lose("pen")));

			assertThat(world.committedRows()).isZero();
		});
	}

	@Test
	void newTransactionInsideDoesNotCommitUnderLostLock() {
		run((world) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> world.stock.locked("pen", () -> {
				world.lose("pen");
				world.requiresNew().executeWithoutResult((status) -> world.insert("pen"));
			}));

			assertThat(world.committedRows()).isZero();
		});
	}

	@Test
	void lockAcquiredAfterANestedTransactionIsReleasedAfterCommit() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				TransactionTemplate nested = new TransactionTemplate(world.transactionManager);
				nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
				nested.executeWithoutResult((inner) -> world.insert("pen"));

				world.stock.locked("pen", () -> {
				});

				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void lockAcquiredInsideTransactionIsReleasedAfterCommit() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				world.stock.book("pen", () -> {
				});
				assertThat(world.isLocked("pen")).isTrue();
				world.afterCommit(() -> assertThat(world.isLocked("pen")).isTrue());
			});

			assertThat(world.ran).isTrue();
			assertThat(world.committedRows()).isEqualTo(1);
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void lockAcquiredInsideTransactionIsReleasedAfterRollback() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				world.stock.book("pen", () -> {
				});
				status.setRollbackOnly();
				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.committedRows()).isZero();
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void lockOfMethodThatFailedInsideTransactionIsKeptAsTheTransactionMayCommit() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				world.insert("pen");
				assertThatIllegalStateException().isThrownBy(() -> world.stock.locked("pen", () -> {
					throw new IllegalStateException("business");
				}));
				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.committedRows()).isEqualTo(1);
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void transactionDoesNotCommitIfLockAcquiredInsideIsLost() {
		run((world) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> world.transaction().executeWithoutResult((status) -> {
					world.stock.book("pen", () -> {
					});
					world.lose("pen");
				}))
				.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("pen"));

			assertThat(world.committedRows()).isZero();
		});
	}

	@Test
	void repeatedCallsInsideTransactionAreReleasedTogether() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				for (int i = 0; i < 3; i++) {
					world.stock.locked("pen", () -> world.stock.locked("ink", () -> {
					}));
				}
				assertThat(world.isLocked("pen")).isTrue();
				assertThat(world.isLocked("ink")).isTrue();
			});

			assertThat(world.isLocked("pen")).isFalse();
			assertThat(world.isLocked("ink")).isFalse();
		});
	}

	@Test
	void lockAcquiredInsideNewTransactionIsReleasedWithThatOne() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				world.stock.locked("pen", () -> {
				});
				world.requiresNew()
					.executeWithoutResult((inner) -> world.stock.locked("ink", () -> world.stock.locked("pen", () -> {
					})));
				assertThat(world.isLocked("ink")).isFalse();
				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void callAfterCommitIsReleased() {
		run((world) -> {
			world.transaction()
				.executeWithoutResult((status) -> world.afterCommit(() -> world.stock.locked("pen", () -> {
				})));

			assertThat(world.ran).isTrue();
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void callAfterCompletionIsReleased() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				world.stock.locked("pen", () -> {
				});
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int completion) {
						world.stock.locked("ink", () -> world.stock.locked("pen", () -> world.ran = true));
					}

				});
			});

			assertThat(world.ran).isTrue();
			assertThat(world.isLocked("ink")).isFalse();
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void lockIsHeldWhileSynchronizationsThatCameLaterRunAfterCommit() {
		run((world) -> {
			List<Boolean> locked = new ArrayList<>();
			world.transaction().executeWithoutResult((status) -> {
				world.stock.locked("pen", () -> {
				});
				world.afterCompletion(() -> locked.add(world.isLocked("pen")));
				world.afterCommit(() -> world.afterCompletion(() -> locked.add(world.isLocked("pen"))));
			});

			assertThat(locked).containsExactly(true, true);
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void failAllowsCallAfterCommit() {
		run((world) -> {
			world.transaction()
				.executeWithoutResult((status) -> world.afterCommit(() -> world.stock.locked("pen", () -> {
				})));

			assertThat(world.ran).isTrue();
			assertThat(world.isLocked("pen")).isFalse();
		}, "holdfast.lock.transaction.active=fail");
	}

	@Test
	void lockAcquiredAfterCommitIsReleasedAtReturn() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> world.afterCommit(() -> {
				world.stock.locked("pen", () -> {
				});
				assertThat(world.isLocked("pen")).isFalse();
			}));

			assertThat(world.ran).isTrue();
		});
	}

	@Test
	void callInsideSuspendedTransactionIsReleasedAtReturn() {
		run((world) -> {
			TransactionTemplate without = new TransactionTemplate(world.transactionManager);
			without.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
			world.transaction().executeWithoutResult((outer) -> without.executeWithoutResult((inner) -> {
				world.stock.locked("pen", () -> {
				});
				assertThat(world.isLocked("pen")).isFalse();
			}));
		});
	}

	@Test
	void warnSaysSoAndReleasesAfterCommit() {
		run((world) -> {
			try (LogCapture log = LogCapture.of("io.holdfast.lock", Level.WARN)) {
				world.transaction().executeWithoutResult((status) -> {
					world.stock.locked("pen", () -> {
					});
					assertThat(world.isLocked("pen")).isTrue();
					world.afterCommit(() -> assertThat(world.isLocked("pen")).isTrue());
				});

				assertThat(world.ran).isTrue();
				assertThat(world.isLocked("pen")).isFalse();
				assertThat(log.lines()).containsExactly("WARN Lock 'pen' of " + Stock.class.getName()
						+ ".locked(String, Runnable) is acquired "
						+ "inside a transaction, and released when that has completed. What the transaction has read "
						+ "before may be stale. Call the method before the transaction begins.");
			}
		}, "holdfast.lock.transaction.active=warn");
	}

	@Test
	void warnReleasesAfterRollbackAndRefusesCommitUnderLostLock() {
		run((world) -> {
			world.transaction().executeWithoutResult((status) -> {
				world.stock.locked("pen", () -> {
				});
				status.setRollbackOnly();
				assertThat(world.isLocked("pen")).isTrue();
			});
			assertThat(world.isLocked("pen")).isFalse();

			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> world.transaction().executeWithoutResult((status) -> {
					world.stock.book("pen", () -> {
					});
					world.lose("pen");
				}));
			assertThat(world.committedRows()).isZero();
		}, "holdfast.lock.transaction.active=Warn");
	}

	@Test
	void failDoesNotRunMethodInsideTransaction() {
		run((world) -> world.transaction()
			.executeWithoutResult(
					(status) -> assertThatIllegalStateException().isThrownBy(() -> world.stock.locked("pen", () -> {
						throw new AssertionError("The method must not run");
					}))
						.withMessage("Lock 'pen' of " + Stock.class.getName()
								+ ".locked(String, Runnable) must not be acquired "
								+ "inside a transaction (holdfast.lock.transaction.active is fail). "
								+ "Call the method before the transaction begins.")),
				"holdfast.lock.transaction.active=fail");
	}

	@Test
	void failAllowsCallUnderLockThatWasAcquiredBeforeTheTransaction() {
		run((world) -> world.stock.book("pen", () -> world.stock.locked("pen", () -> world.ran = true)),
				"holdfast.lock.transaction.active=fail");
	}

	@Test
	void orderInsideOfTransactionReleasesAfterCommitAllTheSame() {
		run(runner().withUserConfiguration(TransactionsOutside.class), (world) -> {
			world.stock.bookInside("pen", () -> world.afterCommit(() -> assertThat(world.isLocked("pen")).isTrue()));

			assertThat(world.ran).isTrue();
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	private static void run(Consumer<World> test, String... properties) {
		run(runner().withPropertyValues(properties), test);
	}

	private static ApplicationContextRunner runner() {
		return LockRunner.create()
			.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
			.withBean(Stock.class)
			.withPropertyValues("spring.datasource.generate-unique-name=true");
	}

	private static void run(ApplicationContextRunner runner, Consumer<World> test) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				test.accept(new World(context, other));
			}
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionsOutside {

	}

	/** What one test has to do with. */
	private static final class World {

		private final Stock stock;

		private final LockClient client;

		private final OtherProcess other;

		private final PlatformTransactionManager transactionManager;

		private final JdbcTemplate jdbc;

		private final JdbcTemplate otherConnection;

		private boolean ran;

		World(ApplicationContext context, OtherProcess other) throws Exception {
			this.stock = context.getBean(Stock.class);
			this.client = context.getBean(LockClient.class);
			this.other = other;
			this.transactionManager = context.getBean(PlatformTransactionManager.class);
			this.jdbc = context.getBean(JdbcTemplate.class);
			this.otherConnection = new JdbcTemplate(
					new SingleConnectionDataSource(context.getBean(DataSource.class).getConnection(), true));
			this.jdbc.execute("create table booking (article varchar(20))");
		}

		void insert(String article) {
			this.jdbc.update("insert into booking values (?)", article);
		}

		int committedRows() {
			return this.otherConnection.queryForObject("select count(*) from booking", Integer.class);
		}

		boolean isLocked(String name) {
			return this.other.sees(name);
		}

		/**
		 * Lets this thread lose its lock, and waits until it knows.
		 */
		void lose(String name) {
			this.other.takeByForce(name);
			LeaseLock lock = this.client.getLock(name);
			Awaitility.await()
				.pollInSameThread()
				.atMost(Duration.ofSeconds(20))
				.until(() -> !lock.isHeldByCurrentThread());
		}

		TransactionTemplate transaction() {
			return new TransactionTemplate(this.transactionManager);
		}

		TransactionTemplate requiresNew() {
			TransactionTemplate template = transaction();
			template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			return template;
		}

		void afterCompletion(Runnable check) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					check.run();
				}

			});
		}

		void afterCommit(Runnable check) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					World.this.ran = true;
					check.run();
				}

			});
		}

	}

	public static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@DistributedLock(key = "#article", waitTime = 0)
		@Transactional
		public void book(String article, Runnable then) {
			this.jdbc.update("insert into booking values (?)", article);
			then.run();
		}

		/** Locked only if the transaction is active already. */
		@DistributedLock(key = "#article", waitTime = 0,
				condition = "T(org.springframework.transaction.support.TransactionSynchronizationManager)"
						+ ".isActualTransactionActive()")
		@Transactional
		public void bookInside(String article, Runnable then) {
			book(article, then);
		}

		@DistributedLock(key = "#article", waitTime = 0)
		public void locked(String article, Runnable work) {
			work.run();
		}

	}

}
