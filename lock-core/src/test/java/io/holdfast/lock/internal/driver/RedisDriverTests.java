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

package io.holdfast.lock.internal.driver;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSentinels;
import io.holdfast.lock.testing.TestThreads;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a driver promises, with every kind of connection factory: that calls end, and
 * whether they may have been sent.
 */
class RedisDriverTests extends DriverFixture {

	/** How much longer than its limit a call takes at most on a busy machine. */
	private static final Duration SLACK = Duration.ofSeconds(20);

	/**
	 * Has several threads use connections at once.
	 */
	private void use(RedisDriver driver, int count) throws Exception {
		CountDownLatch all = new CountDownLatch(count);
		this.crew.start("user", count, () -> driver.call(false, (connection) -> {
			connection.ping();
			all.countDown();
			TestThreads.await(all);
			return connection.ping();
		}));
		this.crew.join(LONG);
	}

	private static Duration time(ThrowingCallable call) {
		long start = System.nanoTime();
		assertThat(catchThrowable(call)).isNotNull();
		return Duration.ofNanos(System.nanoTime() - start);
	}

	@Test
	void otherFactoryIsRefused() {
		RedisConnectionFactory other = (RedisConnectionFactory) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RedisConnectionFactory.class }, (proxy, method, args) -> null);

		assertThatIllegalArgumentException().isThrownBy(() -> RedisDriver.of(other, LONG))
			.withMessageContaining("LettuceConnectionFactory: define one");
	}

	@Test
	void connectionsOfJedisAreAsTheFactoryIsConfigured() {
		RedisStandaloneConfiguration third = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
		third.setDatabase(3);
		JedisConnectionFactory factory = new JedisConnectionFactory(third,
				JedisClientConfiguration.builder().clientName("orders").build());
		factory.start();
		RedisDriver driver = open(keep(factory), LONG);
		byte[] key = "a".getBytes(StandardCharsets.US_ASCII);

		for (int i = 0; i < 2; i++) {
			String name = driver.call(false, (connection) -> connection.serverCommands().getClientName());
			assertThat(name).isEqualTo("orders");
			driver.call(false, (connection) -> connection.stringCommands().set(key, key));
		}

		assertThat(this.server.info("keyspace", "db3")).startsWith("keys=1,");
	}

	@Test
	void connectionsOfJedisAreAsTheFactoryIsConfiguredWhenTheyAreOpened() throws Exception {
		RedisStandaloneConfiguration present = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
		JedisConnectionFactory factory = new JedisConnectionFactory(present);
		factory.start();
		RedisDriver driver = open(keep(factory), LONG);
		byte[] key = "a".getBytes(StandardCharsets.US_ASCII);
		driver.call(false, (connection) -> {
			connection.serverCommands().setConfig("requirepass", "new");
			return true;
		});

		present.setPassword("new");
		use(driver, 5);

		try (RedisProcess other = RedisProcess.start()) {
			present.setPort(other.port());
			present.setPassword(RedisPassword.none());
			driver.call(false, (connection) -> connection.stringCommands().set(key, key));
			assertThat(other.info("keyspace", "db0")).startsWith("keys=1,");
		}
	}

	// Dead connections

	@ParameterizedTest
	@EnumSource
	void callsGoOnAfterARestart(Kind kind) throws Exception {
		RedisDriver driver = open(kind);
		use(driver, 5);

		this.server.kill();
		this.server.startAgain();

		if (kind == Kind.JEDIS) {
			assertThatExceptionOfType(MaybeSentException.class)
				.isThrownBy(() -> driver.call(false, DriverFixture::exists));
			for (int i = 0; i < 10; i++) {
				assertThat(driver.call(false, DriverFixture::exists)).isFalse();
			}
		}
		// Lettuce connects again in the background.
		awaitAnswer(driver);
	}

	@ParameterizedTest
	@EnumSource(names = "JEDIS")
	void serverThatIsAwayWasSentNothing(Kind kind) throws Exception {
		RedisDriver driver = open(kind);
		driver.call(false, DriverFixture::exists);

		this.server.kill();
		assertThatExceptionOfType(MaybeSentException.class).isThrownBy(() -> driver.call(false, DriverFixture::exists));

		assertThatExceptionOfType(NotSentException.class).isThrownBy(() -> driver.call(false, DriverFixture::exists));
	}

	/**
	 * Lettuce by itself tries ever more rarely, at last every half minute.
	 */
	@Test
	void lettuceIsConnectedAgainAsSoonAsTheServerIsBack() {
		ClientResources rarely = DefaultClientResources.builder()
			.reconnectDelay(Delay.constant(Duration.ofMinutes(1)))
			.build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.server.host(), this.server.port()),
				LettuceClientConfiguration.builder().clientResources(rarely).shutdownTimeout(Duration.ZERO).build());
		factory.afterPropertiesSet();
		factory.start();
		RedisDriver driver = open(keep(factory), Duration.ofSeconds(2));
		awaitAnswer(driver);
		this.server.kill();
		await(() -> catchThrowable(() -> driver.call(false, DriverFixture::exists)) instanceof NotSentException);

		this.server.startAgain();

		awaitAnswer(driver);
	}

	@Test
	void masterIsRememberedWhileNoSentinelAnswers() throws Exception {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			RedisConnectionFactory factory = keep(Kind.JEDIS.driver.connect(sentinels));
			RedisDriver driver = open(factory, LONG);
			driver.call(false, DriverFixture::exists);
			sentinels.sentinels().forEach(RedisProcess::kill);
			int pools = pools();
			assertThatExceptionOfType(NotSentException.class)
				.isThrownBy(() -> open(factory, LONG).call(false, DriverFixture::exists));
			assertThat(pools()).isEqualTo(pools);

			// From then on the sentinels are asked again.
			Awaitility.await().pollDelay(Duration.ofSeconds(6)).until(() -> true);
			driver.demoted();

			assertThat(driver.call(false, DriverFixture::exists)).isFalse();
		}
	}

	@Test
	void newMasterIsFoundAlthoughTheSentinelsTellOfItOnDeadConnections() {
		try (RedisSentinels sentinels = RedisSentinels.start()) {
			List<FaultProxy> proxies = sentinels.sentinels().stream().map(FaultProxy::new).toList();
			try {
				RedisSentinelConfiguration configuration = new RedisSentinelConfiguration()
					.master(RedisSentinels.MASTER);
				proxies.forEach((each) -> configuration.sentinel(each.host(), each.port()));
				RedisDriver driver = open(keep(Kind.JEDIS.driver.connect(configuration, LONG)), LONG);
				awaitAnswer(driver);
				await(() -> sentinels.sentinels()
					.stream()
					.allMatch((each) -> each.command("CLIENT", "LIST", "TYPE", "pubsub")
						.toString()
						.contains("cmd=subscribe")));
				proxies.forEach((each) -> each.goDeaf("SUBSCRIBE"));
				sentinels.failOver();
				byte[] key = "a".getBytes(StandardCharsets.US_ASCII);

				Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(100)).until(() -> {
					driver.demoted();
					Throwable unused = catchThrowable(
							() -> driver.call(false, (connection) -> connection.stringCommands().set(key, key)));
					return sentinels.master().command("EXISTS", "a").equals(1L);
				});
			}
			finally {
				proxies.forEach(FaultProxy::close);
			}
		}
	}

	private static int pools() throws MalformedObjectNameException {
		return ManagementFactory.getPlatformMBeanServer()
			.queryNames(new ObjectName("org.apache.commons.pool2:*"), null)
			.size();
	}

	// Limits

	@ParameterizedTest
	@EnumSource
	void callEndsAtItsLimitAlthoughTheServerHangs(Kind kind) {
		RedisDriver driver = open(connect(kind), Duration.ofSeconds(2));
		awaitAnswer(driver);
		this.server.pause();

		assertThat(time(() -> driver.call(false, DriverFixture::exists))).isBetween(Duration.ofMillis(1900),
				Duration.ofSeconds(2).plus(SLACK));

		this.server.resume();
		awaitAnswer(driver);
	}

	/**
	 * They share a connection.
	 */
	@ParameterizedTest
	@EnumSource(names = "LETTUCE")
	void renewalIsAnsweredAlthoughRequestsWereNot(Kind kind) throws Exception {
		RedisDriver driver = open(connect(kind), Duration.ofMillis(300));
		awaitAnswer(driver);
		this.server.pause();
		AtomicReference<Boolean> answer = new AtomicReference<>();
		Crew.Member renewal = this.crew.start("renewal", () -> answer.set(driver.call(true, DriverFixture::exists)));
		time(() -> driver.call(false, DriverFixture::exists));
		time(() -> driver.call(false, DriverFixture::exists));

		this.server.resume();

		renewal.join(LONG);
		assertThat(answer.get()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void firstCallEndsAlthoughTheServerHangs(Kind kind) {
		RedisDriver driver = open(connect(kind), RedisDriver.LONGEST_REQUEST);
		this.server.pause();

		assertThat(time(() -> driver.call(false, DriverFixture::exists)))
			.isLessThan(RedisDriver.LONGEST_REQUEST.multipliedBy(2).plus(SLACK));

		this.server.resume();
		awaitAnswer(driver);
	}

	// What 4.1 deprecates is all that 3.5 has.
	@SuppressWarnings("deprecation")
	@Test
	void callEndsAlthoughTheNameOfTheServerIsNotResolved() {
		CountDownLatch resolved = new CountDownLatch(1);
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(this.server.host(), this.server.port()),
				JedisClientConfiguration.builder().customize((config) -> config.hostAndPortMapper((address) -> {
					TestThreads.await(resolved);
					return address;
				})).build());
		factory.start();
		RedisDriver driver = open(keep(factory), Duration.ofMillis(100));

		assertThatExceptionOfType(NotSentException.class).isThrownBy(() -> driver.call(false, DriverFixture::exists))
			.withMessageContaining("no connection within");

		resolved.countDown();
		awaitAnswer(driver);
	}

	@ParameterizedTest
	@EnumSource(names = "JEDIS")
	void callsNeedNothingOfTheApplicationsPool(Kind kind) throws Exception {
		RedisConnectionFactory factory = connect(kind);
		RedisDriver driver = open(factory, LONG);
		this.crew.start("hog", 32, () -> {
			try (RedisConnection connection = factory.getConnection()) {
				connection.listCommands().bLPop(60, "end".getBytes(StandardCharsets.US_ASCII));
			}
		});
		await(() -> this.server.info("clients", "blocked_clients").equals("32"));

		assertThat(driver.call(false, DriverFixture::exists)).isFalse();
		assertThat(driver.call(true, DriverFixture::exists)).isFalse();

		for (int i = 0; i < 32; i++) {
			this.server.command("RPUSH", "end", "1");
		}
		this.crew.join(LONG);
	}

	@Test
	void waitForAConnectionEndsAtTheLimitAndWithAnInterrupt() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		RedisDriver brief = openAndHog(Duration.ofSeconds(2), end);
		RedisDriver patient = openAndHog(LONG, end);

		assertThatExceptionOfType(NotSentException.class).isThrownBy(() -> brief.call(false, DriverFixture::exists))
			.withCauseInstanceOf(NoSuchElementException.class);
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		Crew.Member waiter = this.crew.start("waiter",
				() -> thrown.set(catchThrowable(() -> patient.call(false, DriverFixture::exists))));
		await(() -> waiter.thread().getState() == Thread.State.TIMED_WAITING);
		waiter.thread().interrupt();

		waiter.join(LONG);
		assertThat(thrown.get()).hasCauseInstanceOf(InterruptedException.class);
		assertThat(patient.call(true, DriverFixture::exists)).as("renewals have room").isFalse();
		end.countDown();
		this.crew.join(LONG);
	}

	@Test
	void callThatWaitedForAConnectionHasTheRestOfItsLimit() throws Exception {
		CountDownLatch end = new CountDownLatch(1);
		RedisDriver driver = openAndHog(LONG, end);
		AtomicInteger limit = new AtomicInteger();
		Crew.Member waiter = this.crew.start("waiter",
				() -> limit.set(driver.call(false, RedisDriverTests::socketTimeout)));
		await(() -> waiter.thread().getState() == Thread.State.TIMED_WAITING);

		end.countDown();

		waiter.join(LONG);
		assertThat(limit).hasValueLessThan((int) LONG.toMillis()).hasValueGreaterThan((int) LONG.toMillis() / 3);
		this.crew.join(LONG);
	}

	private static int socketTimeout(RedisConnection connection) {
		return ((Jedis) connection.getNativeConnection()).getConnection().getSoTimeout();
	}

	private RedisDriver openAndHog(Duration longestRequest, CountDownLatch end) throws InterruptedException {
		RedisDriver driver = open(connect(Kind.JEDIS), longestRequest);
		CountDownLatch begun = new CountDownLatch(JedisDriver.MOST_REQUESTS);
		this.crew.start("hog", JedisDriver.MOST_REQUESTS, () -> driver.call(false, (connection) -> {
			begun.countDown();
			TestThreads.await(end);
			return true;
		}));
		begun.await();
		return driver;
	}

	// Life cycle

	@Test
	void factoryThatWasNeverStartedIsNamed() {
		RedisStandaloneConfiguration nowhere = new RedisStandaloneConfiguration();
		for (RedisConnectionFactory factory : List.of(new JedisConnectionFactory(nowhere),
				new LettuceConnectionFactory(nowhere))) {
			RedisDriver driver = open(factory, LONG);

			assertThatIllegalStateException().isThrownBy(() -> driver.call(false, DriverFixture::exists))
				.withMessageStartingWith("The connection factory was never started");
		}
	}

	@ParameterizedTest
	@EnumSource
	void factoryThatIsStoppedHasNoConnectionsHere(Kind kind) throws Exception {
		RedisConnectionFactory factory = connect(kind);
		RedisDriver driver = open(factory, LONG);
		use(driver, 3);

		((SmartLifecycle) factory).stop();
		assertThatIllegalStateException().isThrownBy(() -> driver.call(false, DriverFixture::exists))
			.withMessageContaining("was stopped");
		await(() -> this.server.info("clients", "connected_clients").equals("1"));
		((SmartLifecycle) factory).start();

		assertThat(driver.call(false, DriverFixture::exists)).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void callThatComesAfterTheEndStillGoesOut(Kind kind) {
		RedisDriver driver = open(kind);
		driver.call(false, DriverFixture::exists);
		driver.close();

		assertThat(driver.call(false, DriverFixture::exists)).isFalse();
	}

}
