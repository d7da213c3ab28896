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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Locks and transactions, on a real Redis and a real database. */
class LockTransactionTests {

	@Test
	void ownTransactionCommitsBeforeLockIsReleased() {
		run((stock, world) -> {
			stock.book("pen", () -> world.afterCommit(() -> {
				assertThat(world.rows()).hasSize(1);
				assertThat(world.isLocked("pen")).isTrue();
			}));

			assertThat(world.ran).isTrue();
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void ownTransactionBeginsUnderTheLock() {
		run((stock, world) -> {
			((ConfigurableTransactionManager) world.transactionManager).addListener(new TransactionExecutionListener() {

				@Override
				public void beforeBegin(TransactionExecution transaction) {
					world.ran = true;
					assertThat(world.isLocked("pen")).isTrue();
				}

			});

			stock.book("pen", () -> {
			});

			assertThat(world.ran).isTrue();
		});
	}

	@Test
	void lockAcquiredAfterANestedTransactionIsReleasedAfterCommit() {
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> {
				world.transaction(TransactionDefinition.PROPAGATION_NESTED)
					.executeWithoutResult((inner) -> world.write("pen"));

				stock.locked("pen", () -> {
				});

				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void lockAcquiredInsideTransactionIsReleasedAfterCommit() {
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> {
				stock.book("pen", () -> {
				});
				assertThat(world.isLocked("pen")).isTrue();
				world.afterCommit(() -> assertThat(world.isLocked("pen")).isTrue());
			});

			assertThat(world.ran).isTrue();
			assertThat(world.rows()).hasSize(1);
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "release-after-completion", "Warn" })
	void lockAcquiredInsideTransactionIsReleasedAfterRollback(String active) {
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> {
				stock.book("pen", () -> {
				});
				status.setRollbackOnly();
				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.rows()).isEmpty();
			assertThat(world.isLocked("pen")).isFalse();
		}, "holdfast.lock.transaction.active=" + active);
	}

	@Test
	void lockOfMethodThatFailedInsideTransactionIsKeptAsTheTransactionMayCommit() {
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> {
				world.write("pen");
				assertThatIllegalStateException().isThrownBy(() -> stock.locked("pen", () -> {
					throw new IllegalStateException("business");
				}));
				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.rows()).hasSize(1);
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "release-after-completion", "Warn" })
	void transactionDoesNotCommitIfLockAcquiredInsideIsLost(String active) {
		run((stock, world) -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> world.transaction("outer").executeWithoutResult((status) -> {
					stock.book("pen", () -> {
					});
					world.lose("pen");
				}))
				.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("pen"));

