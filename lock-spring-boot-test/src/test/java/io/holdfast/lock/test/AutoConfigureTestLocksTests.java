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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.test.TestLocks.Acquisition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A whole application, whose Redis does not exist. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE,
		properties = { "spring.data.redis.port=1", "spring.datasource.generate-unique-name=true" })
@AutoConfigureTestLocks
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class AutoConfigureTestLocksTests {

	/** Held by the application since its start. */
	private static Lease leader;

	private static Lease reader;

	@Autowired
	private TestLocks locks;

	@Autowired
	private LockClient client;

	@Autowired
	private OrderService orders;

	@Autowired
	private JdbcTemplate jdbc;

	@BeforeEach
	void deletePayments() {
		this.jdbc.execute("create table if not exists payment (id varchar(20))");
		this.jdbc.execute("delete from payment");
	}

	@Test
	void annotatedMethodLocks() {
		this.orders.pay("4711", (id) -> assertThat(this.locks.isHeld("order:4711")).isTrue());

		assertThat(this.locks.acquiredNames()).containsExactly("order:4711");
		assertThat(this.locks.isHeld("order:4711")).isFalse();
		assertThat(this.orders.payments()).isOne();
	}

	@Test
	void clientIsLocal() {
		assertThat(this.client).isInstanceOf(LocalLockClient.class).isSameAs(this.locks.client());
	}

	@Test
	void annotatedMethodIsRefusedAtOnce() {
		this.locks.holdAsAnother("order:4711");
		this.locks.timeOutWaits();

		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.pay("4711", (id) -> {
		})).withMessageContaining("10s");
		assertThat(this.locks.acquired()).isEmpty();
		assertThat(this.orders.payments()).isZero();
	}

	@Test
	void commitIsRefusedAfterLoss() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.orders.pay("4711", (id) -> this.locks.lose("order:" + id)));

		assertThat(this.orders.payments()).isZero();
	}

	@Test
	void lockOfAStageIsLostOnCommand() {
		CompletableFuture<String> shipping = new CompletableFuture<>();
		CompletionStage<String> shipped = this.orders.ship("4711", shipping);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.locks.isHeld("order:4711"));

		this.locks.lose("order:4711");
		shipping.complete("done");

		assertThat(shipped).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void limitIsRefusedIfAnotherHasItsPermits() {
		this.locks.holdAsAnother("mail", LockOptions.defaults().permits(1, 2));
		this.locks.timeOutWaits();

		this.orders.mail(() -> assertThat(CompletableFuture.runAsync(() -> this.orders.mail(() -> {
		}))).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class));

		assertThat(this.locks.acquired()).containsExactly(new Acquisition("mail", false, LockMode.permits(1, 2)));
	}

	@Test
	@Order(1)
	void testLeavesLocks() throws Exception {
		this.client.acquire("leaked", LockOptions.defaults());
		this.client.getLock("left locked").lock();
		this.client.getLock("lost").lock();
		this.locks.lose("lost");
		this.locks.holdAsAnother("of another");
		this.client.acquire("config", LockOptions.defaults().shared()).close();
		this.locks.timeOutWaits();
	}

	@Test
	@Order(2)
	void nextTestStartsClean() throws Exception {
		assertThat(this.locks.acquired()).isEmpty();
		this.client.acquire("leaked", LockOptions.defaults());
		this.client.getLock("lost").lock();
		this.locks.holdAsAnother("left locked");
		this.locks.holdAsAnother("of another");
	}

	@Test
	void applicationKeepsWhatItAcquiredAtItsStart() {
		assertThat(leader.isValid()).isTrue();
		assertThat(reader.isValid()).isTrue();
		assertThat(this.locks.acquiredNames()).doesNotContain("leader");
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OrderService.class)
	static class Application {

		@Bean
		Object leader(LockClient client) throws InterruptedException {
			leader = client.acquire("leader", LockOptions.defaults());
			reader = client.acquire("config", LockOptions.defaults().shared());
			return "leader";
		}

	}

}
