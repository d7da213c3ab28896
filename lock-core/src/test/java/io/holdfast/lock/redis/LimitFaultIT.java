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
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;

import org.springframework.context.Lifecycle;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What happens when Redis or the application's pool has no room left, or when Redis asks
 * for a password or does not know all commands.
 */
class LimitFaultIT extends FaultFixture {

	/**
	 * Opens a client whose leases outlast a busy machine, and are all that its owners
	 * believe in.
	 */
	private RedisLockClient patient(FaultClients some, RedisDriver driver, RedisProcess redis) {
		return some.open(driver, redis.host(), redis.port(),
				(builder) -> builder.watchdogTimeout(Duration.ofSeconds(6))
					.takeoverAfter(Duration.ZERO)
					.observer(new LossObserver(this.losses::add)));
	}

	private static void awaitRenewal(LeaseLock lock) {
		Duration left = lock.validFor();
		FaultClients.await("it is renewed", () -> lock.validFor().compareTo(left) > 0);
	}

	// Redis

	@ParameterizedTest
	@EnumSource
	void keyThatIsEvictedIsALoss(RedisDriver driver) {
		LeaseLock lock = open(driver, this::withClock).getLock("orders");
		lock.lock();
		long token = lock.token();

		this.server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(JedisDataException.class).isThrownBy(() -> this.server.command("SET", "filler", "x"))
			.withMessageContaining("OOM");
		this.server.command("CONFIG", "SET", "maxmemory", "0");
		setForwardToRenewal();

		FaultClients.await("the holder is told", () -> !this.losses.isEmpty());
		assertThat(this.losses).singleElement().satisfies((loss) -> {
			assertThat(loss.token()).isEqualTo(token);
			assertThat(loss.cause()).isEqualTo(Cause.GONE);
		});
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		lock.lock();
		assertThat(lock.token()).isGreaterThan(token);
		lock.unlock();
	}

	@ParameterizedTest
	@EnumSource
	void passwordThatIsAskedForMeanwhileIsARefusalAndInTheEndALoss(RedisDriver driver) {
		RedisLockClient client = open(driver);
		LeaseLock lock = client.getLock("orders");
		lock.lock();
		try (Jedis admin = new Jedis(this.server.host(), this.server.port())) {
			admin.configSet("requirepass", "new");
			admin.sendCommand(Protocol.Command.CLIENT, "KILL", "TYPE", "normal", "SKIPME", "yes");

			FaultClients.await("it is refused",
					() -> FaultClients.failure(client.getLock("other")).startsWith("REFUSED"));
			LeaseLock late = this.clients.open(driver, this.server).getLock("other");
			LockServerException refusal;
			do {
				refusal = catchThrowableOfType(LockServerException.class, late::tryLock);
				// Lettuce looks for the result of its handshake after having dropped it
			}
			while (refusal.getMessage().contains("HandshakeHandler not registered"));
			assertThat(refusal).hasMessageContaining("password").returns(Reason.REFUSED, LockServerException::reason);
			FaultClients.await("the holder knows", () -> !lock.isHeldByCurrentThread());
			FaultClients.await("the observer is told", () -> !this.losses.isEmpty());
			assertThat(this.losses).singleElement().extracting(LockLoss::cause).isEqualTo(Cause.EXPIRED);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
			admin.configSet("requirepass", "");
		}
		FaultClients.await("it works again", () -> FaultClients.failure(lock).isEmpty());
	}

	@ParameterizedTest
	@EnumSource
	void serverThatTakesNoMoreClientsIsAFailureOfThoseThatComeLate(RedisDriver driver) throws Exception {
		RedisLockClient holder = patient(this.clients, driver, this.server);
		FaultClients.awaitHears(holder);
		LeaseLock held = holder.getLock("held");
		held.lock();
		try (Jedis admin = new Jedis(this.server.host(), this.server.port())) {
			admin.configSet("maxclients", Long.toString(admin.clientList().lines().count()));
			LeaseLock late = this.clients
				.open(driver, this.server.host(), this.server.port(),
						(builder) -> builder.waiterTimeout(FaultClients.PATIENCE))
				.getLock("late");
			long start = System.nanoTime();

			assertThatExceptionOfType(LockServerException.class).isThrownBy(late::tryLock);

			assertThat(Duration.ofNanos(System.nanoTime() - start))
				.isLessThan(FaultClients.COMMAND_TIMEOUT.multipliedBy(2).plus(SLACK));
			Crew.Member endless = this.crew.start("endless", () -> {
				late.lock();
				late.unlock();
			});
			awaitRenewal(held);
			assertThat(FaultClients.failure(late)).containsAnyOf("UNREACHABLE", "TIMED_OUT");
			assertThat(endless.thread().isAlive()).isTrue();
			assertThat(this.losses).isEmpty();
			admin.configSet("maxclients", "1000");
			FaultClients.await("it works", () -> FaultClients.failure(late).isEmpty());
			endless.join(FaultClients.PATIENCE);
		}
		held.unlock();
	}