			assertThat(world.rows()).isEmpty();
		}, "holdfast.lock.transaction.active=" + active);
	}

	@Test
	void repeatedCallsInsideTransactionAreReleasedTogether() {
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> {
				for (int i = 0; i < 3; i++) {
					stock.locked("pen", () -> stock.locked("ink", () -> {
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
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> {
				stock.locked("pen", () -> {
				});
				world.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
					.executeWithoutResult((inner) -> stock.locked("ink", () -> stock.locked("pen", () -> {
					})));
				assertThat(world.isLocked("ink")).isFalse();
				assertThat(world.isLocked("pen")).isTrue();
			});

			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void callAfterCompletionIsReleased() {
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> {
				stock.locked("pen", () -> {
				});
				world.afterCompletion(() -> stock.locked("ink", () -> stock.locked("pen", () -> world.ran = true)));
			});

			assertThat(world.ran).isTrue();
			assertThat(world.isLocked("ink")).isFalse();
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@Test
	void lockIsHeldWhileSynchronizationsThatCameLaterRunAfterCommit() {
		run((stock, world) -> {
			List<Boolean> locked = new ArrayList<>();
			world.transaction("outer").executeWithoutResult((status) -> {
				stock.locked("pen", () -> {
				});
				world.afterCompletion(() -> locked.add(world.isLocked("pen")));
				world.afterCommit(() -> world.afterCompletion(() -> locked.add(world.isLocked("pen"))));
			});

			assertThat(locked).containsExactly(true, true);
			assertThat(world.isLocked("pen")).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "release-after-completion", "fail" })
	void lockAcquiredAfterCommitIsReleasedAtReturn(String active) {
		run((stock, world) -> {
			world.transaction("outer").executeWithoutResult((status) -> world.afterCommit(() -> {
				stock.locked("pen", () -> {
				});
				assertThat(world.isLocked("pen")).isFalse();
			}));

			assertThat(world.ran).isTrue();
		}, "holdfast.lock.transaction.active=" + active);
	}

	@Test
	void callInsideSuspendedTransactionIsReleasedAtReturn() {
		run((stock, world) -> {
			TransactionTemplate without = world.transaction(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
			world.transaction("outer").executeWithoutResult((outer) -> without.executeWithoutResult((inner) -> {
				stock.locked("pen", () -> {
				});
				assertThat(world.isLocked("pen")).isFalse();
			}));
		});
	}

	@Test
	void warnSaysSoAndReleasesAfterCommit() {
		run((stock, world) -> {
			try (LogCapture log = LogCapture.of("io.holdfast.lock.interceptor", Level.WARN)) {
				world.transaction("outer").executeWithoutResult((status) -> {
					stock.locked("pen", () -> {
					});
					assertThat(world.isLocked("pen")).isTrue();
					world.afterCommit(() -> assertThat(world.isLocked("pen")).isTrue());
				});

				assertThat(world.ran).isTrue();
				assertThat(world.isLocked("pen")).isFalse();
				assertThat(log.lines()).containsExactly(
						"WARN Lock 'pen' of " + Stock.class.getName() + ".locked(String, Runnable) is asked for "
								+ "inside a transaction. What that has read before may be stale. "
								+ "Call the method before the transaction begins");
			}
		}, "holdfast.lock.transaction.active=warn");
	}

	@Test
	void failDoesNotRunMethodInsideTransaction() {
		run((stock, world) -> world.transaction("outer")
			.executeWithoutResult(
					(status) -> assertThatIllegalStateException().isThrownBy(() -> stock.locked("pen", () -> {
						throw new AssertionError("The method must not run");
					}))
						.withMessage("Lock 'pen' of " + Stock.class.getName()
								+ ".locked(String, Runnable) is asked for inside a transaction. "
								+ "What that has read before may be stale. Call the method before the transaction "
								+ "begins (holdfast.lock.transaction.active is fail)")),
				"holdfast.lock.transaction.active=fail");
	}

	@Test
	void failDoesNotRunMethodThatReturnsAStageInsideTransaction() {
		run((stock, world) -> world.transaction("outer")
			.executeWithoutResult((status) -> assertThat(stock.later("pen")).failsWithin(TestThreads.LONG)
				.withThrowableThat()
				.withMessageContaining("is asked for inside a transaction")), "holdfast.lock.transaction.active=fail");
	}

	@Test
	void failAllowsCallUnderLockThatWasAcquiredBeforeTheTransaction() {
		run((stock, world) -> stock.book("pen", () -> stock.locked("pen", () -> world.ran = true)),
				"holdfast.lock.transaction.active=fail");
	}

	@Test
	void lockAcquiredWhileTheTransactionIsFlushedIsKeptUntilItHasCommitted() {
		TransactionScene.run(TransactionScene.application().withBean("transactionManager", FlushingManager.class),
				Stock.class, (stock, world) -> {
					FlushingManager manager = (FlushingManager) world.transactionManager;
					manager.flush = () -> {
						stock.locked("pen", () -> {
						});
						world.ran = world.isLocked("pen");
					};
					world.transaction("outer").executeWithoutResult((status) -> {
					});

					assertThat(world.ran).isTrue();
					assertThat(world.isLocked("pen")).isFalse();
				});
	}

	@Test
	void orderInsideOfTransactionReleasesAfterCommitAllTheSame() {
		TransactionScene.run(TransactionScene.application().withUserConfiguration(TransactionsOutside.class),
				Stock.class, (stock, world) -> {
					stock.bookInside("pen", () -> world.afterCommit(() -> assertThat(world.isLocked("pen")).isTrue()));

					assertThat(world.ran).isTrue();
					assertThat(world.isLocked("pen")).isFalse();
				});
	}

	private static void run(BiConsumer<Stock, TransactionScene> test, String... properties) {
		TransactionScene.run(TransactionScene.application(properties), Stock.class, test);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0)
	static class TransactionsOutside {

	}

	static class FlushingManager extends JdbcTransactionManager {

		private Runnable flush = () -> {
		};

		FlushingManager(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.flush.run();
			super.doCommit(status);
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
			this.jdbc.update("insert into entry values (?)", article);
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

		@DistributedLock(key = "#article", waitTime = 0)
		public CompletableFuture<String> later(String article) {
			return CompletableFuture.completedFuture(article);
		}

	}

}
