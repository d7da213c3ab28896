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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Reactive transactions and the locks of subscriptions. */
class ReactiveTransactionTests {

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final Transactions transactions = new Transactions(this.events);

	@Test
	void lockIsReleasedAfterTheCommit() {
		run((shop, other) -> {
			String result = shop.pay(() -> Mono.fromSupplier(() -> event("work", other)))
				.map((value) -> event("result", other))
				.block();

			assertThat(result).isEqualTo("result");
			assertThat(this.events).containsExactly("begin", "work, held: true", "commit, held: true",
					"result, held: false");
		});
	}

	@Test
	void lossRollsBack() {
		run((shop, other) -> {
			Mono<String> pay = shop.pay(() -> Mono.<String>never().doOnSubscribe((unused) -> event("work", other)));
			pay.subscribe((value) -> event("result", other), (ex) -> this.events.add(ex.getClass().getSimpleName()));
			Awaitility.await().until(() -> this.events.contains("work, held: true"));

			other.takeByForce("order");

			Awaitility.await()
				.untilAsserted(() -> assertThat(this.events).contains("rollback")
					.contains(LockLostException.class.getSimpleName()));
			assertThat(this.events).noneMatch((event) -> event.startsWith("commit"));
		});
	}

	@Test
	void lockInsideOfATransactionIsRefusedUnlessItIsHeldAlready() {
		run((shop, other) -> {
			TransactionalOperator transaction = TransactionalOperator.create(this.transactions);

			assertThatIllegalStateException()
				.isThrownBy(() -> shop.plain(() -> Mono.just("paid")).as(transaction::transactional).block())
				.withMessageContaining("must not be acquired inside a reactive transaction");
			assertThat(shop.pay(() -> shop.plain(() -> Mono.just("paid"))).block()).isEqualTo("paid");
			assertThat(this.events).containsExactly("begin", "rollback", "begin", "commit, held: true");
		});
	}

	@Test
	void failureOfTheCommitIsTheResult() {
		run((shop, other) -> {
			this.transactions.failing = true;

			assertThatExceptionOfType(UnsupportedOperationException.class)
				.isThrownBy(() -> shop.pay(() -> Mono.just("paid")).block());
			assertThat(other.sees("order")).isFalse();
		});
	}

	private String event(String what, OtherProcess other) {
		this.events.add(what + ", held: " + other.sees("order"));
		return what;
	}

	private void run(LockRunner.Scenario<Shop> scenario) {
		LockRunner.run(LockRunner.create()
			.withUserConfiguration(Managed.class)
			.withBean(Transactions.class, () -> this.transactions)
			.withBean(Shop.class), Shop.class, (shop, other) -> {
				this.transactions.onCommit = () -> event("commit", other);
				scenario.run(shop, other);
			});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Managed {

	}

	static class Shop {

		@DistributedLock(name = "order")
		@Transactional
		Mono<String> pay(Supplier<Mono<String>> work) {
			return work.get();
		}

		@DistributedLock(name = "order")
		Mono<String> plain(Supplier<Mono<String>> work) {
			return work.get();
		}

	}

	static class Transactions extends AbstractReactiveTransactionManager {

		private final List<String> events;

		private volatile boolean failing;

		private volatile Runnable onCommit = () -> {
		};

		Transactions(List<String> events) {
			this.events = events;
		}

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager synchronizations) {
			return this;
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager synchronizations, Object transaction,
				TransactionDefinition definition) {
			return Mono.fromRunnable(() -> this.events.add("begin"));
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return this.failing ? Mono.error(new UnsupportedOperationException("commit"))
					: Mono.fromRunnable(this.onCommit);
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager synchronizations,
				GenericReactiveTransaction status) {
			return Mono.fromRunnable(() -> this.events.add("rollback"));
		}

	}

}
