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

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisProcess;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
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
class RedisDriverTests {

	private static final Duration LONG = Duration.ofSeconds(20);

	/** For a busy machine. */
	private static final Duration SLACK = Duration.ofMillis(700);

	private static final Duration LONGEST = RedisDriver.LONGEST_REQUEST;

	private final RedisProcess server = RedisProcess.start();

	private final Crew crew = new Crew();

	private final List<RedisConnectionFactory> factories = new ArrayList<>();

	private boolean paused;

	private final List<RedisDriver> drivers = new ArrayList<>();

	@AfterEach
	void end() throws Exception {
		if (this.paused) {
			this.server.resume();
		}
		this.crew.close();
		this.drivers.forEach(RedisDriver::close);
		this.factories.forEach(Factories::disconnect);
		this.server.close();
	}

	private RedisConnectionFactory connect(Factories kind) {
		RedisConnectionFactory factory = kind.make(this.server);
		this.factories.add(factory);
		return factory;
	}

	private RedisDriver open(RedisConnectionFactory factory) {
		RedisDriver driver = RedisDriver.of(factory);
		this.drivers.add(driver);
		return driver;
	}

	private RedisDriver open(Factories kind) {
		return open(connect(kind));
	}

	private void pause() {
		this.server.pause();
		this.paused = true;
	}

	private void resume() {
		this.server.resume();
		this.paused = false;
	}

	/**
	 * Has several threads use connections at once.
	 */
	private void use(RedisConnections connections, int count) throws Exception {
		CyclicBarrier all = new CyclicBarrier(count);
		this.crew.start("user", count, () -> connections.call(LONG, meetAt(all)));
		this.crew.join(LONG);
	}

	private static Function<RedisConnection, String> meetAt(CyclicBarrier all) {
		return (connection) -> {
			connection.ping();
			try {
				all.await();
			}
			catch (InterruptedException | BrokenBarrierException ex) {
				throw new IllegalStateException(ex);
			}
			return connection.ping();
		};
	}

	private static boolean exists(RedisConnection connection) {
		return Boolean.TRUE.equals(connection.keyCommands().exists("a".getBytes(StandardCharsets.US_ASCII)));
	}

	private static List<byte[]> popEnd(RedisConnection connection) {
		return connection.listCommands().bLPop(60, "end".getBytes(StandardCharsets.US_ASCII));
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

		assertThatIllegalArgumentException().isThrownBy(() -> RedisDriver.of(other))
			.withMessageContaining("LettuceConnectionFactory: define one");
	}

	@Test
	void connectionsOfJedisAreAsTheFactoryIsConfigured() {
		RedisStandaloneConfiguration third = new RedisStandaloneConfiguration(this.server.host(), this.server.port());
		third.setDatabase(3);
		JedisConnectionFactory factory = new JedisConnectionFactory(third,
				JedisClientConfiguration.builder().clientName("orders").build());
		factory.start();
		this.factories.add(factory);
		RedisConnections connections = open(factory).requests();
		byte[] key = "a".getBytes(StandardCharsets.US_ASCII);

		for (int i = 0; i < 2; i++) {
			String name = connections.call(LONG, (connection) -> connection.serverCommands().getClientName());
			assertThat(name).isEqualTo("orders");
			connections.call(LONG, (connection) -> connection.stringCommands().set(key, key));
		}

		assertThat(this.server.info("keyspace", "db3")).startsWith("keys=1,");
	}

	// Dead connections

	@ParameterizedTest
	@EnumSource
	void callsGoOnAfterARestart(Factories kind) throws Exception {
		RedisConnections connections = open(kind).requests();
		use(connections, 5);

		this.server.kill();
		this.server.startAgain();

		if (kind.isJedis()) {
			assertThatExceptionOfType(MaybeSentException.class)
				.isThrownBy(() -> connections.call(LONG, RedisDriverTests::exists))
				.matches(MaybeSentException::isRepeatable);
			for (int i = 0; i < 10; i++) {
				assertThat(connections.call(LONG, RedisDriverTests::exists)).isFalse();
			}
		}
		else {
			// Lettuce connects again in the background.
			Crew.Member caller = this.crew.start("caller", () -> {
				while (catchThrowable(() -> connections.call(LONG, RedisDriverTests::exists)) != null) {
					Thread.onSpinWait();
				}
			});
			caller.join(LONG);
		}
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_ALL, names = "JEDIS.*")
	void serverThatIsAwayWasSentNothing(Factories kind) throws Exception {
		RedisConnections connections = open(kind).requests();
		connections.call(LONG, RedisDriverTests::exists);

		this.server.kill();
		assertThatExceptionOfType(MaybeSentException.class)
			.isThrownBy(() -> connections.call(LONG, RedisDriverTests::exists));

		assertThatExceptionOfType(NotSentException.class)
			.isThrownBy(() -> connections.call(LONG, RedisDriverTests::exists));
	}

	// Limits

