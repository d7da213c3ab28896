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

package io.holdfast.lock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * That a wait ends at its time plus a little, whatever the application's connections do,
 * and that connections which died while they were idle cost no call. The application's
 * time-outs are those of careless people.
 */
class WaitBoundIT extends FaultFixture {

	private static final Duration CARELESS = Duration.ofMinutes(1);

	private static final Duration WAIT = Duration.ofMillis(300);

	/**
	 * More than what is promised, for a busy machine, and far less than people wait who
	 * are careless.
	 */
	private static final Duration BOUND = Duration.ofSeconds(6);

	WaitBoundIT() {
		super("--appendfsync", "always");
	}

	private RedisLockClient open(RedisConnectionFactory factory) {
		RedisLockClient client = this.clients.open(factory,
				(builder) -> builder.watchdogTimeout(FaultClients.PATIENCE).waiterTimeout(FaultClients.PATIENCE));
		FaultClients.awaitHears(client);
		return client;
	}

	private static Duration time(Callable<?> call) {
		long start = System.nanoTime();
		Throwable thrown = catchThrowable(call::call);
		long took = System.nanoTime() - start;
		assertThat(thrown == null || thrown instanceof LockServerException).as("%s", thrown).isTrue();
		return Duration.ofNanos(took);
	}

	@ParameterizedTest
	@EnumSource
	void waitEndsAtItsTimeAlthoughRedisHangs(RedisDriver driver) throws Exception {
		RedisLockClient client = open(this.clients.connect(driver, this.server, CARELESS));
		LeaseLock lock = client.getLock("a");
		RedisLockClient holder = openPatient(driver);
		holder.getLock("a").lock();
		Crew.Member waiting = this.crew.start("waiting",
				() -> assertThat(time(() -> lock.tryLock(Duration.ofSeconds(2)))).isLessThan(BOUND));
		FaultClients.await("it waits", () -> holder.directory().queue("a", 10).size() == 1);
		this.server.pause();

		List<Duration> took = List.of(time(() -> client.getLock("b").tryLock(WAIT)),
				time(() -> client.getLock("b").tryLock(WAIT)),
				time(() -> client.tryAcquire("c", LockOptions.defaults().waitTime(WAIT))),
				time(() -> client.getLock("d").tryLock()));

		System.out.printf("%s: tryLock(300 ms), again, tryAcquire, tryLock() took %s%n", driver, took);
		assertThat(took).allMatch((each) -> each.compareTo(BOUND) < 0);
		waiting.join(FaultClients.PATIENCE);
	}

	@ParameterizedTest
	@EnumSource
	void closeEndsAlthoughRedisHangs(RedisDriver driver) throws Exception {
		RedisLockClient client = open(this.clients.connect(driver, this.server, CARELESS));
		client.getLock("a").lock();
		client.getLock("b").lock();
		this.server.pause();

		Duration close = time(() -> {
			client.close();
			return null;
		});

		System.out.printf("%s: close() %s%n", driver, close);
		assertThat(close).isLessThan(BOUND);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void poolThatTheApplicationHasUsedUpCostsNoWait(boolean unified) throws Exception {
		JedisConnectionFactory factory = jedis(unified);
		RedisLockClient client = open(factory);
		this.crew.start("hog", 8, () -> {
			try (RedisConnection connection = factory.getConnection()) {
				connection.listCommands().bLPop(60, "end".getBytes(StandardCharsets.US_ASCII));
			}
		});
		FaultClients.await("the pool is empty", () -> this.server.info("clients", "blocked_clients").equals("8"));

		LeaseLock lock = client.getLock("a");
		assertThat(lock.tryLock(WAIT)).isTrue();
		lock.unlock();

		assertThat(time(() -> {
			client.close();
			return null;
		})).isLessThan(BOUND);
		this.clients.redis().opsForList().rightPushAll("end", "1", "2", "3", "4", "5", "6", "7", "8");
		this.crew.join(FaultClients.PATIENCE);
		factory.destroy();
	}

	@ParameterizedTest
	@CsvSource({ "true, true", "true, false", "false, true", "false, false" })
	void connectionsThatDiedWhileTheyWereIdleCostNoCall(boolean unified, boolean restarted) throws Exception {
		this.server.command("CONFIG", "SET", "appendonly", "yes");
		for (String step : List.of("aof_rewrite_scheduled", "aof_rewrite_in_progress")) {
			FaultClients.await("the end of " + step, () -> "0".equals(this.server.info("persistence", step)));
		}
		JedisConnectionFactory factory = jedis(unified);
		RedisLockClient client = open(factory);
		String[] done = { "unlock", "tryLock", "execute", "forceUnlock", "tryAcquire", "list" };
		LeaseLock held = client.getLock("unlock");
		for (String each : done) {
			held.lock();
			useFive(client);

			if (restarted) {
				this.server.kill();
				this.server.startAgain("--appendonly", "yes");
			}
			else {
				this.server.command("CLIENT", "KILL", "TYPE", "normal");
			}
			switch (each) {
				case "tryLock" -> {
					assertThat(client.getLock(each).tryLock()).isTrue();
					client.getLock(each).unlock();
				}
				case "execute" -> {
					String result = client.execute(each, LockOptions.defaults(), (lease) -> "done");
					assertThat(result).isEqualTo("done");
				}
				case "forceUnlock" -> assertThat(client.getLock(each).forceUnlock()).isFalse();
				case "list" -> assertThat(client.directory().list(null, 10).locks()).hasSize(1);
				case "tryAcquire" -> client.tryAcquire(each, LockOptions.defaults()).orElseThrow().close();
				default -> assertThat(held.isHeldByCurrentThread()).isTrue();
			}
			held.unlock();
		}
		client.close();
		factory.destroy();
	}

	/**
	 * Leaves several idle connections.
	 */
	private void useFive(RedisLockClient client) throws Exception {
		CyclicBarrier all = new CyclicBarrier(5);
		this.crew.start("user", 5, () -> {
			all.await();
			for (int i = 0; i < 20; i++) {
				client.directory().find("nothing");
			}
		});
		this.crew.join(FaultClients.PATIENCE);
	}

	/**
	 * Makes a factory with the pool of Spring Boot's defaults: eight, and no end to the
	 * wait for one.
	 */
	private JedisConnectionFactory jedis(boolean unified) {
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(this.server.host(), this.server.port()),
				JedisClientConfiguration.builder().usePooling().build());
		factory.setUseUnifiedJedis(unified);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
