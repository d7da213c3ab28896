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

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Names that were meant as expressions, and keys without names. */
class NameAndKeyTests {

	private static final String ADVICE = "Leave plain text in the name and put the expression into the key, as in "
			+ "name = \"order\", key = \"#order.id\".";

	@Test
	void nameWithHashFromAPropertyStopsApplication() {
		LockRunner.create()
			.withBean(Named.class)
			.withPropertyValues("shop.name=order-#order.id")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("Named.run(): name \"${shop.name}\" has a #, as it is \"order-#order.id\". "
						+ "It is plain text, not an expression, so all calls would share one lock. " + ADVICE));
	}

	@Test
	void nameWithColonBesideAKeyStopsApplication() {
		LockRunner.create()
			.withBean(NameWithColon.class)
			.run((context) -> StartUpFailures.assertFailure(context.getStartupFailure(),
					"NameWithColon.run(Long): name \"shop:order\" has a colon, which ends the name before the key: "
							+ "another name with another key could be the same lock.",
					"Write another sign, such as \"shop.order\"."));
	}

	@Test
	void keyMayHaveColonsAndSoMayANameAlone() {
		LockRunner.create().withBean(Colons.class).run((context) -> {
			try (OtherProcess other = new OtherProcess(context)) {
				context.getBean(Colons.class).byKey("b:c", () -> assertThat(other.sees("a:b:c")).isTrue());
				context.getBean(Colons.class).byName(() -> assertThat(other.sees("a:b")).isTrue());
			}
		});
	}

	@Test
	void nameThatTheAnnotationHasStopsApplication() {
		LockRunner.create()
			.withBean(ExpressionInName.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("name \"order-#order.id\" has a #. It is plain text, not an expression, so all "
						+ "calls would share one lock. " + ADVICE));
	}

	@Test
	void colonStandsBetweenNameAndKeyAndKeysWithoutNamesAreShared() {
		LockRunner.create().withBean(Orders.class).withBean(Customers.class).run((context) -> {
			try (OtherProcess other = new OtherProcess(context)) {
				context.getBean(Orders.class).pay(4711L, () -> assertThat(other.sees("4711")).isTrue());
				context.getBean(Customers.class).merge(4711L, () -> assertThat(other.sees("4711")).isTrue());
				context.getBean(Customers.class).move(4711L, () -> assertThat(other.sees("customer:4711")).isTrue());
			}
		});
	}

	public static class Named {

		@DistributedLock(name = "${shop.name}")
		public void run() {
		}

	}

	public static class NameWithColon {

		@DistributedLock(name = "shop:order", key = "#id")
		public void run(Long id) {
		}

	}

	public static class Colons {

		@DistributedLock(name = "a", key = "#id")
		public void byKey(String id, Runnable work) {
			work.run();
		}

		@DistributedLock("a:b")
		public void byName(Runnable work) {
			work.run();
		}

	}

	public static class ExpressionInName {

		@DistributedLock(name = "order-#order.id")
		public void run(Object order) {
		}

	}

	public static class Orders {

		@DistributedLock(key = "#order")
		public void pay(Long order, Runnable work) {
			work.run();
		}

	}

	public static class Customers {

		@DistributedLock(key = "#customer")
		public void merge(Long customer, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "customer", key = "#customer")
		public void move(Long customer, Runnable work) {
			work.run();
		}

	}

}
