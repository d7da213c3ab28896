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

import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.holdfast.lock.annotation.DistributedLimit;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.annotation.DistributedReadLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Accounts in a database, and locks of two masters that do not know of each other, as
 * after a failover: an owner on each believes in the same lock.
 */
final class FenceScene {

	static final RedisProcess OTHER_MASTER = RedisProcess.start();

	private static final AtomicInteger databases = new AtomicInteger();

	final ApplicationContext context;

	final Locks locks;

	final JdbcTemplate jdbc;

	private FenceScene(ApplicationContext context) {
		this.context = context;
		this.locks = context.getBean(Locks.class);
		this.jdbc = context.getBean(JdbcTemplate.class);
		this.jdbc.execute("create table account (id varchar(50) primary key, balance int not null)");
	}

	static ApplicationContextRunner application(TestDatabase database, String... properties) {
		return LockRunner.create()
			.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
			.withConfiguration(AutoConfigurations.of(LockFenceAutoConfiguration.class))
			.withUserConfiguration(TwoMasters.class)
			.withPropertyValues("spring.datasource.url=" + database.url("d" + databases.incrementAndGet()),
					"spring.datasource.hikari.maximum-pool-size=40", "holdfast.lock.fence.initialize-schema=always",
					// So that only the database refuses
					"holdfast.lock.transaction.on-lost-lock=report")
			.withPropertyValues(properties);
	}

	static void run(TestDatabase database, Consumer<FenceScene> test, String... properties) {
		run(application(database, properties), test);
	}

	static void run(ApplicationContextRunner application, Consumer<FenceScene> test) {
		application.run((context) -> {
			if (context.getStartupFailure() != null) {
				throw new IllegalStateException(context.getStartupFailure());
			}
			test.accept(new FenceScene(context.getSourceApplicationContext()));
		});
	}

	/** A name, and an account of it. */
	String account() {
		String name = UUID.randomUUID().toString();
		this.jdbc.update("insert into account values (?, 0)", name);
		return name;
	}

	int balance(String name) {
		return this.jdbc.queryForObject("select balance from account where id = ?", Integer.class, name);
	}

	/** What no database notices: reads, has something happen, and writes. */
	void add(String name, Runnable between) {
		int balance = balance(name);
		between.run();
		this.jdbc.update("update account set balance = ? where id = ?", balance + 1, name);
	}

	TransactionTemplate transaction() {
		return new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
	}

	TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = transaction();
		template.setPropagationBehavior(propagation);
		return template;
	}

	TransactionTemplate readCommitted() {
		TransactionTemplate template = transaction();
		template.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		return template;
	}

	void inTransaction(Runnable work) {
		transaction().executeWithoutResult((status) -> work.run());
	}

	public static class Locks {

		@DistributedLock(name = "account", key = "#name")
		public void locked(String name, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "#name", client = "otherMaster")
		public void onOtherMaster(String name, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "#name", client = "otherClient")
		public void onOtherClient(String name, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "{#first, #second}")
		public void both(String first, String second, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "{#first, #second}", client = "otherMaster")
		public void bothOnOtherMaster(String first, String second, Runnable work) {
			work.run();
		}

		@DistributedLock(name = "account", key = "#name", leaseTime = 20)
		public void briefly(String name, Runnable work) {
			work.run();
		}

		@DistributedLimit(name = "limited", key = "#name", permits = 2)
		public void limited(String name, Runnable work) {
			work.run();
		}

		@DistributedReadLock(name = "account", key = "#name", client = "otherClient")
		public void readOnOtherClient(String name, Runnable work) {
			work.run();
		}

		@DistributedReadLock(name = "account", key = "#name")
		public void read(String name, Runnable work) {
			work.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoMasters {

		@Bean
		Locks locks() {
			return new Locks();
		}

		@Bean(destroyMethod = "close")
		@Primary
		RedisLockClient lockClient(RedisLockClientBuilder builder) {
			return builder.build();
		}

		@Bean(destroyMethod = "close")
		RedisLockClient otherClient(RedisLockClientBuilder builder) {
			return builder.build();
		}

		@Bean(destroyMethod = "close")
		RedisLockClient otherMaster(Environment environment) {
			return RedisLockClient.builder(RedisDriver.JEDIS.connect(OTHER_MASTER))
				.keyPrefix(environment.getRequiredProperty("holdfast.lock.key-prefix"))
				.application("other")
				.build();
		}

	}

}
