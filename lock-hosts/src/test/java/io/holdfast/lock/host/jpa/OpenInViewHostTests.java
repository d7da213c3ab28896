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

package io.holdfast.lock.host.jpa;

import java.util.List;
import java.util.UUID;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.testing.RedisProcess;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A request of an application with JPA, whose {@code EntityManager} is opened before the
 * lock is acquired and outlives it.
 */
class OpenInViewHostTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(Application.class)
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:view", "spring.jpa.hibernate.ddl-auto=create",
				"spring.data.redis.host=" + RedisProcess.shared().host(),
				"spring.data.redis.port=" + RedisProcess.shared().port(),
				"holdfast.lock.key-prefix=" + UUID.randomUUID() + ":");

	@Test
	void applicationIsWarnedOnceOfEachMethod() {
		this.runner.run((context) -> {
			Payments payments = context.getBean(Payments.class);
			try (LogCapture log = LogCapture.of("io.holdfast.lock.interceptor.EarlierReads", Level.WARN)) {
				payments.pay(1L);
				assertThat(log.lines()).isEmpty();

				inView(context, () -> payments.pay(1L));
				inView(context, () -> payments.pay(2L));

				assertThat(log.lines()).singleElement()
					.asString()
					.contains("Lock '1' of", "is asked for while an EntityManager is open",
							"Set spring.jpa.open-in-view to false, or load nothing before the method, or have the "
									+ "method call EntityManager.refresh");
			}
		});
	}

	@Test
	void callIsRefusedIfTransactionsThatAreActiveAre() {
		this.runner.withPropertyValues("holdfast.lock.transaction.active=fail")
			.run((context) -> inView(context,
					() -> assertThat(List.<Runnable>of(() -> context.getBean(Payments.class).pay(1L),
							() -> context.getBean(Payments.class).report()))
						.allSatisfy((call) -> assertThatIllegalStateException().isThrownBy(call::run)
							.withMessageContaining("spring.jpa.open-in-view"))));
	}

	private static void inView(ApplicationContext context, Runnable request) {
		EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
		try (EntityManager view = factory.createEntityManager()) {
			TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(view));
			request.run();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(factory);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Payments.class)
	static class Application {

	}

	public static class Payments {

		private final Customers customers;

		Payments(Customers customers) {
			this.customers = customers;
		}

		@DistributedLock(key = "#id")
		@Transactional
		public boolean pay(Long id) {
			return this.customers.existsById(id);
		}

		@DistributedLock(name = "report", holdAtLeast = "1ms")
		public void report() {
		}

	}

}
