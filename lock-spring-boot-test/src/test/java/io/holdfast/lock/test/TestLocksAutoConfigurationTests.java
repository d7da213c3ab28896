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

package io.holdfast.lock.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.local.LocalLockClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.AbstractFactoryBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What an application context gets, and what it does not share. */
class TestLocksAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Configured.class);

	@Test
	void contextsAtTheSameTimeHaveLocksOfTheirOwn() {
		this.runner.run((one) -> this.runner.run((two) -> {
			one.getBean(LockClient.class).getLock("order").lock();
			two.getBean(LockClient.class).getLock("order").lock();

			two.getBean(TestLocks.class).reset();

			assertThat(one.getBean(TestLocks.class).isHeld("order")).isTrue();
			assertThat(two.getBean(TestLocks.class).isHeld("order")).isFalse();
		}));
	}

	@Test
	void propertiesAndLossEventsOfTheApplicationHold() {
		List<String> lost = new CopyOnWriteArrayList<>();
		this.runner.withPropertyValues("holdfast.lock.wait-time=10ms", "spring.application.name=till")
			.withInitializer((context) -> context
				.addApplicationListener((ApplicationListener<PayloadApplicationEvent<LockLoss>>) (event) -> lost
					.add(event.getPayload().name())))
			.run((context) -> {
				LockClient client = context.getBean(LockClient.class);
				TestLocks locks = context.getBean(TestLocks.class);
				locks.holdAsAnother("order");
				client.acquire("invoice", LockOptions.defaults());
				locks.lose("invoice");

				assertThat(client.tryAcquire("order", LockOptions.defaults())).isEmpty();
				assertThat(client.id()).startsWith("till@");
				Awaitility.await()
					.atMost(Duration.ofSeconds(30))
					.untilAsserted(() -> assertThat(lost).containsExactly("invoice"));
			});
	}

	@Test
	void localModeAndOwnClientsGiveWay() {
		try (LocalLockClient own = LocalLockClient.builder().build()) {
			this.runner.withPropertyValues("holdfast.lock.mode=local")
				.withBean("lockClient", LockClient.class, () -> own)
				.run((context) -> assertThat(context).hasNotFailed()
					.getBean(LockClient.class)
					.isSameAs(context.getBean(TestLocks.class).client()));
			this.runner.withPropertyValues("holdfast.lock.mode=local")
				.run((context) -> assertThat(context).hasSingleBean(LockClient.class));
		}
	}

	@Test
	void primaryClientOfTheApplicationGivesWay() {
		try (LocalLockClient own = LocalLockClient.builder().build()) {
			this.runner.withBean("own", LockClient.class, () -> own, (definition) -> definition.setPrimary(true))
				.run((context) -> assertThat(context.getBean(LockClient.class))
					.isSameAs(context.getBean(TestLocks.class).client())
					.isSameAs(context.getBean("own")));
		}
	}

	@Test
	void clientOfTheApplicationGivesWayHoweverItIsMade() {
		this.runner.withUserConfiguration(OwnClients.class).run((context) -> {
			LockClient client = context.getBean(TestLocks.class).client();
			assertThat(context).getBean("produced").isSameAs(client);
			assertThat(context).getBean("begun").isSameAs(client);
			assertThat(context).getBean("scoped").isSameAs(client);
		});
	}

	@Test
	void clientIsThereIfLocksAreDisabled() {
		this.runner.withPropertyValues("holdfast.lock.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(LockClient.class).doesNotHaveBean("lockAdvisor"));
	}

	@Test
	void closedContextClosesTheClient() {
		this.runner.run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			context.close();
			assertThatExceptionOfType(LockClientClosedException.class)
				.isThrownBy(() -> client.getLock("order").tryLock());
		});
	}

	/** None of them may be made. */
	@Configuration(proxyBeanMethods = false)
	static class OwnClients {

		@Bean
		static Producer produced() {
			throw new IllegalStateException();
		}

		@Bean(initMethod = "begin")
		Begun begun() {
			throw new IllegalStateException();
		}

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
		LockClient scoped() {
			throw new IllegalStateException();
		}

	}

	/** Like a client that is started after it was made. */
	interface Begun extends LockClient {

		void begin();

	}

	static final class Producer extends AbstractFactoryBean<LockClient> {

		@Override
		public Class<?> getObjectType() {
			return LockClient.class;
		}

		@Override
		protected LockClient createInstance() {
			throw new IllegalStateException();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigureTestLocks
	static class Configured {

	}

}
