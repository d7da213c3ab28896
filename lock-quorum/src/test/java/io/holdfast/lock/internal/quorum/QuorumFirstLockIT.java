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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.quorum.RedisQuorum;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first lock of a JVM, which has yet to load its driver and to open connections.
 */
class QuorumFirstLockIT {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** A busy machine may be too slow for some, but not for each. */
	private static final int PROCESSES = 6;

	@ParameterizedTest
	@EnumSource
	void firstAttemptDoesNotFail(RedisDriver driver) {
		List<RedisProcess> servers = Stream.generate(() -> RedisProcess.start()).limit(3).toList();
		try {
			assertThat(IntStream.range(0, PROCESSES).anyMatch((i) -> firstAttempt(driver, servers).equals("true")))
				.isTrue();
		}
		finally {
			servers.forEach(RedisProcess::close);
		}
	}

	private static String firstAttempt(RedisDriver driver, List<RedisProcess> servers) {
		try (JavaProcess process = JavaProcess.start("first", First.class,
				Stream.concat(Stream.of(driver.name()), servers.stream().map((each) -> each.host() + ":" + each.port()))
					.toArray(String[]::new))) {
			return process.awaitLine("Locked", PATIENCE)[1];
		}
	}

	/** The process. */
	public static final class First {

		private First() {
		}

		public static void main(String[] args) {
			RedisDriver driver = RedisDriver.valueOf(args[0]);
			List<RedisConnectionFactory> connections = Stream.of(args)
				.skip(1)
				.map((address) -> address.split(":"))
				.map((address) -> driver.connect(address[0], Integer.parseInt(address[1]), PATIENCE))
				.toList();
			RedisLockClient client = RedisQuorum.of(connections).restartGuard(Duration.ZERO).clientBuilder().build();
			try {
				System.out.println("Locked " + client.getLock("first").tryLock());
			}
			catch (LockServerException ex) {
				System.out.println("Locked " + ex.reason());
			}
			client.close();
			connections.forEach(RedisDriver::disconnect);
		}

	}

}
