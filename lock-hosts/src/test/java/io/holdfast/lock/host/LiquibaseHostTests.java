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

package io.holdfast.lock.host;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import javax.sql.DataSource;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.redis.RedisLockClient;
import liquibase.Liquibase;
import liquibase.exception.LiquibaseException;
import liquibase.integration.spring.SpringLiquibase;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Liquibase under a lock that ends with its process, as its own does not. */
class LiquibaseHostTests {

	private final JedisConnectionFactory connections = RedissonHostTests.jedis();

	private final JdbcDataSource dataSource = new JdbcDataSource();

	private LockClient locks;

	@BeforeEach
	void open() {
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.locks = RedisLockClient.builder(this.connections)
			.keyPrefix("liquibase-" + UUID.randomUUID() + ":")
			.build();
		this.dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
	}

	@AfterEach
	void close() {
		this.locks.close();
		this.connections.destroy();
	}

	private static SpringLiquibase liquibase(DataSource dataSource, LockClient locks) {
		SpringLiquibase liquibase = new SpringLiquibase() {

			@Override
			protected void performUpdate(Liquibase update) throws LiquibaseException {
				LockOptions patient = LockOptions.defaults().waitTime(Duration.ofMinutes(5));
				locks.executeWithoutResult("liquibase", patient, (lease) -> {
					update.forceReleaseLocks();
					super.performUpdate(update);
				});
			}

		};
		liquibase.setDataSource(dataSource);
		liquibase.setChangeLog("classpath:io/holdfast/lock/host/changelog.sql");
		liquibase.setResourceLoader(new DefaultResourceLoader());
		return liquibase;
	}

	private Void migrate() throws LiquibaseException {
		liquibase(this.dataSource, this.locks).afterPropertiesSet();
		return null;
	}

	private int query(String sql) throws SQLException {
		try (Connection connection = this.dataSource.getConnection();
				Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery(sql)) {
			result.next();
			return result.getInt(1);
		}
	}

	@Test
	void instancesThatStartTogetherMigrateOnce() throws Exception {
		ExecutorService instances = Executors.newFixedThreadPool(4);
		try {
			List<Callable<Void>> starts = new ArrayList<>();
			for (int i = 0; i < 4; i++) {
				starts.add(this::migrate);
			}
			for (Future<Void> start : instances.invokeAll(starts)) {
				start.get();
			}
		}
		finally {
			instances.shutdownNow();
		}

		assertThat(query("select count(*) from parcel")).isOne();
	}

	@Test
	void lockOfAnInstanceThatWasKilledDoesNotLast() throws Exception {
		migrate();
		try (Connection connection = this.dataSource.getConnection();
				Statement statement = connection.createStatement()) {
			statement.executeUpdate("update databasechangeloglock set locked = true, lockedby = 'killed', "
					+ "lockgranted = current_timestamp");
			statement.executeUpdate("delete from databasechangelog where id = '2'");
		}

		migrate();

		assertThat(query("select count(*) from parcel")).isEqualTo(2);
		assertThat(query("select count(*) from databasechangeloglock where locked = true")).isZero();
	}

}
