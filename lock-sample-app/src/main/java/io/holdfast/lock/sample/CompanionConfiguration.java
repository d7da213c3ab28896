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

import java.io.IOException;
import java.net.URI;

import javax.sql.DataSource;

import org.springframework.boot.autoconfigure.AbstractDependsOnBeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Joins the companion before the first connection to the database and leaves it after the
 * last, unless the payment provider is on another machine.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(CompanionConfiguration.OnProviderOfThisMachine.class)
class CompanionConfiguration {

	@Bean
	Companion companion(Environment environment, SampleProperties sample) throws IOException, InterruptedException {
		String database = environment.getRequiredProperty("spring.datasource.url");
		return new Companion(sample.paymentsUrl(), sample.directory(),
				database.startsWith("jdbc:h2:file:") ? database : null);
	}

	@Bean
	static AbstractDependsOnBeanFactoryPostProcessor dataSourceDependsOnCompanion() {
		return new DataSourceDependsOnCompanion();
	}

	private static final class DataSourceDependsOnCompanion extends AbstractDependsOnBeanFactoryPostProcessor {

		DataSourceDependsOnCompanion() {
			super(DataSource.class, Companion.class);
		}

	}

	static final class OnProviderOfThisMachine implements Condition {

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			String url = context.getEnvironment().getRequiredProperty("sample.payments-url");
			return EmbeddedRedisConfiguration.isLoopback(URI.create(url).getHost());
		}

	}

}
