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


// What the Java of the documentation uses without declaring it. Its imports are those of all blocks.

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;

import javax.sql.DataSource;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LeaseSemaphore;
import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.ReadWriteLeaseLock;
import io.holdfast.lock.actuate.LocksEndpoint;
import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.annotation.OnContention;
import io.holdfast.lock.autoconfigure.LockClientCustomizer;
import io.holdfast.lock.autoconfigure.LockConnectionFactory;
import io.holdfast.lock.interceptor.ReactiveLeases;
import io.holdfast.lock.jdbc.DatabaseFence;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLocks;
import io.holdfast.lock.metrics.LockNameRule;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.holdfast.lock.test.AutoConfigureTestLocks;
import io.holdfast.lock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.csrf.CookieServerCsrfTokenRepository;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.security.web.server.csrf.ServerCsrfTokenRequestAttributeHandler;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.WebFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

abstract class Prelude {

	LockClient client;

	RedisConnectionFactory connectionFactory;

	JdbcTemplate jdbc;

	StringRedisTemplate redis;

	Logger logger;

	long id;

	Order order;

	Accounts accounts;

	OrderService service;

	OrderRepository orders;

	ReceiptRepository receipts;

	ReportRepository reports;

	Ledger ledger;

	Payments payments;

	Jobs jobs;

	Job job;

	ReportWriter report;

	Executor executor;

	String file;

	String mail;

	abstract void work();

	abstract void cancel();

	abstract void publish(Report report);

	abstract void store(Row row, long token);

	abstract void load(String name, long token);

	abstract Mono<Void> store(Order order, long token);

	abstract void send(String text);

	record Order(long id, BigDecimal amount) {

		Order(long id) {
			this(id, BigDecimal.ONE);
		}

	}

	record Receipt(String number) {
	}

	record Account(long id) {
	}

	record Article(long id) {
	}

	record Price(BigDecimal amount) {
	}

	record Line(long articleId) {
	}

	record Basket(List<Line> lines) {
	}

	record Row(String text) {
	}

	record Report(OffsetDateTime period) {
	}

	record Job(long id) {
	}

	interface Accounts {

		Receipt debit(Order order);

	}

	interface OrderService {

		Receipt pay(Order order);

		Receipt pay(long id);

	}

	interface OrderRepository {

		void save(Order order, long token);

	}

	interface BookingRepository {

		long count();

	}

	interface ReceiptRepository {

		Optional<Receipt> find(Order order);

		Receipt save(Receipt receipt);

	}

	interface ReportRepository {

		boolean existsByPeriod(OffsetDateTime period);

		void save(Report report);

	}

	interface ReportWriter {

		Optional<Report> write();

	}

	interface Ledger {

		void transfer(long fromToken, long toToken);

	}

	interface Payments {

		void payAll();

		CompletionStage<Receipt> payAsync(Order order);

	}

	interface Jobs {

		void failed(Job job, Exception reason);

	}

	interface SpyAccounts {

		void onDebit(Runnable action);

	}

	static class StaleLockException extends RuntimeException {

		StaleLockException(long id) {
			super("Somebody else has written to " + id);
		}

	}

}
