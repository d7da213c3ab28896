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

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * A pool of Jedis keeps connections that the server has ended long ago. Redis is there,
 * and every script may run twice, so nobody is to notice.
 */
@ParameterizedClass
@EnumSource
class StaleConnectionTests {

	private static final int POOLED = 4;

	@Parameter
	Cause cause;

	private final RedisProcess server = RedisProcess.start("--appendonly", "yes", "--appendfsync", "always");

	private final FaultClients clients = new FaultClients(this.server, "stale:");

	private final Crew crew = new Crew();

	private RedisConnectionFactory factory;

	private RedisLockClient client;

	@BeforeEach
	void open() {
		this.factory = this.clients.connect(RedisDriver.JEDIS, this.server, FaultClients.PATIENCE);
		this.client = this.clients.open(this.factory, (builder) -> builder.watchdogTimeout(Duration.ofMinutes(10)));
		LeaseLock warmUp = this.client.getLock("warm-up");
		warmUp.lock();
		warmUp.unlock();
	}

	@AfterEach
	void close() throws Exception {
		this.crew.close();
		this.clients.close();
		this.server.close();
	}

	/**
	 * Has the server end all connections, of which the pool has several.
	 */
	private void endConnections() throws Exception {
		this.crew.start("user", POOLED, this::useConnection);
		FaultClients.await("connections are in use",
				() -> this.server.info("clients", "blocked_clients").equals(Integer.toString(POOLED)));
		this.server.command("RPUSH", "end", "1", "2", "3", "4");
		this.crew.join(FaultClients.PATIENCE);
		this.cause.endConnections(this.server);
	}

	/**
	 * Uses a connection that is not stale until all are in use.
	 */
	private void useConnection() {
		RuntimeException failure = null;
		for (int i = 0; i <= 2 * POOLED; i++) {
			try (RedisConnection connection = this.factory.getConnection()) {
				connection.listCommands().bLPop(60, "end".getBytes(StandardCharsets.US_ASCII));
				return;
			}
			catch (DataAccessException ex) {
				failure = ex;
			}
		}
		throw new IllegalStateException("The pool has more stale connections than it was given", failure);
	}

	@Test
	void lockIsAcquired() throws Exception {
		endConnections();

		assertThat(this.client.getLock("orders").tryLock()).isTrue();
	}

	@Test
	void lockIsReleased() throws Exception {
		LeaseLock lock = this.client.getLock("orders");
		lock.lock();
		endConnections();

		assertThatCode(lock::unlock).doesNotThrowAnyException();

		assertThat(lock.isLocked()).isFalse();
	}

	@Test
	void leaseIsAcquiredAndClosed() throws Exception {
		endConnections();
		Lease lease = this.client.acquire("orders", LockOptions.defaults().waitTime(Duration.ZERO));
		endConnections();

		assertThatCode(lease::close).doesNotThrowAnyException();

		assertThat(this.client.getLock("orders").isLocked()).isFalse();
	}

	@Test
	void taskRunsAndItsLockIsReleased() throws Exception {
		endConnections();

		String result = this.client.execute("orders", LockOptions.defaults().waitTime(Duration.ZERO), (lease) -> {
			endConnections();
			return "done";
		});

		assertThat(result).isEqualTo("done");
		assertThat(this.client.getLock("orders").isLocked()).isFalse();
	}

	@Test
	void lockIsForcedAwayAndListed() throws Exception {
		this.client.getLock("orders").lock();
		endConnections();
		assertThat(this.client.directory().list(null, 10).locks()).hasSize(1);
		endConnections();

		assertThat(this.client.getLock("orders").forceUnlock()).isTrue();
	}

	/**
	 * Why the connections end.
	 */
	enum Cause {

		KILLED {

			@Override
			void endConnections(RedisProcess redis) {
				redis.command("CLIENT", "KILL", "TYPE", "normal");
			}

		},

		IDLE_FOR_TOO_LONG {

			@Override
			void endConnections(RedisProcess redis) {
				redis.command("CONFIG", "SET", "timeout", "1");
				FaultClients.await("only this connection is left",
						() -> ((String) redis.command("CLIENT", "LIST", "TYPE", "normal")).lines()
							.noneMatch(
									(client) -> client.matches(".* idle=\\d+ .*") && !client.contains("cmd=client")));
				redis.command("CONFIG", "SET", "timeout", "0");
			}

		},

		SERVER_RESTARTED {

			@Override
			void endConnections(RedisProcess redis) {
				redis.kill();
				redis.startAgain();
			}

		};

		abstract void endConnections(RedisProcess redis);

	}

}
