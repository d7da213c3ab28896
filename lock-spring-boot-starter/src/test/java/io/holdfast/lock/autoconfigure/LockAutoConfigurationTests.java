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

package io.holdfast.lock.autoconfigure;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.Losses;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.internal.text.DurationText;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.scheduling.TaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Which beans an application gets, and when it does not. */
class LockAutoConfigurationTests {

	private final ApplicationContextRunner runner = LockRunner.create();

	@Test
	void clientIsNamedAfterApplication() {
		this.runner.withPropertyValues("spring.application.name=till")
			.run((context) -> assertThat(context.getBean(LockClient.class).id()).startsWith("till@"));
	}

	@Test
	void startTellsWithWhomLocksAreShared() {
		try (LogCapture log = LogCapture.of(LockAutoConfiguration.class.getName(), Level.INFO)) {
			this.runner.withPropertyValues("holdfast.lock.key-prefix=till:")
				.run((context) -> assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
					.contains("'till:'", context.getBean(LockClient.class).id()));
		}
	}

	@Test
	void backsOffIfApplicationHasItsOwnClient() {
		this.runner.withUserConfiguration(OwnClient.class)
			.run((context) -> assertThat(context).hasSingleBean(LockClient.class).hasBean("myClient"));
	}

	@Test
	void testMayReplaceTheClient() {
		LockClient replacement = (LockClient) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, args) -> null);
		this.runner.withInitializer((context) -> context.addBeanFactoryPostProcessor((beanFactory) -> {
			BeanDefinitionRegistry registry = (BeanDefinitionRegistry) beanFactory;
			registry.removeBeanDefinition("lockClient");
			registry.registerBeanDefinition("lockClient",
					BeanDefinitionBuilder.genericBeanDefinition(LockClient.class, () -> replacement)
						.getBeanDefinition());
		})).run((context) -> assertThat(context).hasNotFailed().getBean(LockClient.class).isSameAs(replacement));
	}

	@Test
	void isOffIfDisabled() {
		this.runner.withPropertyValues("holdfast.lock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(RedisLockClient.class)
				.doesNotHaveBean(StartUpCheck.class));
	}

	@Test
	void backsOffWithoutConnectionFactory() {
		this.runner.withClassLoader(new FilteredClassLoader("redis.clients", "io.lettuce"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockClient.class)
				.doesNotHaveBean(LockClientShutdown.class));
	}

	@Test
	void jedisIsTheClientWithoutLettuce() {
		this.runner.withClassLoader(new FilteredClassLoader("io.lettuce")).run((context) -> {
			assertThat(context).getBean(RedisConnectionFactory.class).isInstanceOf(JedisConnectionFactory.class);
			assertLocks(context);
		});
	}

	@Test
	void lettuceStaysTheClientOfAnApplicationThatHasIt() {
		this.runner.run((context) -> {
			assertThat(context).getBean(RedisConnectionFactory.class).isInstanceOf(LettuceConnectionFactory.class);
			assertLocks(context);
			assertThat(context).hasSingleBean(RedisLockClient.class).hasBean("lockClient");
		});
	}

	@Test
	void publishesNothingThatBelongsToTheApplication() {
		this.runner.run((context) -> {
			assertThat(context).doesNotHaveBean(TaskScheduler.class).doesNotHaveBean(ScheduledExecutorService.class);
			assertThat(context.getBeanNamesForType(RedisMessageListenerContainer.class))
				.allMatch("redisMessageListenerContainer"::equals);
			assertThat(context.getBeanNamesForType(RedisTemplate.class)).containsOnly("redisTemplate",
					"stringRedisTemplate");
		});
	}

	@Test
	void lossReachesObserversEventsAndLogOnce() {
		this.runner.withUserConfiguration(Losses.class).run((context) -> {
			Losses told = context.getBean(Losses.class);
			LeaseLock lock = context.getBean(LockClient.class).getLock("lost");
			try (OtherProcess other = new OtherProcess((ApplicationContext) context);
					LogCapture log = LogCapture.of("io.holdfast.lock", Level.WARN)) {
				lock.lock();
				long token = lock.token();

				other.takeByForce("lost");

				Awaitility.await().until(() -> !told.events().isEmpty() && !told.observed().isEmpty());
				assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
				assertThat(told.observed()).hasSize(1);
				assertThat(told.events()).isEqualTo(told.observed());
				LockLoss loss = told.observed().get(0);
				Awaitility.await().until(() -> log.lines().stream().anyMatch((line) -> line.contains("'lost'")));
				assertThat(log.lines()).filteredOn((line) -> line.contains("'lost'"))
					.containsExactly("WARN Lock 'lost' with fencing token " + token + " was lost (" + loss.cause()
							+ ") after " + DurationText.millisOf(loss.held())
							+ ": another holder may be at work while its owner still is. "
							+ "Check what both of them wrote");
			}
		});
	}

	@Test
	void lossOfAClientOfAChildContextIsAnEventInBothOnce() {
		this.runner.withUserConfiguration(Losses.class)
			.run((parent) -> this.runner.withParent(parent.getSourceApplicationContext())
				.withUserConfiguration(Losses.class, BuiltClient.class)
				.run((child) -> {
					LockClient client = child.getBean("built", LockClient.class);
					for (String name : List.of("first", "second")) {
						client.getLock(name).lock();
						client.getLock(name).forceUnlock();
					}

					// The second comes after all of the first.
					Awaitility.await()
						.until(() -> child.getBean(Losses.class).events().size() > 1
								&& parent.getBean(Losses.class).events().size() > 1);
					assertThat(child.getBean(Losses.class).events()).extracting(LockLoss::name)
						.containsExactly("first", "second");
					assertThat(parent.getBean(Losses.class).events()).extracting(LockLoss::name)
						.containsExactly("first", "second");
				}));
	}

	private static void assertLocks(ApplicationContext context) {
		LeaseLock lock = context.getBean(LockClient.class).getLock("driver");
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnClient {

		@Bean
		RedisLockClient myClient(RedisConnectionFactory connectionFactory) {
			return RedisLockClient.builder(connectionFactory).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BuiltClient {

		@Bean
		LockClient built(RedisConnectionFactory connectionFactory, ObjectProvider<LockObserver> observers) {
			RedisLockClientBuilder builder = RedisLockClient.builder(connectionFactory);
			observers.orderedStream().forEach(builder::observer);
			return builder.build();
		}

	}

}
