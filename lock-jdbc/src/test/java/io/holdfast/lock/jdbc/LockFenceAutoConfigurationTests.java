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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * When there is a fence, and what stops the start.
 */
class LockFenceAutoConfigurationTests {

	private final ApplicationContextRunner runner = LockRunner.create()
		.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
		.withConfiguration(AutoConfigurations.of(LockFenceAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	@Test
	void embeddedDatabaseIsFencedByTheJarAlone() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(DatabaseFence.class);
			assertThat(context.getBean(JdbcTemplate.class).queryForList("select name from holdfast_fence")).isEmpty();
		});
	}

	@Test
	void thereIsNoneIfItOrLocksAreOff() {
		for (String property : new String[] { "holdfast.lock.fence.enabled=off", "holdfast.lock.enabled=false" }) {
			this.runner.withPropertyValues(property)
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DatabaseFence.class));
		}
	}

	@Test
	void missingTableStopsTheStartAndNamesItsScript() {
		this.runner.withPropertyValues("holdfast.lock.fence.initialize-schema=never")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(
						LockStartUpException.class.getName() + ": The database has no table holdfast_fence")
				.hasStackTraceContaining("io/holdfast/lock/jdbc/schema-@@platform@@.sql")
				.hasStackTraceContaining("initialize-schema to always"));
	}

	@Test
	void noDatabaseOrSeveralStopTheStart() {
		LockRunner.create()
			.withConfiguration(AutoConfigurations.of(LockFenceAutoConfiguration.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockStartUpException.class)
				.hasMessageContaining("there is no DataSource, or several"));
	}

	@Test
	void propertyThatDoesNotExistIsWarnedOf() {
		try (LogCapture log = LogCapture.of("io.holdfast.lock.autoconfigure.UnknownProperties", Level.WARN)) {
			this.runner.withPropertyValues("holdfast.lock.fence.enable=true")
				.run((context) -> assertThat(context).hasSingleBean(DatabaseFence.class));

			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
				.startsWith("WARN No such property, so it has no effect: holdfast.lock.fence.enable")
				.endsWith("Did you mean holdfast.lock.fence.enabled?");
		}
	}

	@Test
	void eachOfSeveralDatabasesHasAFenceOfItsOwn() {
		this.runner.withUserConfiguration(TwoDatabases.class, FenceScene.TwoMasters.class).run((context) -> {
			assertThat(context).hasNotFailed();
			FenceScene.Locks locks = context.getBean(FenceScene.Locks.class);
			TransactionTemplate first = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			TransactionTemplate second = new TransactionTemplate(
					context.getBean("secondTransactionManager", PlatformTransactionManager.class));
			JdbcTemplate secondJdbc = new JdbcTemplate(context.getBean("second", DataSource.class));
			secondJdbc.execute("create table entry (id int)");

			locks.locked("a", () -> {
				first.executeWithoutResult((status) -> second
					.executeWithoutResult((inner) -> secondJdbc.update("insert into entry values (1)")));
				// Only the second one knows a later owner
				secondJdbc.update("update holdfast_fence set holder = 'other'");
				first.executeWithoutResult((status) -> {
				});
				assertThatExceptionOfType(SupersededException.class).isThrownBy(() -> second
					.executeWithoutResult((status) -> secondJdbc.update("insert into entry values (2)")));
			});

			assertThat(secondJdbc.queryForList("select id from entry", Integer.class)).containsExactly(1);
		});
	}

	@Test
	void stageIsFencedOnTheThreadThatRunsItsMethod() {
		this.runner.withBean(Stages.class).run((context) -> {
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			Stages stages = context.getBean(Stages.class);

			assertThat(stages.run(() -> transaction.executeWithoutResult((status) -> {
			})).toCompletableFuture()).succeedsWithin(TestThreads.LONG);
			assertThat(stages.run(() -> {
				jdbc.update("update holdfast_fence set token = token + 1");
				transaction.executeWithoutResult((status) -> {
				});
			}).toCompletableFuture()).failsWithin(TestThreads.LONG)
				.withThrowableThat()
				.withCauseInstanceOf(SupersededException.class);
		});
	}

	@Test
	void pageHasAllProperties() throws IOException {
		List<String> properties = Stream.of(LockFenceProperties.class.getRecordComponents())
			.map((each) -> each.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
			.toList();

		assertThat(Files.readAllLines(Path.of("../docs/fencing.md")).stream().filter((line) -> line.startsWith("| `")))
			.extracting((row) -> row.substring(3, row.indexOf('`', 3)))
			.containsExactlyElementsOf(properties);
	}

	public static class Stages {

		@DistributedLock(name = "stage")
		public CompletionStage<String> run(Runnable work) {
			work.run();
			return CompletableFuture.completedFuture("done");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		@Primary
		DataSource first() {
			return new DriverManagerDataSource("jdbc:h2:mem:first;DB_CLOSE_DELAY=-1");
		}

		@Bean
		DataSource second() {
			return new DriverManagerDataSource("jdbc:h2:mem:second;DB_CLOSE_DELAY=-1");
		}

		@Bean
		DatabaseFence firstFence(DataSource first) {
			return new DatabaseFence(first, DatabaseInitializationMode.ALWAYS);
		}

		@Bean
		DatabaseFence secondFence(@Qualifier("second") DataSource second) {
			return new DatabaseFence(second, DatabaseInitializationMode.ALWAYS);
		}

		@Bean
		@Primary
		JdbcTransactionManager firstTransactionManager(DataSource first) {
			return new JdbcTransactionManager(first);
		}

		@Bean
		JdbcTransactionManager secondTransactionManager(@Qualifier("second") DataSource second) {
			return new JdbcTransactionManager(second);
		}

	}

}
