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

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.function.Supplier;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.AopContext;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/** What the start says about calls that no proxy sees. */
class SelfCallsTests {

	@Test
	void callsOfOwnLockedMethodsAreNamedOnce() {
		assertThat(warningsOf(Orders.class)).singleElement()
			.isEqualTo("WARN Calls within " + Orders.class.getName() + " run without their lock, as they do not come "
					+ "through the proxy: " + "SelfCallsTests.Loading.loadTwice calls load; "
					+ "SelfCallsTests.Orders.difficult calls pay; " + "SelfCallsTests.Orders.later calls pay; "
					+ "SelfCallsTests.Orders.loader calls load; " + "SelfCallsTests.Orders.pay calls pay; "
					+ "SelfCallsTests.Orders.save calls pay; " + "SelfCallsTests.OrdersBase.template calls load. "
					+ "Let another bean call the method, use LockClient.execute, or add lock-aspectj.");
	}

	@ParameterizedTest
	@ValueSource(classes = { Careful.class, Provided.class, Nested.class })
	void callsThroughProxyOrUnderALockAreNoNews(Class<?> type) {
		assertThat(warningsOf(type)).isEmpty();
	}

	@Test
	void classThatCannotBeReadIsSkipped() throws Exception {
		Class<?> damaged = new Damaged().loadClass(Orders.class.getName());
		try (LogCapture log = LogCapture.of(SelfCalls.class.getName(), Level.DEBUG)) {
			SelfCalls.report(damaged, List.of());

			assertThat(log.lines()).contains(
					"DEBUG Class " + damaged.getName() + " cannot be searched for calls of its own locked methods");
		}
	}

	private static List<String> warningsOf(Class<?> type) {
		try (LogCapture log = LogCapture.of(SelfCalls.class.getName(), Level.WARN)) {
			LockRunner.create().withBean(type).run((context) -> assertThat(context).hasNotFailed());
			return List.copyOf(log.lines());
		}
	}

	/** Reads only the beginning of class files. */
	private static final class Damaged extends ClassLoader {

		Damaged() {
			super(SelfCallsTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith(Orders.class.getName())) {
				return super.loadClass(name, resolve);
			}
			try (InputStream file = super.getResourceAsStream(name.replace('.', '/') + ".class")) {
				byte[] code = file.readAllBytes();
				return defineClass(name, code, 0, code.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

		@Override
		public InputStream getResourceAsStream(String name) {
			try (InputStream file = super.getResourceAsStream(name)) {
				return new ByteArrayInputStream(file.readNBytes(100));
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	public abstract static class OrdersBase {

		public void template() {
			load();
		}

		public abstract void load();

	}

	public interface Saving<T> {

		void save(T order);

	}

	public interface Loading {

		void load();

		default void loadTwice() {
			load();
			load();
		}

	}

	public static class Orders extends OrdersBase implements Saving<String>, Loading {

		@DistributedLock(key = "#order")
		public int pay(String order, int amount) {
			return amount;
		}

		@Override
		@DistributedLock(name = "load")
		public void load() {
		}

		@Override
		public void save(String order) {
			pay(order, 1);
		}

		public int difficult(long amount, boolean high) {
			try {
				double rate = (amount << 3) * 1.5 + new int[] { 1, 2 }[high ? 1 : 0];
				return this.pay(high ? "a" : "b" + rate, (rate > 2) ? (int) amount : -1);
			}
			catch (IllegalStateException ex) {
				return switch (ex.getMessage()) {
					case "x" -> 1;
					default -> 2;
				};
			}
		}

		public int pay(long id) {
			return pay("a" + id, 1);
		}

		public Runnable loader() {
			return this::load;
		}

		public Supplier<Integer> later() {
			return () -> pay("c", 3);
		}

	}

	public static class Careful {

		private final Careful self;

		Careful(@Lazy Careful self) {
			this.self = self;
		}

		@DistributedLock(name = "order", key = "#order")
		public void pay(String order) {
		}

		public void payAll() {
			this.self.pay("a");
		}

	}

	public static class Provided {

		private final ObjectProvider<Provided> self;

		Provided(ObjectProvider<Provided> self) {
			this.self = self;
		}

		@DistributedLock(name = "order", key = "#order")
		public void pay(String order) {
		}

		public void payAll() {
			this.self.getObject().pay("a");
		}

		public void payCurrent() {
			((Provided) AopContext.currentProxy()).pay("a");
		}

	}

	public static class Nested implements Saving<String> {

		@Override
		@DistributedLock(name = "order", key = "#order")
		public void save(String order) {
		}

		@DistributedLock(name = "order", key = "#order")
		public void pay(String order) {
			save(order);
			Runnable later = () -> save(order);
			later.run();
		}

	}

}
