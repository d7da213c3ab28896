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
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.BootLine;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.OtherProcess;
import io.holdfast.lock.fixture.TestThread;
import io.holdfast.lock.redis.RedisLockClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** When the client closes, and when it does not. */
class LockClientShutdownTests {

	@Test
	void closedApplicationHasReleasedItsLocks() {
		LockRunner.create().run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				holdByEndedThread(context.getBean(LockClient.class), "held");

				context.close();

				assertThat(other.sees("held")).isFalse();
			}
		});
	}

	@Test
	void clientsOfTheApplicationAreClosedInTimeToo() {
		LockRunner.create().withUserConfiguration(OwnClients.class).run((context) -> {
			try (OtherProcess other = new OtherProcess("own:")) {
				holdByEndedThread(context.getBean("one", LockClient.class), "held by one");
				holdByEndedThread(context.getBean("two", LockClient.class), "held by two");

				context.close();

				assertThat(other.sees("held by one")).isFalse();
				assertThat(other.sees("held by two")).isFalse();
			}
		});
	}

	@Test
	void applicationThatFailsWhileItStartsHasReleasedItsLocks() {
		String prefix = "failed:" + UUID.randomUUID() + ":";
		LockRunner.create()
			.withPropertyValues("holdfast.lock.key-prefix=" + prefix)
			.withUserConfiguration(FailingServer.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				try (OtherProcess other = new OtherProcess(prefix)) {
					assertThat(other.sees("held")).isFalse();
				}
			});
	}

	@Test
	void closedApplicationHasLeftTheQueue() {
		LockRunner.create().run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				other.hold("awaited");
				try (TestThread<Boolean> waiter = TestThread
					.start(() -> client.getLock("awaited").tryLock(Duration.ofSeconds(20)))) {
					Awaitility.await().until(() -> !other.client().directory().queue("awaited", 1).isEmpty());

					context.close();

					assertThatExceptionOfType(LockClientClosedException.class).isThrownBy(waiter::join);
					assertThat(other.client().directory().queue("awaited", 1)).noneMatch(QueuedWaiter::alive);
				}
			}
		});
	}

	/** As that of a web server or a scheduler, which stops when its work is done. */
	@Test
	void workThatEndsDuringShutdownKeepsItsLock() {
		Task task = new Task();
		CountDownLatch done = new CountDownLatch(1);
		Phase server = new Phase(LockClientShutdownTests::nothing, () -> {
			task.goOn();
			await(done);
		});
		LockRunner.create().withBean(Task.class, () -> task).withBean(Phase.class, () -> server).run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context);
					TestThread<Boolean> worker = TestThread.start(() -> {
						Boolean locked = context.getBean(Task.class).run(() -> other.sees("task"));
						done.countDown();
						return locked;
					})) {
				task.awaitStarted();

				context.close();

				assertThat(worker.join()).isTrue();
				assertThat(other.sees("task")).isFalse();
			}
		});
	}

	@Test
	void lockedCallOnAnyThreadIsWaitedFor() {
		CountDownLatch stopped = new CountDownLatch(1);
		LockRunner.create()
			.withBean(Task.class)
			.withBean(Phase.class, () -> new Phase(LockClientShutdownTests::nothing, stopped::countDown))
			.run((context) -> {
				Task task = context.getBean(Task.class);
				try (OtherProcess other = new OtherProcess((ApplicationContext) context);
						TestThread<Boolean> worker = TestThread.start(() -> task.run(() -> other.sees("task")));
						TestThread<Boolean> shutdown = TestThread.start(() -> {
							task.awaitStarted();
							context.close();
							return true;
						})) {
					await(stopped);
					Awaitility.await().until(shutdown::isWaitingOrDone);

					task.goOn();

					assertThat(worker.join()).isTrue();
					assertThat(shutdown.join()).isTrue();
					assertThat(other.sees("task")).isFalse();
				}
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { ThreadPoolTaskExecutor.class, ThreadPoolTaskScheduler.class })
	<T extends AsyncTaskExecutor> void executeInATaskOfSpringsIsWaitedFor(Class<T> executor) {
		LockRunner.create().withBean(executor).run((context) -> {
			LockClient client = context.getBean(LockClient.class);
			Task task = new Task();
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				Future<Boolean> result = context.getBean(executor)
					.submit(() -> client.execute("task", (lease) -> task.run(() -> other.sees("task"))));
				task.awaitStarted();
				try (TestThread<Boolean> shutdown = TestThread.start(() -> {
					context.close();
					return true;
				})) {
					Awaitility.await().until(shutdown::isWaitingOrDone);

					task.goOn();

					assertThat(result.get(10, TimeUnit.SECONDS)).isTrue();
					assertThat(shutdown.join()).isTrue();
					assertThat(other.sees("task")).isFalse();
				}
			}
		});
	}

	@Test
	void transactionThatKeepsALockIsWaitedFor() {
		CountDownLatch stopped = new CountDownLatch(1);
		LockRunner.create()
			.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withBean(Task.class)
			.withBean(Phase.class, () -> new Phase(LockClientShutdownTests::nothing, stopped::countDown))
			.run((context) -> {
				Task task = context.getBean(Task.class);
				task.goOn();
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));
				CountDownLatch returned = new CountDownLatch(1);
				CountDownLatch commit = new CountDownLatch(1);
				try (OtherProcess other = new OtherProcess((ApplicationContext) context);
						TestThread<Boolean> worker = TestThread
							.start(() -> transaction.execute((status) -> unchecked(() -> {
								task.run(() -> true);
								returned.countDown();
								await(commit);
								return other.sees("task");
							})));
						TestThread<Boolean> shutdown = TestThread.start(() -> {
							await(returned);
							context.close();
							return true;
						})) {
					await(stopped);
					Awaitility.await().until(shutdown::isWaitingOrDone);

					commit.countDown();

					assertThat(worker.join()).isTrue();
					assertThat(shutdown.join()).isTrue();
					assertThat(other.sees("task")).isFalse();
				}
			});
	}

	@Test
	void transactionThatClosesItsApplicationIsNotWaitedFor() {
		LockRunner.create()
			.withConfiguration(AutoConfigurations.of(BootLine.jdbc()))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withBean(Task.class)
			.run((context) -> {
				Task task = context.getBean(Task.class);
				task.goOn();
				TransactionTemplate transaction = new TransactionTemplate(
						context.getBean(PlatformTransactionManager.class));

				try (LogCapture log = LogCapture.of(DefaultLifecycleProcessor.class.getName(), Level.INFO)) {
					assertThatException().isThrownBy(() -> transaction.executeWithoutResult((status) -> {
						unchecked(() -> task.run(() -> true));
						context.close();
					}));

					assertThat(log.lines()).isEmpty();
				}
			});
	}

	@Test
	void callThatGoesOnForLongerIsToldThatItsLockIsLostWhichNobodyElseGetsMeanwhile() {
		LockRunner.create()
			.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
			.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms")
			.withBean(Task.class)
			.run((context) -> {
				Task task = context.getBean(Task.class);
				try (OtherProcess other = new OtherProcess((ApplicationContext) context);
						TestThread<Boolean> worker = TestThread.start(() -> task.run(() -> other.sees("task")))) {
					task.awaitStarted();

					context.close();

					assertThat(other.sees("task")).isTrue();
					task.goOn();
					assertThatExceptionOfType(LockLostException.class).isThrownBy(worker::join);
				}
			});
	}

	@Test
	void callThatClosesItsApplicationIsNotWaitedFor() {
		LockRunner.create().withBean(Task.class).run((context) -> {
			Task task = context.getBean(Task.class);
			task.goOn();

			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> task.run(() -> {
				context.close();
				return true;
			}));
		});
	}

	@Test
	void callWhoseResultComesLaterAndThatClosesItsApplicationIsNotWaitedFor() {
		LockRunner.create().withBean(LaterTask.class).run((context) -> {
			try (LogCapture log = LogCapture.of(DefaultLifecycleProcessor.class.getName(), Level.INFO)) {
				assertThat(
						context.getBean(LaterTask.class).run(context::close, CompletableFuture.completedFuture("done")))
					.failsWithin(Duration.ofSeconds(30));

				assertThat(log.lines()).isEmpty();
			}
		});
	}

	@Test
	void callThatClosesItsApplicationWaitsForOthersWhoseResultComesLater() {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		LockRunner.create()
			.withBean(Task.class)
			.withBean(LaterTask.class)
			.withBean(Phase.class, () -> new Phase(LockClientShutdownTests::nothing, stopped::countDown))
			.run((context) -> {
				CompletableFuture<String> work = new CompletableFuture<>();
				CompletableFuture<String> later = context.getBean(LaterTask.class).run(begun::countDown, work);
				await(begun);
				Task task = context.getBean(Task.class);
				task.goOn();
				try (TestThread<Boolean> shutdown = TestThread.start(() -> task.run(() -> {
					context.close();
					return true;
				}))) {
					await(stopped);
					Awaitility.await().until(shutdown::isWaitingOrDone);

					work.complete("done");

					assertThat(later).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("done");
					assertThatExceptionOfType(LockLostException.class).isThrownBy(shutdown::join);
				}
			});
	}

	private static <T> T unchecked(Callable<T> work) {
		try {
			return work.call();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Its owner cannot give it back any more. */
	private static void holdByEndedThread(LockClient client, String name) {
		try (TestThread<Boolean> owner = TestThread.start(() -> client.getLock(name).tryLock())) {
			assertThat(owner.join()).isTrue();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void nothing() {
	}

	private static void await(CountDownLatch latch) {
		assertThat(unchecked(() -> latch.await(20, TimeUnit.SECONDS))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "no.such.package", "io.lettuce" })
	void applicationThatWasStoppedAndStartedLocksAgain(String hidden) {
		LockRunner.create().withClassLoader(new FilteredClassLoader(hidden)).run((context) -> {
			ConfigurableApplicationContext application = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			LeaseLock lock = context.getBean(LockClient.class).getLock("again");
			lock.lock();
			lock.unlock();

			application.stop();
			application.start();

			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				assertThat(lock.tryLock()).isTrue();
				assertThat(other.sees("again")).isTrue();
				lock.unlock();
			}
		});
	}

	@Test
	void closedApplicationHasReleasedItsLocksAlthoughItsEventsComeLate() {
		LockRunner.create().withUserConfiguration(LateEvents.class).run((context) -> {
			try (OtherProcess other = new OtherProcess((ApplicationContext) context)) {
				holdByEndedThread(context.getBean(LockClient.class), "held");
				try (TestThread<Boolean> waiter = TestThread
					.start(() -> other.client().getLock("held").tryLock(Duration.ofSeconds(20)))) {
					Awaitility.await().until(() -> !other.client().directory().queue("held", 1).isEmpty());

					context.close();

					assertThat(waiter.join()).isTrue();
				}
			}
		});
	}

	@Test
	void applicationWhoseEventsComeLateKeepsItsClientWhenItIsStoppedAndStarted() {
		LockRunner.create().withUserConfiguration(LateEvents.class).run((context) -> {
			ConfigurableApplicationContext application = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);

			application.stop();
			application.start();

			assertThat(context.getBean(LockClient.class).getLock("again").tryLock()).isTrue();
		});
	}

	@Test
	void clientThatNobodyNeededIsNotMadeToBeClosed() {
		AtomicInteger made = new AtomicInteger();
		LockRunner.create()
			.withBean("lazy", LockClient.class, () -> proxy(made, new AtomicInteger()),
					(definition) -> definition.setLazyInit(true))
			.run((context) -> {
				context.close();

				assertThat(made).hasValue(0);
			});
	}

	@ParameterizedTest
	@CsvSource({ "(inferred),true,1", "close,true,1", ",true,1", "'',true,0", "(inferred),false,1" })
	void clientOfTheApplicationIsClosedOnce(String destroyMethod, boolean starts, int times) {
		AtomicInteger closed = new AtomicInteger();
		LockRunner.create()
			.withBean("own", LockClient.class, () -> proxy(new AtomicInteger(), closed),
					(definition) -> ((AbstractBeanDefinition) definition).setDestroyMethodName(destroyMethod))
			.withInitializer((context) -> {
				if (!starts) {
					context.addApplicationListener((ContextRefreshedEvent event) -> {
						throw new IllegalStateException("It does not start");
					});
				}
			})
			.run((context) -> {
				if (starts) {
					context.close();
				}

				assertThat(closed).hasValue(times);
			});
	}

	/**
	 * A client that counts how often it was made and closed.
	 */
	private static LockClient proxy(AtomicInteger made, AtomicInteger closed) {
		made.incrementAndGet();
		return (LockClient) Proxy.newProxyInstance(LockClient.class.getClassLoader(),
				new Class<?>[] { LockClient.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("close")) {
						closed.incrementAndGet();
					}
					return null;
				});
	}

	@Test
	void clientIsNotPaused() {
		LockRunner.create()
			.run((context) -> assertThat(context.getBean(LockClientShutdown.class).isPauseable()).isFalse());
	}

	/** Nothing delivers events before the context is closed. */
	@Configuration(proxyBeanMethods = false)
	static class LateEvents {

		@Bean
		ApplicationEventMulticaster applicationEventMulticaster(BeanFactory beanFactory) {
			SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster(beanFactory);
			multicaster.setTaskExecutor((task) -> {
			});
			return multicaster;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnClients {

		@Bean
		LockClient one(RedisConnectionFactory connectionFactory) {
			return RedisLockClient.builder(connectionFactory).keyPrefix("own:").build();
		}

		@Bean
		RedisLockClient two(RedisConnectionFactory connectionFactory) {
			return RedisLockClient.builder(connectionFactory).keyPrefix("own:").build();
		}

	}

	public static class LaterTask {

		@DistributedLock(name = "later")
		public CompletableFuture<String> run(Runnable begin, CompletableFuture<String> result) {
			begin.run();
			return result;
		}

	}

	public static class Task {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch goOn = new CountDownLatch(1);

		@DistributedLock(name = "task")
		public Boolean run(BooleanSupplier isLocked) {
			this.started.countDown();
			await(this.goOn);
			return isLocked.getAsBoolean();
		}

		void awaitStarted() {
			await(this.started);
		}

		void goOn() {
			this.goOn.countDown();
		}

	}

	/** Stops before locked calls are waited for. */
	static final class Phase implements SmartLifecycle {

		private final Runnable onStart;

		private final Runnable onStop;

		private volatile boolean running;

		Phase(Runnable onStart, Runnable onStop) {
			this.onStart = onStart;
			this.onStop = onStop;
		}

		@Override
		public void start() {
			this.onStart.run();
			this.running = true;
		}

		@Override
		public void stop() {
			this.onStop.run();
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return LockClientShutdown.PHASE + 2;
		}

	}

	/** Cannot start, as a web server whose port is in use. */
	@Configuration(proxyBeanMethods = false)
	static class FailingServer {

		@Bean
		Phase server(LockClient client) {
			return new Phase(() -> {
				holdByEndedThread(client, "held");
				throw new IllegalStateException("The port is in use");
			}, LockClientShutdownTests::nothing);
		}

	}

}
