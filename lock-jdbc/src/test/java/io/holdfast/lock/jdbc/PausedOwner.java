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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A process that adds one to an account under its lock, and waits at one of its steps to
 * be stopped. Its arguments are the properties of its application. It reads the name of
 * an account and a step from each line.
 */
public final class PausedOwner {

	/**
	 * Before which statement it waits.
	 */
	enum Step {

		READ, WRITE, LOOK, COMMIT

	}

	private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

	private final JdbcTemplate jdbc;

	private final ConfigurableTransactionManager transactions;

	private final TransactionTemplate transaction;

	private Step step = Step.READ;

	PausedOwner(JdbcTemplate jdbc, ConfigurableTransactionManager transactions, TransactionTemplate transaction) {
		this.jdbc = jdbc;
		this.transaction = transaction;
		this.transactions = transactions;
	}

	public static void main(String[] properties) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(BootLine.locksAndProxies()))
			.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
			.withConfiguration(AutoConfigurations.of(LockFenceAutoConfiguration.class))
			.withPropertyValues(properties)
			.withBean(PausedOwner.class)
			.withBean(Account.class)
			.run((context) -> context.getBean(PausedOwner.class).run(context.getBean(Account.class)));
	}

	private void run(Account account) throws IOException {
		// Behind the fence's
		this.transactions.addListener(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution committed) {
				reach(Step.COMMIT);
			}

		});
		System.out.println("READY");
		for (String line = this.in.readLine(); line != null; line = this.in.readLine()) {
			String[] words = line.split(" ", -1);
			this.step = Step.valueOf(words[1]);
			String outcome = "COMMITTED";
			try {
				account.locked(words[0], () -> this.transaction.executeWithoutResult((status) -> add(words[0])));
			}
			catch (RuntimeException ex) {
				outcome = ex.getClass().getSimpleName();
			}
			System.out.println(words[0] + " " + outcome);
		}
	}

	private void add(String name) {
		reach(Step.READ);
		int balance = this.jdbc.queryForObject("select balance from account where id = ?", Integer.class, name);
		reach(Step.WRITE);
		this.jdbc.update("update account set balance = ? where id = ?", balance + 1, name);
		reach(Step.LOOK);
	}

	private void reach(Step reached) {
		if (reached == this.step) {
			System.out.println("AT " + reached);
			try {
				String unused = this.in.readLine();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	public static class Account {

		@DistributedLock(name = "account", key = "#name")
		public void locked(String name, Runnable work) {
			work.run();
		}

	}

}
