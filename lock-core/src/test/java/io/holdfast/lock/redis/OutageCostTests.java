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

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.LogCapture;
import io.holdfast.lock.testing.RedisDriver;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an outage of Redis costs the client, and Redis when it is back: attempts that
 * failed for certain leave nothing to be released, and what is logged can be read.
 */
class OutageCostTests extends FaultFixture {

	private static final int FAILURES = 1000;

	private static final int FEW = 100;

	private static final Pattern NUMBER = Pattern.compile("\\b\\d+\\b");

	private RedisLockClient offline(RedisDriver driver) {
		return this.clients.open(this.clients.connect(driver, this.server, FaultClients.PATIENCE),
				(builder) -> builder.commandTimeout(FaultClients.PATIENCE).watchdogTimeout(Duration.ofMinutes(10)));
	}

	private static void failToLock(RedisLockClient client, String names, int count, Reason reason) {
		for (int i = 0; i < count; i++) {
			assertThatExceptionOfType(LockServerException.class).isThrownBy(client.getLock(names + i)::tryLock)
				.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(reason));
		}
	}

	/**
	 * How many scripts Redis has run.
	 */
	private long scripts() {
		return Stream.of("evalsha", "eval", "fcall")
			.map((command) -> this.server.info("commandstats", "cmdstat_" + command))
			.filter((stats) -> !stats.isEmpty())
			.mapToLong((stats) -> Long.parseLong(stats.replaceAll("calls=(\\d+),.*", "$1")))
			.sum();
	}

	private void assertFewScriptsMoreThan(long least) {
		Awaitility.await("scripts that release nothing")
			.atMost(FaultClients.PATIENCE)
			.during(Duration.ofSeconds(3))
			.untilAsserted(() -> assertThat(scripts() - least).isLessThan(FEW));
	}

	@ParameterizedTest
	@EnumSource
	void attemptsThatNobodyReceivedAreNotReleasedWhenTheServerIsBack(RedisDriver driver) {
		this.server.kill();
		RedisLockClient client = offline(driver);
		failToLock(client, "order-", FAILURES, Reason.UNREACHABLE);

		this.server.startAgain();
		LeaseLock lock = client.getLock("other");
		FaultClients.await("it works again", () -> succeeds(lock));

		assertFewScriptsMoreThan(0);
		lock.unlock();
	}

	@ParameterizedTest
	@EnumSource
	void attemptsThatTheServerRefusedAreNotReleased(RedisDriver driver) {
		RedisLockClient client = openPatient(driver);
		LeaseLock lock = client.getLock("other");
		lock.lock();
		lock.unlock();
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		long before = scripts();

		failToLock(client, "order-", FAILURES, Reason.REFUSED);

		assertFewScriptsMoreThan(before + FAILURES);
	}

	/**
	 * What was logged of renewals that fail: once that they do, and when they succeed
	 * again how many did.
	 */
	@ParameterizedTest
	@EnumSource
	void renewalsThatFailAreLoggedOnceAndThenCounted(RedisDriver driver) throws Exception {
		RedisLockClient client = open(this.clients.connect(driver, this.proxy.host(), this.proxy.port()),
				this::withClock);
		try (LogCapture log = LogCapture.open();
				Lease one = client.acquire("one", LockOptions.defaults());
				Lease two = client.acquire("two", LockOptions.defaults())) {
			this.proxy.refuse();
			setForwardToRenewal();
			FaultClients.await("a warning", () -> !log.messages(Level.WARN).isEmpty());
			// Also that the subscription is lost, and that no connection can be opened.
			Awaitility.await()
				.atMost(FaultClients.PATIENCE)
				.during(Duration.ofSeconds(2))
				.untilAsserted(() -> assertThat(log.messages(Level.WARN)).hasSizeLessThanOrEqualTo(3));

			int during = log.messages(Level.INFO).size();
			Duration left = two.validFor();
			this.proxy.heal();
			FaultClients.await("they are renewed",
					() -> one.validFor().compareTo(left) > 0 && two.validFor().compareTo(left) > 0);

			FaultClients.await("a count of failures", () -> {
				List<String> all = log.messages(Level.INFO);
				return all.subList(during, all.size()).stream().anyMatch((each) -> NUMBER.matcher(each).find());
			});
		}
	}

	private static boolean succeeds(LeaseLock lock) {
		try {
			return lock.tryLock();
		}
		catch (LockServerException ex) {
			return false;
		}
	}

}
