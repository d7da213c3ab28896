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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSentinels;
import io.holdfast.lock.testing.RedisTopology;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What happens when a replica takes over from its master.
 */
@ParameterizedClass(name = "{0} with {1}, master {2}")
@CsvSource({ "SENTINEL, JEDIS, KILLED", "SENTINEL, JEDIS, STOPPED", "SENTINEL, LETTUCE, KILLED",
		"SENTINEL, LETTUCE, STOPPED", "CLUSTER, JEDIS, KILLED", "CLUSTER, JEDIS, STOPPED", "CLUSTER, LETTUCE, KILLED",
		"CLUSTER, LETTUCE, STOPPED" })
class FailoverIT {

	/**
	 * For as long a waiting call goes on while the server fails.
	 */
	private static final Duration WAITER_TIMEOUT = Duration.ofSeconds(30);

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@Parameter(0)
	Setup setup;

	@Parameter(1)
	RedisDriver driver;

	@Parameter(2)
	Fault fault;

	private final Crew crew = new Crew();

	private final List<LockLoss> losses = new CopyOnWriteArrayList<>();

	private final Set<String> failures = new ConcurrentSkipListSet<>();

	private RedisTopology redis;

	private FaultClients clients;

	@BeforeEach
	void start() {
		this.redis = this.setup.start();
		this.clients = new FaultClients(this.redis, "fault:");
	}

	@AfterEach
	void end() throws Exception {
		this.redis.servers().stream().filter(RedisProcess::isAlive).forEach(RedisProcess::resume);
		this.crew.close();
		this.clients.close();
		this.redis.close();
	}

	private RedisLockClient open() {
		RedisLockClient client = this.clients.open(this.clients.connect(this.driver, this.redis, COMMAND_TIMEOUT),
				(builder) -> builder.watchdogTimeout(Duration.ofSeconds(45))
					.waiterTimeout(WAITER_TIMEOUT)
					.observer(new LossObserver(this.losses::add)));
		FaultClients.awaitHears(client);
		return client;
	}

	/**
	 * Every failure is of the kind that a waiting call waits through, and so one does.
	 * What was held stays held, as its lease is longer.
	 */
	@Test
	void locksAreHeldOnAndWaitersGetTheirs() throws Exception {
		RedisLockClient client = open();
		RedisLockClient other = open();
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			leases.add(client.acquire("held-" + i, LockOptions.defaults()));
		}
		RedisProcess master = this.redis.masterOf(this.clients.key("held-0"));
		AtomicBoolean stopped = new AtomicBoolean();
		Crew.Member trying = this.crew.start("trying", () -> tryAll(client, stopped));

		String name = IntStream.range(0, 100)
			.mapToObj((i) -> "wanted-" + i)
			.filter((each) -> this.redis.masterOf(this.clients.key(each)) == master)
			.findFirst()
			.orElseThrow();
		long token = token(client.getLock(name));
		// The new master does not know a release that it had not heard of.
		master.awaitReplicas();
		this.fault.strike(master);
		long start = System.nanoTime();
		LeaseLock wanted = other.getLock(name);
		long[] acquired = new long[1];
		Crew.Member waiter = this.crew.start("waiter", () -> {
			assertThat(wanted.tryLock(PATIENCE)).isTrue();
			acquired[0] = System.nanoTime() - start;
			assertThat(wanted.token()).isGreaterThan(token);
			wanted.unlock();
		});
		this.redis.awaitOtherMaster(this.clients.key("held-0"), master);
		long replaced = System.nanoTime() - start;
		waiter.join(PATIENCE);
		LeaseLock again = client.getLock(name);
		assertThat(again.tryLock(PATIENCE)).isTrue();
		again.unlock();
		stopped.set(true);
		trying.join(PATIENCE);

		System.out.printf("%s with %s, master %s: replaced after %d ms, lock acquired after %d ms; failures %s%n",
				this.setup, this.driver, this.fault, replaced / 1_000_000, acquired[0] / 1_000_000, this.failures);
		assertThat(this.failures).noneMatch((failure) -> failure.startsWith(Reason.REFUSED.name()));
		FaultClients.await("their owners are sure of them again", () -> leases.stream().allMatch(Lease::isValid));
		assertHandOver(client, other);
		leases.forEach(Lease::close);
		assertThat(this.losses).allMatch((loss) -> loss.name().startsWith("trying-"));
	}

	private static long token(LeaseLock lock) {
		lock.lock();
		try {
			return lock.token();
		}
		finally {
			lock.unlock();
		}
	}

	private void tryAll(RedisLockClient client, AtomicBoolean stopped) {
		while (!stopped.get()) {
			for (int i = 0; i < 30 && !stopped.get(); i++) {
				LeaseLock lock = client.getLock("trying-" + i);
				try {
					if (lock.tryLock()) {
						lock.unlock();
					}
				}
				catch (LockServerException ex) {
					String message = String.valueOf(ex.getMessage());
					this.failures
						.add(ex.reason() + " " + message.substring(message.indexOf(": ") + 2).replaceAll("\\d+", "N"));
				}
				catch (LockLostException ex) {
					// The new master does not know what no replica had heard of yet.
				}
			}
		}
	}

	/**
	 * By a message: long before the waiter would ask by itself.
	 */
	private void assertHandOver(RedisLockClient one, RedisLockClient two) throws Exception {
		FaultClients.awaitHears(one, two);
		Lease lease = one.acquire("handed", LockOptions.defaults());
		long[] granted = new long[1];
		Crew.Member waiter = this.crew.start("waiter", () -> {
			LeaseLock lock = two.getLock("handed");
			lock.lock();
			granted[0] = System.nanoTime();
			lock.unlock();
		});
		FaultClients.await("two waits", () -> one.directory().queue("handed", 1).size() == 1);
		long released = System.nanoTime();
		lease.close();
		waiter.join(PATIENCE);
		assertThat(Duration.ofNanos(granted[0] - released)).isLessThan(Duration.ofSeconds(9));
	}

	enum Setup {

		SENTINEL(RedisSentinels::start), CLUSTER(RedisCluster::start);

		@SuppressWarnings("ImmutableEnumChecker")
		private final Supplier<RedisTopology> start;

		Setup(Supplier<RedisTopology> start) {
			this.start = start;
		}

		RedisTopology start() {
			return this.start.get();
		}

	}

	enum Fault {

		KILLED, STOPPED;

		void strike(RedisProcess server) {
			if (this == KILLED) {
				server.kill();
			}
			else {
				server.pause();
			}
		}

	}

}