	/**
	 * Managed servers lack some of these.
	 */
	@ParameterizedTest
	@EnumSource
	void otherCommandsThanScriptsAreNotNeeded(RedisDriver driver) throws Exception {
		String[] renamed = Stream.of("CLIENT", "CONFIG", "INFO", "KEYS", "COMMAND", "DEBUG", "WAIT", "SCRIPT")
			.flatMap((command) -> Stream.of("--rename-command", command, ""))
			.toArray(String[]::new);
		try (RedisProcess managed = RedisProcess.start(renamed)) {
			FaultClients some = new FaultClients(managed, "managed:");
			RedisLockClient one = patient(some, driver, managed);
			RedisLockClient two = patient(some, driver, managed);
			FaultClients.awaitHears(one, two);
			LeaseLock lock = one.getLock("orders");
			lock.lock();
			Crew.Member waiter = this.crew.start("waiter", () -> {
				two.getLock("orders").lock();
				two.getLock("orders").unlock();
			});
			some.awaitWaiters("orders", 1);
			awaitRenewal(lock);
			assertThat(two.directory().list(null, 10).locks()).hasSize(1);

			lock.unlock();

			waiter.join(FaultClients.PATIENCE);
			some.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void serverWithoutScriptsIsARefusal(RedisDriver driver) throws Exception {
		try (RedisProcess without = RedisProcess.start("--rename-command", "EVAL", "", "--rename-command", "EVALSHA",
				"")) {
			FaultClients some = new FaultClients(without, "without:");
			LeaseLock lock = some.open(driver, without).getLock("orders");

			assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::lock)
				.withMessageContaining("unknown command")
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
			some.close();
		}
	}

	// The application's pool

	@Test
	void emptyPoolCostsNeitherRequestsNorWaitersNorHolds() throws Exception {
		JedisConnectionFactory factory = poolOfTwo();
		RedisLockClient client = open(factory, (builder) -> withClock(builder).waiterTimeout(FaultClients.PATIENCE));
		LeaseLock own = client.getLock("own");
		own.lock();
		LeaseLock held = openPatient(RedisDriver.JEDIS).getLock("orders");
		held.lock();
		LeaseLock lock = client.getLock("orders", LockOptions.defaults().fair(true));
		this.crew.start("waiter", 100, () -> {
			lock.lock();
			lock.unlock();
		});
		this.clients.awaitWaiters("orders", 100);
		this.crew.start("hog", 2, () -> {
			try (RedisConnection connection = factory.getConnection()) {
				connection.listCommands().bLPop(60, "end".getBytes(StandardCharsets.US_ASCII));
			}
		});
		FaultClients.await("the pool is empty", () -> this.server.info("clients", "blocked_clients").equals("2"));

		assertThat(client.getLock("other").tryLock()).isTrue();
		client.getLock("other").unlock();

		setForwardToRenewal();
		FaultClients.await("a renewal", () -> own.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0);
		this.clients.redis().opsForList().rightPushAll("end", "1", "2");
		own.unlock();
		held.unlock();
		this.crew.join(FaultClients.PATIENCE);
		this.clients.awaitFree("orders");
		client.close();
		factory.destroy();
	}

	@ParameterizedTest
	@EnumSource
	void factoryThatWasStoppedAndStartedServesAgain(RedisDriver driver) {
		RedisConnectionFactory factory = this.clients.connect(driver, this.server.host(), this.server.port());
		RedisLockClient client = this.clients.open(factory, (builder) -> builder);
		LeaseLock lock = client.getLock("orders");
		lock.lock();
		lock.unlock();

		((Lifecycle) factory).stop();
		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::tryLock)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.UNREACHABLE));
		((Lifecycle) factory).start();

		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
	}

	private JedisConnectionFactory poolOfTwo() {
		GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(2);
		pool.setMaxWait(FaultClients.COMMAND_TIMEOUT);
		JedisConnectionFactory factory = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(this.server.host(), this.server.port()),
				JedisClientConfiguration.builder().usePooling().poolConfig(pool).build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