	@ParameterizedTest
	@EnumSource
	void callEndsAlthoughTheServerHangs(Factories kind) {
		RedisConnections connections = open(kind).requests();
		connections.call(LONG, RedisDriverTests::exists);
		pause();

		assertThat(time(() -> connections.call(LONG, RedisDriverTests::exists))).isBetween(Duration.ofMillis(900),
				LONGEST.plus(SLACK));
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.INCLUDE, names = { "JEDIS_UNIFIED", "JEDIS_LEGACY", "LETTUCE", "LETTUCE_UNSHARED" })
	void callEndsAtItsOwnLimit(Factories kind) {
		RedisConnections connections = open(kind).requests();
		connections.call(LONG, RedisDriverTests::exists);
		pause();

		assertThat(time(() -> connections.call(Duration.ofMillis(200), RedisDriverTests::exists)))
			.isLessThan(Duration.ofMillis(200).plus(SLACK));

		resume();
		assertThat(connections.call(LONG, RedisDriverTests::exists)).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void firstCallEndsAlthoughTheServerHangs(Factories kind) {
		RedisConnections connections = open(kind).requests();
		pause();

		assertThat(time(() -> connections.call(LONG, RedisDriverTests::exists)))
			.isLessThan(LONGEST.multipliedBy(2).plus(SLACK));

		resume();
		assertThat(connections.call(LONG, RedisDriverTests::exists)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.MATCH_ALL, names = "JEDIS.*")
	void callsNeedNothingOfTheApplicationsPool(Factories kind) throws Exception {
		RedisConnectionFactory factory = connect(kind);
		RedisDriver driver = open(factory);
		this.crew.start("hog", 8, () -> {
			try (RedisConnection connection = factory.getConnection()) {
				popEnd(connection);
			}
		});
		await(() -> this.server.info("clients", "blocked_clients").equals("8"));

		assertThat(driver.requests().call(LONG, RedisDriverTests::exists)).isFalse();
		assertThat(driver.reserved().call(LONG, RedisDriverTests::exists)).isFalse();

		this.server.command("RPUSH", "end", "1", "2", "3", "4", "5", "6", "7", "8");
		this.crew.join(LONG);
	}

	@Test
	void waitForAConnectionEndsAtTheLimitAndWithAnInterrupt() throws Exception {
		JedisConnectionFactory factory = (JedisConnectionFactory) connect(Factories.JEDIS_UNIFIED);
		RedisDriver driver = new Connections<>(factory, new JedisDriver(factory), LONG);
		this.drivers.add(driver);
		RedisConnections full = driver.requests();
		this.crew.start("hog", 8, () -> full.call(LONG, RedisDriverTests::popEnd));
		await(() -> this.server.info("clients", "blocked_clients").equals("8"));

		assertThatExceptionOfType(NotSentException.class)
			.isThrownBy(() -> full.call(Duration.ofMillis(50), RedisDriverTests::exists))
			.withCauseInstanceOf(NoSuchElementException.class);
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		Crew.Member waiter = this.crew.start("waiter",
				() -> thrown.set(catchThrowable(() -> full.call(LONG, RedisDriverTests::exists))));
		await(() -> waiter.thread().getState() == Thread.State.TIMED_WAITING);
		waiter.thread().interrupt();
		waiter.join(LONG);
		assertThat(thrown.get()).hasCauseInstanceOf(InterruptedException.class);

		assertThat(driver.reserved().call(LONG, RedisDriverTests::exists)).as("renewals have room").isFalse();
		this.server.command("RPUSH", "end", "1", "2", "3", "4", "5", "6", "7", "8");
		this.crew.join(LONG);
	}

	// Life cycle

	@Test
	void factoryThatWasNeverStartedIsNamed() {
		RedisStandaloneConfiguration nowhere = new RedisStandaloneConfiguration();
		for (RedisConnectionFactory factory : List.of(new JedisConnectionFactory(nowhere),
				new LettuceConnectionFactory(nowhere))) {
			RedisDriver driver = open(factory);

			assertThatIllegalStateException().isThrownBy(() -> driver.requests().call(LONG, RedisDriverTests::exists))
				.withMessageStartingWith("The connection factory was never started");
		}
	}

	@ParameterizedTest
	@EnumSource
	void factoryThatIsStoppedHasNoConnectionsHere(Factories kind) throws Exception {
		RedisConnectionFactory factory = connect(kind);
		RedisConnections connections = open(factory).requests();
		use(connections, 3);

		((SmartLifecycle) factory).stop();
		assertThatIllegalStateException().isThrownBy(() -> connections.call(LONG, RedisDriverTests::exists))
			.withMessageContaining("STOPPED");
		await(() -> this.server.info("clients", "connected_clients").equals("1"));
		((SmartLifecycle) factory).start();

		assertThat(connections.call(LONG, RedisDriverTests::exists)).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void callThatComesAfterTheEndStillGoesOut(Factories kind) {
		RedisDriver driver = open(kind);
		driver.requests().call(LONG, RedisDriverTests::exists);
		driver.close();

		assertThat(driver.requests().call(LONG, RedisDriverTests::exists)).isFalse();
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(5)).until(condition);
	}

}
