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

import java.util.List;

import javax.sql.DataSource;

import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Creates the tables, under a lock: of instances that start together, each would find
 * none.
 */
@Configuration(proxyBeanMethods = false)
class SchemaConfiguration {

	@Bean
	DataSourceScriptDatabaseInitializer schema(DataSource dataSource, LockClient locks) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setSchemaLocations(List.of("classpath:schema.sql"));
		settings.setMode(DatabaseInitializationMode.ALWAYS);
		return new DataSourceScriptDatabaseInitializer(dataSource, settings) {

			@Override
			public boolean initializeDatabase() {
				return locks.execute("schema", LockOptions.defaults().waitTime(LockOptions.FOREVER),
						(lease) -> super.initializeDatabase());
			}

		};
	}

}
