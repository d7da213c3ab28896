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
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random schedules: some owners, on two masters or one, each add to one or two accounts
 * some times and pause here and there, for longer than their lease at times, while Redis
 * forgets its locks at times. An update is lost if an account has less than was
 * committed. {@code -Dfence.schedules} says how many schedules there are, and
 * {@code -Dfence.seed} chooses others.
 */
class FenceScheduleTests {

	private static final int SCHEDULES = Integer.getInteger("fence.schedules", 150);

	private static final int AT_ONCE = 10;

	@ParameterizedTest
	@EnumSource
	void noUpdateIsLost(TestDatabase database) throws Exception {
		Outcome outcome = run(database, SCHEDULES);

		assertThat(outcome.lost).hasValue(0);
		assertThat(outcome.committed).hasPositiveValue();
		assertThat(outcome.superseded).hasPositiveValue();
	}

	/** That the test above would see it. */
	@ParameterizedTest
	@EnumSource
	void updatesAreLostWithoutTheFence(TestDatabase database) throws Exception {
		Outcome outcome = run(database, Math.min(SCHEDULES, 50), "holdfast.lock.fence.enabled=false");

		assertThat(outcome.lost).hasPositiveValue();
	}

	private static Outcome run(TestDatabase database, int schedules, String... properties) throws Exception {
		Outcome outcome = new Outcome();
		long seed = Long.getLong("fence.seed", 1);
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			FenceScene.run(
					FenceScene.application(database, properties).withPropertyValues("logging.level.io.holdfast=off"),
					(scene) -> {
						List<Future<?>> all = new ArrayList<>();
						ExecutorService runners = Executors.newFixedThreadPool(AT_ONCE);
						for (int i = 0; i < schedules; i++) {
							Random random = new Random(seed + i);
							all.add(runners.submit(() -> new Schedule(scene, outcome, random).run(threads)));
						}
						runners.shutdown();
						all.forEach(FenceScheduleTests::await);
					});
		}
		finally {
			threads.shutdown();
		}
		System.out.println(
				database + " " + List.of(properties) + " seed " + seed + ": " + schedules + " schedules, " + outcome);
		return outcome;
	}

	private static void await(Future<?> future) {
		try {
			future.get(10, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Outcome {

		final AtomicInteger lost = new AtomicInteger();

		final AtomicInteger committed = new AtomicInteger();

		final AtomicInteger superseded = new AtomicInteger();

		final Map<String, Integer> others = new ConcurrentHashMap<>();

		@Override
		public String toString() {
			return this.lost + " with lost updates, " + this.committed + " updates committed, " + this.superseded
					+ " calls superseded, others " + this.others;
		}

	}

	private static final class Schedule {

		private final FenceScene scene;

		private final Outcome outcome;

		private final Random random;

		private final List<String> accounts;

		private final Map<String, AtomicInteger> committed = new ConcurrentHashMap<>();

		private final boolean twoMasters;

		Schedule(FenceScene scene, Outcome outcome, Random random) {
			this.scene = scene;
			this.outcome = outcome;
			this.random = random;
			this.twoMasters = random.nextInt(3) > 0;
			this.accounts = List.of(scene.account(), scene.account());
			this.accounts.forEach((account) -> this.committed.put(account, new AtomicInteger()));
		}

		void run(ExecutorService threads) {
			List<Future<?>> owners = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				Random own = new Random(this.random.nextLong());
				owners.add(threads.submit(() -> {
					call(own);
					call(own);
				}));
			}
			if (this.random.nextInt(10) < 3) {
				pause(this.random, 10);
				(this.random.nextBoolean() ? RedisProcess.shared() : FenceScene.OTHER_MASTER).command("FLUSHALL");
			}
			owners.forEach(FenceScheduleTests::await);
			boolean lost = this.accounts.stream()
				.anyMatch((account) -> this.scene.balance(account) != this.committed.get(account).get());
			this.outcome.lost.addAndGet(lost ? 1 : 0);
			this.committed.values().forEach((each) -> this.outcome.committed.addAndGet(each.get()));
		}

		private void call(Random random) {
			FenceScene.Locks locks = this.scene.locks;
			String account = this.accounts.get(random.nextInt(2));
			String other = this.accounts.get(1 - this.accounts.indexOf(account));
			boolean onOther = this.twoMasters && random.nextBoolean();
			try {
				switch (random.nextInt(7)) {
					case 0 -> under(account, onOther, () -> this.scene.inTransaction(() -> add(account, random)));
					case 1 -> locks.briefly(account, () -> this.scene.inTransaction(() -> add(account, random)));
					case 2 -> under(account, onOther, () -> {
						int balance = this.scene.balance(account);
						pause(random, 3);
						this.scene.inTransaction(() -> write(account, balance, random));
					});
					case 3 -> this.scene.readCommitted()
						.executeWithoutResult((status) -> under(account, onOther, () -> add(account, random)));
					case 4 -> under(account, onOther, () -> this.scene.inTransaction(() -> {
						pause(random, 3);
						this.scene.transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
							.executeWithoutResult((status) -> add(account, random));
					}));
					case 5 -> {
						Runnable work = () -> this.scene.inTransaction(() -> {
							add(account, random);
							add(other, random);
						});
						if (onOther) {
							locks.bothOnOtherMaster(account, other, work);
						}
						else {
							locks.both(account, other, work);
						}
					}
					default -> under(account, onOther,
							() -> this.scene.inTransaction(() -> under(account, onOther, () -> add(account, random))));
				}
			}
			catch (SupersededException ex) {
				this.outcome.superseded.incrementAndGet();
			}
			catch (RuntimeException ex) {
				this.outcome.others.merge(ex.getClass().getSimpleName(), 1, Integer::sum);
			}
		}

		private void under(String account, boolean onOther, Runnable work) {
			if (onOther) {
				this.scene.locks.onOtherMaster(account, work);
			}
			else {
				this.scene.locks.locked(account, work);
			}
		}

		private void add(String account, Random random) {
			int balance = this.scene.balance(account);
			pause(random, 3);
			write(account, balance, random);
		}

		private void write(String account, int balance, Random random) {
			this.scene.jdbc.update("update account set balance = ? where id = ?", balance + 1, account);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Schedule.this.committed.get(account).incrementAndGet();
				}

			});
			pause(random, 3);
		}

		/** Now and then for longer than the lease of those who have one of 20 ms. */
		private static void pause(Random random, int millis) {
			int longest = (random.nextInt(20) == 0) ? 10 * millis : millis;
			LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(1 + 1000 * longest)));
		}

	}

}
