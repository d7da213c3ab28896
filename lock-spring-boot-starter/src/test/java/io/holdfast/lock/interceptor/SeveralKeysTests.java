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

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** A key that is a collection or an array: a lock for each element, all or nothing. */
class SeveralKeysTests {

	@ParameterizedTest
	@MethodSource
	void everyElementIsLocked(Object orders) {
		run((shop, other) -> {
			shop.pay(orders, (lease) -> {
				assertThat(lease.names()).containsExactly("order:1", "order:10", "order:9");
				assertThat(lease.names()).allMatch(other::sees);
				assertThat(lease.token("order:9"))
					.isEqualTo(other.client().directory().find("order:9").orElseThrow().token());
			});

			assertThat(List.of("order:1", "order:10", "order:9")).noneMatch(other::sees);
		});
	}

	static Stream<Arguments> everyElementIsLocked() {
		return Stream
			.<Object>of(List.of(10, 9, 1), new LinkedHashSet<>(List.of(9L, 1L, 10L)), new int[] { 9, 1, 10, 9 },
					new Object[] { "9", 1, Optional.of(10) }, Optional.of(List.of(1, 9, 10)))
			.map(Arguments::of);
	}

	@Test
	void elementsAreReadByProjection() {
		run((shop, other) -> shop.payAll(List.of(new Order(2), new Order(1)),
				(lease) -> assertThat(lease.names()).containsExactly("order:1", "order:2")));
	}

	@Test
	void elementsAreListedInTheExpression() {
		run((shop, other) -> shop.transfer(2, 1,
				(lease) -> assertThat(lease.names()).containsExactly("account:1", "account:2")));
	}

	@Test
	void oneElementIsOneLock() {
		run((shop, other) -> shop.pay(List.of(7), (lease) -> {
			assertThat(lease.name()).isEqualTo("order:7");
			assertThat(lease.token()).isPositive();
		}));
	}

	@Test
	void nothingIsLockedIfAnotherHoldsOneOfThem() {
		run((shop, other) -> {
			other.hold("order:2");

			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> shop.pay(List.of(3, 2, 1), (lease) -> {
					throw new AssertionError("The method must not run");
				}))
				.satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("order:2"));

			assertThat(List.of("order:1", "order:3")).noneMatch(other::sees);
		});
	}

	@Test
	void nestedCallForOneOfTheKeysEntersAgain() {
		run((shop, other) -> shop.pay(List.of(1, 2),
				(outer) -> shop.pay(2, (inner) -> assertThat(inner.token()).isEqualTo(outer.token("order:2")))));
	}

	@Test
	void lossOfOneIsToldAtTheEnd() {
		run((shop, other) -> {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> shop.pay(List.of(1, 2), (lease) -> {
				other.takeByForce("order:2");
				Awaitility.await().until(() -> !lease.isValid());
			})).satisfies((ex) -> assertThat(ex.lockName()).isEqualTo("order:2"));

			assertThat(other.sees("order:1")).isFalse();
		});
	}

	@ParameterizedTest
	@MethodSource
	void keysThatAreNoneAreAnErrorThatNamesTheExpression(Object orders, String problem) {
		run((shop, other) -> assertThatIllegalArgumentException().isThrownBy(() -> shop.pay(orders, (lease) -> {
			throw new AssertionError("The method must not run");
		}))
			.withMessage("@DistributedLock on " + Shop.class.getName() + ".pay(Object, Work): key \"#orders\" "
					+ problem + ". The method was not run."));
	}

	static Stream<Arguments> keysThatAreNoneAreAnErrorThatNamesTheExpression() {
		String same = ", so calls that mean the same could get different locks. Use what identifies it, such as its id, a whole number or an instant";
		return Stream.of(Arguments.of(List.of(), "is empty, so there is nothing to lock"),
				Arguments.of(new long[0], "is empty, so there is nothing to lock"),
				Arguments.of(Arrays.asList(1, null), "has an element that is null"),
				Arguments.of(List.of(1, Optional.empty()), "has an element that is null"),
				Arguments.of(List.of("a", " "), "has an element that is blank"),
				Arguments.of(List.of(Collections.singleton(1)),
						"has an element that has elements itself: a key is one value, or a record of several"),
				Arguments.of(List.of(1, new Object()),
						"has an element that is no key: java.lang.Object has no canonical text" + same),
				Arguments.of(Map.of(1, 2),
						"is no key: java.util.ImmutableCollections$Map1 has no canonical text" + same),
				Arguments.of(new byte[] { 1 }, "is no key: byte[] has no canonical text" + same));
	}

	@Test
	void severalLocksAreKeptUntilTheTransactionOfTheCallerHasCompleted() {
		List<String> names = List.of("order:1", "order:2", "order:1, order:2");
		run((shop, other) -> {
			new TransactionTemplate(new NoDatabase()).executeWithoutResult((status) -> {
				for (int i = 0; i < 3; i++) {
					for (Object orders : List.of(List.of(1, 2), 1, "1, order:2")) {
						shop.pay(orders, (lease) -> {
						});
					}
				}
				assertThat(names).allMatch(other::sees);
			});

			assertThat(names).noneMatch(other::sees);
		});
	}

	private static void run(LockRunner.Scenario<Shop> scenario) {
		LockRunner.run(Shop.class, scenario);
	}

	interface Work {

		void run(LeaseView lease);

	}

	record Order(long id) {
	}

	public static class Shop {

		@DistributedLock(name = "order", key = "#orders", waitTime = 0)
		public void pay(Object orders, Work work) {
			work.run(Leases.current());
		}

		@DistributedLock(name = "order", key = "#orders.![id]", waitTime = 0)
		public void payAll(List<Order> orders, Work work) {
			work.run(Leases.current());
		}

		@DistributedLock(name = "account", key = "{#from, #to}", waitTime = 0)
		public void transfer(long from, long to, Work work) {
			work.run(Leases.current());
		}

	}

	static class NoDatabase extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
