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
import java.util.Map;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/** That one start tells all mistakes, and that nothing is looked up twice. */
class AllMistakesTests {

	@Test
	void mistakesOfLazyBeansAreToldAtOnce() {
		LockRunner.create()
			.withBean("shop", Shop.class, Shop::new, AllMistakesTests::lazily)
			.withBean("till", Till.class, Till::new, AllMistakesTests::lazily)
			.withBean("lazy", Lazy.class, Lazy::new, AllMistakesTests::lazily)
			.run((context) -> assertMistakes(context.getStartupFailure(),
					Shop.class.getName() + ".pay(Long): key \"#order\" refers to #order",
					Shop.class.getName() + ".refund(Long): neither name nor key is set",
					Till.class.getName() + ".open(): the method is final",
					Lazy.class.getName() + ".run(): leaseTime \"1\" is not valid"));
	}

	@Test
	void whatAQuorumCannotDoIsToldAtOnce() {
		String fair = Fair.class.getName();
		onQuorum().withBean(Fair.class)
			.run((context) -> assertMistakes(context.getStartupFailure(), fair + ".first(): fair is not supported",
					fair + ".second(): fair is not supported",
					fair + ".third(): leaseTime 90m is longer than the restart guard of the quorum, 30s."));
	}

	@Test
	void oneMistakeStandsAlone() {
		LockRunner.create()
			.withBean(Lazy.class)
			.run((context) -> assertThat(mistakes(context.getStartupFailure()).description())
				.startsWith("@DistributedLock on " + Lazy.class.getName())
				.endsWith(
						"leaseTime \"1\" is not valid: Lease time must be between 10ms and 366d, or -1ms to be renewed by the watchdog: "
								+ "1ms."));
	}

	@Test
	void nothingIsKeptOfAMethodThatIsNotLocked() throws Exception {
		LockedMethods methods = new LockedMethods(new DefaultListableBeanFactory());
		assertThat(methods.find(Plain.class.getMethod("run"), Plain.class)).isNull();

		assertThat((Map<?, ?>) ReflectionTestUtils.getField(methods, "methods")).isEmpty();
	}

	private static void lazily(BeanDefinition definition) {
		definition.setLazyInit(true);
	}

	private static void assertMistakes(Throwable failure, String... mistakes) {
		InvalidLockedMethodException all = mistakes(failure);
		assertThat(all.description().split("\n\n")).hasSize(mistakes.length + 1)
			.startsWith(mistakes.length + " mistakes of methods with @DistributedLock:");
		assertThat(all.action().split("\n\n")).hasSize(mistakes.length + 1).startsWith("Correct each of them:");
		Arrays.stream(mistakes).forEach((mistake) -> assertThat(all.description()).containsOnlyOnce(mistake));
	}

	private static InvalidLockedMethodException mistakes(Throwable failure) {
		Throwable cause = failure;
		while (cause != null && !(cause instanceof InvalidLockedMethodException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("cause of %s", failure).isInstanceOf(InvalidLockedMethodException.class);
		return (InvalidLockedMethodException) cause;
	}

	/** On servers that are not there. */
	private static ApplicationContextRunner onQuorum() {
		return LockRunner.create()
			.withPropertyValues("holdfast.lock.check-at-start=false",
					"holdfast.lock.quorum.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,redis://127.0.0.1:3");
	}

	public static class Shop {

		@DistributedLock(key = "#order")
		public void pay(Long id) {
		}

		@DistributedLock
		public void refund(Long id) {
		}

		@DistributedLock(name = "x")
		public void valid() {
		}

	}

	public static class Till {

		@DistributedLock(name = "x")
		public final void open() {
		}

	}

	public static class Lazy {

		@DistributedLock(name = "x", leaseTime = 1)
		public void run() {
		}

	}

	public static class Fair {

		@DistributedLock(name = "x", fair = true)
		public void first() {
		}

		@DistributedLock(name = "x", fair = true)
		public void second() {
		}

		@DistributedLock(name = "x", leaseTimeString = "90m")
		public void third() {
		}

	}

	public static class Plain {

		public void run() {
		}

	}

}
