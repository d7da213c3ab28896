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

import java.util.Map;

import javax.sql.DataSource;

import io.holdfast.lock.testing.TestThreads;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The fence with JPA, which writes at the commit only.
 */
class JpaFenceTests {

	@ParameterizedTest
	@EnumSource
	void ownerThatWasOvertakenIsRolledBackAndOthersAreNot(TestDatabase database) {
		FenceScene.run(FenceScene.application(database).withUserConfiguration(Jpa.class), (scene) -> {
			String name = scene.account();
			EntityManager entities = SharedEntityManagerCreator
				.createSharedEntityManager(scene.context.getBean(EntityManagerFactory.class));
			Runnable add = () -> entities.find(Account.class, name).balance++;

			assertThatExceptionOfType(SupersededException.class)
				.isThrownBy(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> {
					add.run();
					try (TestThreads threads = new TestThreads()) {
						threads.run(() -> scene.locks.onOtherMaster(name, () -> scene.inTransaction(add))).result();
					}
				})));
			assertThat(scene.balance(name)).isOne();

			scene.locks.locked(name, () -> scene.inTransaction(add));
			assertThat(scene.balance(name)).isEqualTo(2);
		});
	}

	@ParameterizedTest
	@EnumSource
	void mistakeThatShowsAtTheCommitIsToldAsEver(TestDatabase database) {
		FenceScene.run(FenceScene.application(database).withUserConfiguration(Jpa.class), (scene) -> {
			String name = scene.account();
			EntityManager entities = SharedEntityManagerCreator
				.createSharedEntityManager(scene.context.getBean(EntityManagerFactory.class));

			assertThatExceptionOfType(DataIntegrityViolationException.class)
				.isThrownBy(() -> scene.locks.locked(name, () -> scene.inTransaction(() -> {
					Account second = new Account();
					second.id = name;
					entities.persist(second);
				})));
		});
	}

	@Entity
	@Table(name = "account")
	static class Account {

		@Id
		String id;

		int balance;

	}

	@Configuration(proxyBeanMethods = false)
	static class Jpa {

		@Bean
		LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			factory.setPackagesToScan(JpaFenceTests.class.getPackageName());
			factory.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "none"));
			return factory;
		}

		@Bean
		JpaTransactionManager transactionManager(EntityManagerFactory factory) {
			return new JpaTransactionManager(factory);
		}

	}

}
