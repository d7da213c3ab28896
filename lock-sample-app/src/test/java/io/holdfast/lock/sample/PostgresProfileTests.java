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

package io.holdfast.lock.sample;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The profile for PostgreSQL, on an H2 that understands its SQL.
 */
class PostgresProfileTests extends AtOnePlace {

	@Test
	void saleRunsOnTheDatabaseThatTheProfileNames() throws SQLException {
		try (Shop shop = Shop.open(this.place, "--spring.profiles.active=postgres",
				"--sample.postgres.url=jdbc:h2:mem:shop;MODE=PostgreSQL", "--sample.postgres.username=keeper");
				Connection connection = shop.bean(DataSource.class).getConnection()) {
			SaleResult result = shop.post("/api/sales?mode=LOCKED&stock=10&orders=40", SaleResult.class);

			assertThat(connection.getMetaData().getURL()).startsWith("jdbc:h2:mem:shop");
			assertThat(connection.getMetaData().getUserName()).isEqualToIgnoringCase("keeper");
			assertThat(result).extracting(SaleResult::sold, SaleResult::oversold).containsExactly(10, 0);
		}
	}

}
