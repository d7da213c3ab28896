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

package io.holdfast.lock.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Which transactions a database refuses when two owners believe in one lock.
 */
class DatabaseFenceTests {

	/** A later owner on another master comes, does its work and goes. */
	private static void overtake(FenceScene scene, String name) {
		onOtherThread(() -> scene.locks.onOtherMaster(name, () -> scene.inTransaction(() -> scene.add(name, () -> {
		}))));
	}

	private static void onOtherThread(TestThreads.Action work) {
		try (TestThreads threads = new TestThreads()) {
			threads.run(work).result();
		}
	}

	private static void assertSuperseded(Runnable call) {
		assertThatExceptionOfType(SupersededException.class).isThrownBy(call::run);
	}

	@ParameterizedTest
	@EnumSource
	void ownerThatWasOvertakenInItsTransactionIsRolledBack(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			AtomicReference<Long> token = new AtomicReference<>();

			assertThatExceptionOfType(SupersededException.class)
				.isThrownBy(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> {
					token.set(Leases.current().token());
					scene.add(name, () -> overtake(scene, name));
				})))
				.satisfies((ex) -> {
					String other = scene.context.getBean("otherMaster", LockClient.class).id();
					assertThat(ex.lockName()).isEqualTo("account:" + name);
					assertThat(ex.loss().token()).isEqualTo(token.get());
					assertThat(ex.newerToken()).isGreaterThan(token.get());
					assertThat(ex.newerHolder()).isEqualTo(other);
					assertThat(ex).hasMessageContainingAll("Lock 'account:" + name + "'", "token " + token.get(),
							"token " + ex.newerToken() + " of " + other, "may be done again");
				});

			assertThat(scene.balance(name)).isOne();
			scene.locks.locked(name, () -> scene.inTransaction(() -> scene.add(name, () -> {
			})));
			assertThat(scene.balance(name)).isEqualTo(2);
		});
	}

	/** That the test above would see it. */
	@ParameterizedTest
	@EnumSource
	void withoutTheFenceItsUpdateIsLost(TestDatabase database) {
		FenceScene.run(FenceScene.application(database).withPropertyValues("holdfast.lock.fence.enabled=false"),
				(scene) -> {
					String name = scene.account();

					scene.locks.locked(name,
							() -> scene.inTransaction(() -> scene.add(name, () -> overtake(scene, name))));

					assertThat(scene.balance(name)).isOne();
				});
	}

	@ParameterizedTest
	@EnumSource
	void transactionThatIsRetriedUnderALockThatWasOvertakenStaysRefused(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			scene.locks.locked(name, () -> {
				assertSuperseded(() -> scene.inTransaction(() -> scene.add(name, () -> overtake(scene, name))));
				assertSuperseded(() -> scene.inTransaction(() -> scene.add(name, () -> {
				})));
			});

			assertThat(scene.balance(name)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void transactionThatFailedAndIsRetriedUnderItsLockCommits(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			scene.locks.locked(name, () -> {
				assertThatIllegalStateException().isThrownBy(() -> scene.inTransaction(() -> scene.add(name, () -> {
					throw new IllegalStateException("try again");
				})));
				scene.inTransaction(() -> scene.add(name, () -> {
				}));
			});

			assertThat(scene.balance(name)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void ownerWhoseLockRedisForgotIsRolledBack(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			assertSuperseded(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> scene.add(name, () -> {
				RedisProcess.shared().command("FLUSHALL");
				onOtherThread(
						() -> scene.locks.onOtherClient(name, () -> scene.inTransaction(() -> scene.add(name, () -> {
						}))));
			}))));

			assertThat(scene.balance(name)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void laterOwnerWaitsForACommitThatHasBegunAndSeesWhatItWrote(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			AtomicInteger seen = new AtomicInteger();
			CountDownLatch over = new CountDownLatch(1);
			try (TestThreads threads = new TestThreads()) {
				List<TestThreads.Running<Void>> later = new ArrayList<>();
				scene.context.getBean(ConfigurableTransactionManager.class)
					.addListener(new TransactionExecutionListener() {

						@Override
						public void beforeCommit(TransactionExecution transaction) {
							later.add(threads.run(() -> {
								scene.locks.onOtherMaster(name, () -> seen.set(scene.balance(name)));
								over.countDown();
							}));
							// Long enough for one that does not wait
							try {
								boolean ignored = over.await(1, TimeUnit.SECONDS);
							}
							catch (InterruptedException ex) {
								throw new IllegalStateException(ex);
							}
						}

					});
				scene.locks.locked(name, () -> scene.inTransaction(() -> scene.add(name, () -> {
				})));
				later.get(0).result();
			}

			assertThat(seen).hasValue(1);
		});
	}

	@ParameterizedTest
	@EnumSource
	void whatWasReadBeforeTheTransactionIsCoveredAsWell(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			assertSuperseded(() -> scene.locks.locked(name, () -> {
				int balance = scene.balance(name);
				overtake(scene, name);
				scene.inTransaction(
						() -> scene.jdbc.update("update account set balance = ? where id = ?", balance + 1, name));
			}));

			assertThat(scene.balance(name)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void ownerThatComesTooLateDoesNotBegin(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			AtomicBoolean ran = new AtomicBoolean();
			scene.locks.locked(name, () -> {
			});
			scene.jdbc.update("update holdfast_fence set token = token + 1000000000, holder = 'shop@a/1'");

			assertThatExceptionOfType(SupersededException.class)
				.isThrownBy(() -> scene.locks.locked(name, () -> ran.set(true)))
				.withMessageContaining("of shop@a/1. The method was not run");

			assertThat(ran).isFalse();
			assertThat(scene.context.getBean(RedisLockClient.class).getLock("account:" + name).isLocked()).isFalse();
		});
	}

	@ParameterizedTest
	@EnumSource
	void equalTokenOfAnotherHolderIsRefused(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			assertSuperseded(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> scene.add(name,
					() -> onOtherThread(() -> scene.jdbc.update("update holdfast_fence set holder = 'shop@a/1'"))))));

			assertThat(scene.balance(name)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void ownTransactionsOfAllKindsCommit(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			String inner = scene.account();
			TransactionTemplate requiresNew = scene.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			TransactionTemplate nested = scene.transaction(TransactionDefinition.PROPAGATION_NESTED);

			scene.locks.locked(name, () -> {
				scene.inTransaction(() -> {
					scene.add(name, () -> {
					});
					requiresNew.executeWithoutResult((status) -> scene.add(inner, () -> {
					}));
					nested.executeWithoutResult((status) -> scene.add(name, () -> {
					}));
					scene.locks.locked(name, () -> scene.add(name, () -> {
					}));
				});
				scene.inTransaction(() -> scene.add(name, () -> {
				}));
			});

			assertThat(scene.balance(name)).isEqualTo(4);
			assertThat(scene.balance(inner)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void innerAndOuterTransactionOfAnOwnerThatWasOvertakenAreRolledBack(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			String inner = scene.account();
			TransactionTemplate requiresNew = scene.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

			assertSuperseded(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> {
				scene.add(name, () -> overtake(scene, name));
				assertSuperseded(() -> requiresNew.executeWithoutResult((status) -> scene.add(inner, () -> {
				})));
			})));

			assertThat(scene.balance(name)).isOne();
			assertThat(scene.balance(inner)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void transactionThatKeepsTheLockOfAMethodIsRolledBack(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			assertSuperseded(() -> scene.readCommitted().executeWithoutResult((status) -> {
				scene.locks.locked(name, () -> scene.add(name, () -> {
				}));
				overtakeElsewhere(scene, name);
			}));
			assertThat(scene.balance(name)).isZero();

			scene.readCommitted()
				.executeWithoutResult((status) -> scene.locks.locked(name, () -> scene.add(name, () -> {
				})));
			assertThat(scene.balance(name)).isOne();
		});
	}

	/** The row that the first one has written is locked. */
	private static void overtakeElsewhere(FenceScene scene, String name) {
		onOtherThread(() -> scene.locks.onOtherMaster(name, () -> {
		}));
	}

	@ParameterizedTest
	@EnumSource
	void innerTransactionStaysRefusedToOthersIfTheOuterOneRollsBack(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			TransactionTemplate requiresNew = scene.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

			assertSuperseded(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> scene.add(name,
					() -> onOtherThread(() -> scene.readCommitted().executeWithoutResult((status) -> {
						scene.locks.onOtherMaster(name,
								() -> requiresNew.executeWithoutResult((inner) -> scene.add(name, () -> {
								})));
						status.setRollbackOnly();
					}))))));

			assertThat(scene.balance(name)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void lockInsideOfASnapshotIsRefusedUnlessItIsHeldAlready(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			TransactionTemplate snapshot = scene.transaction();
			snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

			assertThatIllegalStateException().isThrownBy(() -> snapshot
				.executeWithoutResult((status) -> scene.locks.locked(name, () -> scene.add(name, () -> {
				})))).withMessageContaining("Call the method before the transaction begins");
			scene.locks.locked(name, () -> snapshot
				.executeWithoutResult((status) -> scene.locks.locked(name, () -> scene.add(name, () -> {
				}))));

			assertThat(scene.balance(name)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void ownerThatWasOvertakenInASnapshotIsRolledBack(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			String other = scene.account();
			TransactionTemplate snapshot = scene.transaction();
			snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

			// PostgreSQL itself refuses the look then, as the row is newer than the
			// snapshot
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> scene.locks.locked(name, () -> snapshot.executeWithoutResult((status) -> {
					scene.balance(name);
					overtake(scene, name);
					scene.add(other, () -> {
					});
				})));

			assertThat(scene.balance(other)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void readOnlyAndUnguardedTransactionsOfAnOwnerThatWasOvertakenEnd(TestDatabase database) {
		FenceScene.run(FenceScene.application(database, "holdfast.lock.transaction.unguarded=record"), (scene) -> {
			String name = scene.account();
			String record = scene.account();
			TransactionTemplate readOnly = scene.transaction();
			readOnly.setReadOnly(true);
			TransactionTemplate unguarded = scene.transaction();
			unguarded.setName("record");

			scene.locks.locked(name, () -> {
				overtake(scene, name);
				assertThat(readOnly.<Integer>execute((status) -> scene.balance(name))).isOne();
				unguarded.executeWithoutResult((status) -> scene.add(record, () -> {
				}));
			});

			assertThat(scene.balance(record)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void ownerOfTwoLocksIsRolledBackIfEitherWasOvertaken(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String first = scene.account();
			String second = scene.account();

			for (String name : new String[] { first, second }) {
				int before = scene.balance(name);
				assertSuperseded(() -> scene.locks.both(first, second,
						() -> scene.inTransaction(() -> scene.add(name, () -> overtake(scene, name)))));
				assertSuperseded(() -> scene.locks.locked(second, () -> scene.locks.locked(first,
						() -> scene.inTransaction(() -> scene.add(name, () -> overtake(scene, name))))));
				assertThat(scene.balance(name)).isEqualTo(before + 2);
			}
			scene.locks.both(second, first, () -> scene.inTransaction(() -> scene.add(first, () -> {
			})));
			assertThat(scene.balance(first)).isEqualTo(3);
		});
	}

	@ParameterizedTest
	@EnumSource
	void readersCommitBesideEachOtherAndNotAfterAWriter(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String first = scene.account();
			String second = scene.account();
			String lock = "readers";

			scene.locks.read(lock, () -> scene.inTransaction(() -> {
				onOtherThread(() -> scene.locks.readOnOtherClient(lock,
						() -> scene.inTransaction(() -> scene.add(second, () -> {
						}))));
				scene.add(first, () -> {
				});
			}));
			assertThat(scene.balance(first)).isOne();
			assertThat(scene.balance(second)).isOne();

			assertSuperseded(() -> scene.locks.read(lock, () -> scene.inTransaction(() -> {
				overtakeElsewhere(scene, lock);
				scene.add(first, () -> {
				});
			})));
			scene.locks.locked(lock,
					() -> scene.locks.read(lock, () -> scene.inTransaction(() -> scene.add(first, () -> {
					}))));
			assertThat(scene.balance(first)).isEqualTo(2);
		});
	}

	@ParameterizedTest
	@EnumSource
	void readerThatJoinsDoesNotSpoilTheSnapshotOfAnother(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			String lock = "readers";
			TransactionTemplate snapshot = scene.transaction();
			snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);

			scene.locks.read(lock, () -> snapshot.executeWithoutResult(
					(status) -> scene.add(name, () -> onOtherThread(() -> scene.locks.readOnOtherClient(lock, () -> {
					})))));

			assertThat(scene.balance(name)).isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void transactionThatHasTimedOutIsRolledBack(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			assertThatIllegalStateException()
				.isThrownBy(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> {
					scene.add(name, () -> {
					});
					timeOut(scene);
				})))
				.withMessageStartingWith("The transaction rolls back: ")
				.withCauseInstanceOf(TransactionTimedOutException.class);

			assertThat(scene.balance(name)).isZero();
		});
	}

	private static void timeOut(FenceScene scene) {
		Object transaction = TransactionSynchronizationManager.getResource(scene.context.getBean(DataSource.class));
		assertThat(transaction).isInstanceOfSatisfying(ConnectionHolder.class,
				(holder) -> holder.setTimeoutInMillis(0));
	}

	@ParameterizedTest
	@EnumSource
	void permitsExcludeNobodyAndAreNotFenced(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			scene.locks.limited(name, () -> scene
				.inTransaction(() -> scene.add(name, () -> onOtherThread(() -> scene.locks.limited(name, () -> {
				})))));

			assertThat(scene.balance(name)).isOne();
			assertThat(scene.jdbc.queryForObject("select count(*) from holdfast_fence", Integer.class)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void commitWhoseRowIsGoneOrWasResetIsRefused(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();

			for (String loss : new String[] { "delete from holdfast_fence", "update holdfast_fence set token = 1" }) {
				assertThatIllegalStateException()
					.isThrownBy(() -> scene.locks.locked(name,
							() -> scene.inTransaction(
									() -> scene.add(name, () -> onOtherThread(() -> scene.jdbc.execute(loss))))))
					.withMessageContaining("It rolls back, and may be done again");
			}

			assertThat(scene.balance(name)).isZero();
		});
	}

	@ParameterizedTest
	@EnumSource
	void longNameAndOneThatDiffersInItsCaseOrSpacesHaveRowsOfTheirOwn(TestDatabase database) {
		FenceScene.run(database, (scene) -> {
			String name = scene.account();
			String longName = "ä".repeat(480);

			scene.locks.locked(longName + "a", () -> scene.locks.locked("A" + name, () -> scene.inTransaction(() -> {
				onOtherThread(() -> scene.locks.onOtherMaster(longName + "b", () -> {
				}));
				onOtherThread(() -> scene.locks.onOtherMaster("a" + name, () -> {
				}));
				onOtherThread(() -> scene.locks.onOtherMaster("A" + name + " ", () -> {
				}));
				scene.add(name, () -> {
				});
			})));

			assertThat(scene.balance(name)).isOne();
			assertThat(scene.jdbc.queryForList("select name from holdfast_fence", String.class)).hasSize(5)
				.contains(LockRunner.keyPrefix(scene.context) + "account:A" + name);
		});
	}

}
