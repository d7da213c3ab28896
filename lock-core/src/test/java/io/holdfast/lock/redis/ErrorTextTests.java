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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.RedisDriver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What a failure says leads to its cause.
 */
class ErrorTextTests extends FaultFixture {

	private static final String COMMANDS = "(?is).*\\b(hset|hdel|hget|hmget|pexpire|expire|set|publish)\\b.*";

	/**
	 * What reads the data of a lock.
	 */
	private static final Map<String, BiConsumer<RedisLockClient, String>> CALLS = Map.of("tryLock",
			(client, name) -> client.getLock(name).tryLock(), "forceUnlock",
			(client, name) -> client.getLock(name).forceUnlock(), "find",
			(client, name) -> assertThat(client.directory().find(name)).isNotNull(), "queue",
			(client, name) -> assertThat(client.directory().queue(name, 10)).isNotNull(), "list",
			(client, name) -> assertThat(client.directory().list(null, 10)).isNotNull());

	@ParameterizedTest
	@EnumSource
	void factoryThatWasNeverStartedIsNamed(RedisDriver driver) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.server.host(),
				this.server.port());
		RedisConnectionFactory factory = (driver == RedisDriver.JEDIS) ? new JedisConnectionFactory(configuration)
				: new LettuceConnectionFactory(configuration);
		try (RedisLockClient client = RedisLockClient.builder(factory).build()) {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock("orders")::tryLock)
				.withMessageContaining("'orders'")
				.withMessageContaining("start")
				.satisfies((ex) -> {
					assertThat(ex).message().doesNotContain("the answer of Redis was lost");
					assertThat(ex.reason()).isEqualTo(Reason.UNREACHABLE);
				});
		}
	}

	@ParameterizedTest
	@EnumSource
	void failureSaysHowLongItTookAndWhatToDo(RedisDriver driver) {
		LeaseLock lock = openPatient(driver).getLock("orders");
		lock.lock();
		this.server.kill();

		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::unlock)
			.withMessageMatching(
					"(?s)Lock 'orders': .+ \\(EXCLUSIVE, held for \\d+m?s\\)\\. The release is tried again .+");
		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::tryLock)
			.withMessageMatching("(?s)Lock 'orders': .+ \\(EXCLUSIVE, after \\d+m?s\\)\\. (Look for|Check) .+");
		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::isLocked)
			.withMessageStartingWith("Lock 'orders': Redis ");
	}

	@ParameterizedTest
	@EnumSource
	void rightThatAScriptLacksIsNamed(RedisDriver driver) {
		LeaseLock lock = openPatient(driver).getLock("orders");
		lock.isLocked();
		this.server.command("ACL", "SETUSER", "default", "-@write");

		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::tryLock)
			.withMessageMatching(COMMANDS)
			.withMessageMatching("(?is).*(permission|right).*")
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
	}

	@ParameterizedTest
	@EnumSource
	void damagedDataOfALockIsCalledDamaged(RedisDriver driver) throws Exception {
		Map<Object, Object> sound = heldAndAwaited(driver);
		RedisLockClient client = openPatient(driver);
		List<String> misleading = new ArrayList<>();
		int names = 0;
		for (Object field : sound.keySet()) {
			for (String damage : List.of("", "x", "1 2", "x ".repeat(12), "9".repeat(40))) {
				for (String call : CALLS.keySet()) {
					// What an earlier call left is not to be mistaken for this one's.
					String name = "orders-" + names++;
					this.clients.redis().opsForHash().putAll(this.clients.key(name), sound);
					this.clients.redis().opsForHash().put(this.clients.key(name), field, damage);
					Throwable thrown = catchThrowable(() -> CALLS.get(call).accept(client, name));
					if (thrown != null && !isClear(thrown)) {
						misleading.add(field + " = '" + damage + "', " + call + ": " + thrown);
					}
					this.clients.redis().delete(this.clients.key(name));
				}
			}
		}
		assertThat(misleading).isEmpty();
	}

	private static boolean isClear(Throwable thrown) {
		return thrown instanceof LockServerException && String.valueOf(thrown.getMessage()).contains("damaged");
	}

	/**
	 * All that Redis has of a lock that was held before, is held, and is waited for by
	 * two.
	 */
	private Map<Object, Object> heldAndAwaited(RedisDriver driver) {
		List<RedisLockClient> all = new ArrayList<>();
		RedisLockClient one = openPatient(driver);
		all.add(one);
		one.getLock("orders").lock();
		one.getLock("orders").unlock();
		one.getLock("orders").lock();
		for (int i = 1; i <= 2; i++) {
			RedisLockClient waiting = openPatient(driver);
			all.add(waiting);
			this.crew.start("waiter", waiting.getLock("orders")::lockInterruptibly);
			int waiters = i;
			FaultClients.await("it waits", () -> one.directory().queue("orders", 10).size() == waiters);
		}
		Map<Object, Object> data = this.clients.redis().opsForHash().entries(this.clients.key("orders"));
		all.forEach(RedisLockClient::close);
		return data;
	}

}
