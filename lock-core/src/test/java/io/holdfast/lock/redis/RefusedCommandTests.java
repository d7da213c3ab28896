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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** What becomes of releases and renewals while Redis refuses all of them. */
class RefusedCommandTests extends FaultFixture {

	private static final LockOptions LEASED = LockOptions.defaults().leaseTime(Duration.ofHours(1));

	private void refuseScripts() {
		this.server.command("ACL", "SETUSER", "default", "-evalsha", "-eval");
	}

	private void allowScripts() {
		allowScripts("~*");
	}

	private void allowScripts(String keys) {
		this.server.command("ACL", "SETUSER", "default", "+@all", "resetkeys", keys);
	}

	private long rejectedScripts() {
		String stats = this.server.info("commandstats", "cmdstat_evalsha");
		return Long.parseLong(stats.replaceAll(".*rejected_calls=(\\d+),.*", "$1"));
	}

	@Test
	void threadOfLettuceThatReadsTheAnswersIsRefused() throws Exception {
		LettuceConnectionFactory factory = (LettuceConnectionFactory) this.clients.connect(RedisDriver.LETTUCE,
				this.server.host(), this.server.port(), FaultClients.PATIENCE);
		LeaseLock lock = open(factory, FaultClients::patient).getLock("orders");
		try (StatefulRedisConnection<String, String> connection = ((RedisClient) factory.getRequiredNativeClient())
			.connect()) {
			CompletableFuture<Boolean> attempt = connection.async()
				.blpop(0, "queue")
				.thenApply((popped) -> lock.tryLock())
				.toCompletableFuture();
			this.server.command("RPUSH", "queue", "a");

			assertThatExceptionOfType(ExecutionException.class).isThrownBy(attempt::get)
				.havingCause()
				.isInstanceOf(IllegalStateException.class)
				.withMessageContaining("must not wait for lock 'orders'");
		}
		lock.lock();
		lock.unlock();
	}

	@ParameterizedTest
	@EnumSource
	void releaseIsOwedUntilTheServerAnswersIt(RedisDriver driver) throws Exception {
		LeaseLock lock = openPatient(driver).getLock("orders", LEASED);
		LeaseLock other = openPatient(driver).getLock("orders");
		lock.lock();

		refuseScripts();
		assertThatExceptionOfType(LockServerException.class).isThrownBy(lock::unlock)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Reason.REFUSED));
		long before = rejectedScripts();
		FaultClients.await("it is tried again, in vain", () -> rejectedScripts() > before);
		allowScripts();

		FaultClients.await("it is released", other::tryLock);
		other.unlock();
	}

	@ParameterizedTest
	@EnumSource
	void releaseOfAKeyThatTheUserMayNotTouchCostsNoOther(RedisDriver driver) throws Exception {
		RedisLockClient client = openPatient(driver);
		LockServer server = FaultClients.server(client);
		List<Command.Release> owed = new ArrayList<>();
		for (String name : names().toList()) {
			client.getLock(name, LEASED).lock();
			String key = this.clients.key(name);
			String id = server.directory().describe(List.of(key), true).get(0).id();
			owed.add(new Command.Release(key, id, client.getLock(name).token(), null));
		}

		allowScripts("~*good*");

		List<CompletableFuture<Reply>> outcomes = server.sendTogether(owed);
		assertThat(outcomes.subList(0, owed.size() - 1)).allSatisfy((each) -> assertThat(each).isCompleted());
		assertThat(outcomes.get(owed.size() - 1)).isCompletedExceptionally();
		allowScripts();
	}

	@ParameterizedTest
	@EnumSource
	void renewalOfAKeyThatTheUserMayNotTouchCostsNoOther(RedisDriver driver) throws Exception {
		RedisLockClient client = openPatient(driver, this.server.port(), this::withClock);
		Map<String, Lease> leases = new HashMap<>();
		for (String name : names().toList()) {
			leases.put(name, client.acquire(name, LockOptions.defaults()));
		}

		allowScripts("~*good*");

		setForwardToRenewal();

		Lease bad = leases.remove("bad");
		FaultClients.await("the others are renewed",
				() -> leases.values().stream().allMatch(RefusedCommandTests::isRenewed));
		assertThat(isRenewed(bad)).isFalse();
		allowScripts();
	}

	/**
	 * Which refuses a script with keys of several slots, also if it has them all.
	 */
	@ParameterizedTest
	@EnumSource
	void locksOfAClustersNodeWhoseAddressIsAsThatOfOneServerAreRenewed(RedisDriver driver) throws Exception {
		try (RedisProcess node = RedisProcess.start("--cluster-enabled", "yes")) {
			node.command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), IntStream.range(0, 16384).boxed())
				.map(String::valueOf)
				.toArray(String[]::new));
			FaultClients.await("it has all slots",
					() -> ((String) node.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
			try (RedisLockClient client = this.clients.openPatient(driver, node.host(), node.port(), this::withClock)) {
				List<Lease> leases = new ArrayList<>();
				for (String name : names().toList()) {
					leases.add(client.acquire(name, LockOptions.defaults()));
				}

				setForwardToRenewal();

				FaultClients.await("all are renewed", () -> leases.stream().allMatch(RefusedCommandTests::isRenewed));
				leases.forEach(Lease::close);
			}
		}
	}

	private static Stream<String> names() {
		return Stream.concat(IntStream.range(0, 20).mapToObj((i) -> "good-" + i), Stream.of("bad"));
	}

	@ParameterizedTest
	@EnumSource
	void renewalsOfKeysNoneOfWhichTheUserMayTouchAreNotSentOneByOne(RedisDriver driver) throws Exception {
		renewalsThatAreRefusedTogetherAreNotSentOneByOne(driver, () -> allowScripts("~other:*"));
	}

	@ParameterizedTest
	@EnumSource
	void renewalsThatAreRefusedTogetherAreNotSentOneByOne(RedisDriver driver) throws Exception {
		renewalsThatAreRefusedTogetherAreNotSentOneByOne(driver, this::refuseScripts);
	}

	private void renewalsThatAreRefusedTogetherAreNotSentOneByOne(RedisDriver driver, Runnable refuse)
			throws Exception {
		RedisLockClient client = openPatient(driver, this.server.port(), this::withClock);
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			leases.add(client.acquire("order-" + i, LockOptions.defaults()));
		}

		refuse.run();
		setForwardToRenewal();
		FaultClients.await("the first is refused", () -> rejectedScripts() > 0);
		Awaitility.await()
			.during(Duration.ofSeconds(2))
			.atMost(FaultClients.PATIENCE)
			.untilAsserted(() -> assertThat(rejectedScripts()).isLessThan(250));
		allowScripts();
		// After a refusal the next attempt is a third of what is left later.
		this.setForward.addAndGet(Duration.ofSeconds(14).toNanos());

		FaultClients.await("all are renewed", () -> leases.stream().allMatch(RefusedCommandTests::isRenewed));
		leases.forEach(Lease::close);
	}

	private static boolean isRenewed(Lease lease) {
		return lease.validFor().compareTo(LONG_LEASE.minusSeconds(20)) > 0;
	}

}
