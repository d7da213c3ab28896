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
import java.util.function.BiConsumer;

import javax.sql.DataSource;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.OtherProcess;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** An application with a database of one table, beside another process. */
final class TransactionScene {

	final ApplicationContext context;

	final PlatformTransactionManager transactionManager;

	final LockClient client;

	/** Whether what was to run after a commit did. */
	boolean ran;

	private final OtherProcess other;

	private final JdbcTemplate jdbc;

	private final JdbcTemplate otherConnection;

	private TransactionScene(ApplicationContext context, OtherProcess other) throws Exception {
		this.context = context;
		this.other = other;
		this.client = context.getBean(LockClient.class);
		this.transactionManager = context.getBean("transactionManager", PlatformTransactionManager.class);
		this.jdbc = context.getBean(JdbcTemplate.class);
		this.otherConnection = new JdbcTemplate(
				new SingleConnectionDataSource(context.getBean(DataSource.class).getConnection(), true));
		this.jdbc.execute("create table entry (status varchar(20))");
	}

	static ApplicationContextRunner application(String... properties) {
		return LockRunner.create()
			.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withPropertyValues(properties);
	}

	static <T> void run(ApplicationContextRunner application, Class<T> type, BiConsumer<T, TransactionScene> test) {
		application.withBean(type).run((context) -> {
			assertThat(context).hasNotFailed();
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				test.accept(context.getBean(type), new TransactionScene(context, other));
			}
		});
	}

	void write(String status) {
		this.jdbc.update("insert into entry values (?)", status);
	}

	/** What is committed. */
	List<String> rows() {
		return this.otherConnection.queryForList("select status from entry", String.class);
	}

	boolean isLocked(String name) {
		return this.other.sees(name);
	}

	/** Lets this thread lose its lock, and waits until it knows. */
	void lose(String name) {
		lose(this.client.getLock(name));
	}

	void lose(LeaseLock lock) {
		this.other.takeFrom(lock);
	}

	TransactionTemplate transaction(String name) {
		TransactionTemplate template = new TransactionTemplate(this.transactionManager);
		template.setName(name);
		return template;
	}

	TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(this.transactionManager);
		template.setPropagationBehavior(propagation);
		return template;
	}

	void afterCommit(Runnable check) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				TransactionScene.this.ran = true;
				check.run();
			}

		});
	}

	void afterCompletion(Runnable check) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				check.run();
			}

		});
	}

}
