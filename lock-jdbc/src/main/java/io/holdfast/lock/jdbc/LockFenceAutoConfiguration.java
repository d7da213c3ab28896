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

import javax.sql.DataSource;

import io.holdfast.lock.autoconfigure.ConditionalOnLockSwitch;
import io.holdfast.lock.interceptor.LockStartUpException;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for the {@link DatabaseFence} of the application's database. An
 * application with several defines a fence for each that is to have one.
 */
@AutoConfiguration
@ConditionalOnLockSwitch("enabled")
@EnableConfigurationProperties(LockFenceProperties.class)
public final class LockFenceAutoConfiguration {

	@Bean
	@ConditionalOnLockSwitch("fence.enabled")
	@ConditionalOnMissingBean
	DatabaseFence lockDatabaseFence(ObjectProvider<DataSource> dataSources, LockFenceProperties properties) {
		DataSource dataSource = dataSources.getIfUnique();
		if (dataSource == null) {
			throw new LockStartUpException("lock-jdbc is on the class path, and there is no DataSource, or several.",
					"Define a bean of type DatabaseFence for each that is to be fenced, or make one DataSource @Primary. "
							+ "With holdfast.lock.fence.enabled=false nothing is fenced.");
		}
		return new DatabaseFence(dataSource, properties.initializeSchema());
	}

}
