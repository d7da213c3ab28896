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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockDirectory.QueuedWaiter;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.annotation.DistributedLock;
import io.holdfast.lock.fixture.LockRunner;
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
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
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
			.withBean(FailingServer.class)
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

	@Test
	void workThatEndsDuringShutdownKeepsItsLock() {
		LockRunner.create().withBean(Job.class).run((context) -> {
			Job job = context.getBean(Job.class);
			try (OtherProcess other = new OtherProcess((ApplicationContext) context);
					TestThread<Boolean> worker = TestThread.start(() -> {
						Boolean locked = job.run(() -> other.sees("job"));
						job.ended();
						return locked;
					})) {
				job.awaitRunning();

				context.close();

				assertThat(worker.join()).isTrue();
				assertThat(other.sees("job")).isFalse();
			}
		});
	}

	@Test
	void lockedCallOnAnyThreadIsWaitedFor() {
		LockRunner.create().withBean(Task.class).withBean(PhaseBefore.class).run((context) -> {
			Task task = context.getBean(Task.class);
			try (OtherProcess other = new OtherProcess((ApplicationContext) context);
					TestThread<Boolean> worker = TestThread.start(() -> task.run(() -> other.sees("task")));
					TestThread<Boolean> shutdown = TestThread.start(() -> {
						task.awaitStarted();
						context.close();
						return true;
					})) {
				await(context.getBean(PhaseBefore.class).stopped);
				Awaitility.await().until(shutdown::isWaitingOrDone);

				task.goOn();

				assertThat(worker.join()).isTrue();
				assertThat(shutdown.join()).isTrue();
				assertThat(other.sees("task")).isFalse();
			}
		});
	}

	@Test
	void callThatGoesOnForLongerIsToldThatItsLockIsLostWhichNobodyElseGetsMeanwhile() {
		LockRunner.create()
			.withBean(Task.class)
			.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms")
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

	/** Its owner cannot give it back any more. */
	private static void holdByEndedThread(LockClient client, String name) {
		try (TestThread<Boolean> owner = TestThread.start(() -> client.getLock(name).tryLock())) {
			assertThat(owner.join()).isTrue();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(CountDownLatch latch) throws InterruptedException {
		assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
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

	/** Stops as a web server or a scheduler does: when its work is done. */
	public static class Job implements SmartLifecycle {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch stopping = new CountDownLatch(1);

		private final CountDownLatch done = new CountDownLatch(1);

		private volatile boolean running;

		@DistributedLock(name = "job")
		public Boolean run(Question isLocked) throws InterruptedException {
			this.started.countDown();
			this.stopping.await(20, TimeUnit.SECONDS);
			return isLocked.ask();
		}

		void ended() {
			this.done.countDown();
		}

		void awaitRunning() throws InterruptedException {
			assertThat(this.started.await(20, TimeUnit.SECONDS)).isTrue();
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.stopping.countDown();
			try {
				this.done.await(20, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	/** Runs where nothing waits for it. */
	public static class Task {

		private final CountDownLatch started = new CountDownLatch(1);

		private final CountDownLatch goOn = new CountDownLatch(1);

		@DistributedLock(name = "task")
		public Boolean run(Question isLocked) throws InterruptedException {
			this.started.countDown();
			await(this.goOn);
			return isLocked.ask();
		}

		void awaitStarted() throws InterruptedException {
			await(this.started);
		}

		void goOn() {
			this.goOn.countDown();
		}

	}

	/** Stops before locked calls are waited for. */
	public static class PhaseBefore implements SmartLifecycle {

		final CountDownLatch stopped = new CountDownLatch(1);

		@Override
		public void start() {
		}

		@Override
		public void stop() {
			this.stopped.countDown();
		}

		@Override
		public boolean isRunning() {
			return this.stopped.getCount() > 0;
		}

		@Override
		public int getPhase() {
			return LockClientShutdown.PHASE + 2;
		}

	}

	/** Cannot start, as a web server whose port is in use. */
	public static class FailingServer implements SmartLifecycle {

		private final LockClient client;

		FailingServer(LockClient client) {
			this.client = client;
		}

		@Override
		public void start() {
			holdByEndedThread(this.client, "held");
			throw new IllegalStateException("The port is in use");
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	interface Question {

		boolean ask();

	}

}
