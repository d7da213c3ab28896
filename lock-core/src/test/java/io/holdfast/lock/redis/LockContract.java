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
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockDirectory.Filter;
import io.holdfast.lock.LockDirectory.HeldLock;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisSetup;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * What every kind of lock promises, on a real Redis: each subclass is one theme of it and
 * runs for fair locks and others, and with both drivers. On the {@link RedisSetup} that a
 * run names, both run with each driver; without one each runs with one of them, as
 * drivers do not know what is fair ({@code ArchitectureTests}). With
 * {@code redis.setup=local} both run on local clients, as far as they need no Redis.
 * Themes with the tag "topology", which see which servers there are, run with Sentinel
 * and in a cluster too. A test has a fresh lock name and two clients, "here" and
 * "elsewhere", that see each other only through Redis.
 */
@Tag("contract")
@ParameterizedClass(name = "fair: {0}, with {1}")
@MethodSource("io.holdfast.lock.redis.LockContract#kinds")
abstract class LockContract {

	static final Duration SOON = Duration.ofMillis(200);

	static final Duration LONG = TestThreads.LONG;

	private static final Map<RedisDriver, RedisConnectionFactory> CONNECTIONS = new EnumMap<>(RedisDriver.class);

	private static final Map<RedisDriver, RedisConnectionFactory> ADMIN = new EnumMap<>(RedisDriver.class);

	/**
	 * Whether the clients of this run are local, without Redis.
	 */
	private static final boolean LOCAL = "local".equals(System.getProperty("redis.setup"));

	private static final boolean EACH_WITH_EACH = System.getProperty("redis.setup") != null;

	private static final AtomicInteger NAMES = new AtomicInteger();

	@Parameter(0)
	boolean fair;

	@Parameter(1)
	RedisDriver driver;

	final TestThreads threads = new TestThreads();

	final String prefix = getClass().getSimpleName() + UUID.randomUUID() + ":";

	final String name = "lock-" + NAMES.incrementAndGet();

	final AtomicLong setForward = new AtomicLong();

	private final List<LockClient> clients = new ArrayList<>();

	private StringRedisTemplate redis;

	LockClient here;

	LockClient elsewhere;

	static Stream<Arguments> kinds() {
		if (LOCAL) {
			return Stream.of(false, true).map((fair) -> Arguments.of(fair, Named.of("no driver", null)));
		}
		return Stream.of(false, true)
			.flatMap((fair) -> Stream.of(RedisDriver.values())
				.filter((driver) -> EACH_WITH_EACH || (driver == RedisDriver.JEDIS) == fair)
				.map((driver) -> Arguments.of(fair, driver)));
	}

	static RedisConnectionFactory connections(RedisDriver driver) {
		synchronized (CONNECTIONS) {
			return CONNECTIONS.computeIfAbsent(driver, (each) -> RedisSetup.chosen().connect(each));
		}
	}

	private static RedisConnectionFactory admin(RedisDriver driver) {
		synchronized (ADMIN) {
			return ADMIN.computeIfAbsent(driver, (each) -> RedisSetup.chosen().connectAdmin(each));
		}
	}

	@BeforeEach
	void connect() {
		this.redis = LOCAL ? null : new StringRedisTemplate(admin(this.driver));
		this.here = client();
		this.elsewhere = client();
	}

	@AfterEach
	void disconnect() {
		try {
			this.threads.close();
		}
		finally {
			this.clients.forEach(LockClient::close);
		}
	}

	/**
	 * One more client with the usual settings.
	 */
	final LockClient client() {
		return client((builder) -> builder);
	}

	final LockClient client(UnaryOperator<ContractClientBuilder> settings) {
		ContractClientBuilder builder = LOCAL
				? ServiceLoader.load(ContractClientBuilder.class).findFirst().orElseThrow()
				: new RedisContractClientBuilder(connections(this.driver));
		LockClient client = settings.apply(builder.keyPrefix(this.prefix)).build();
		this.clients.add(client);
		return client;
	}

	/**
	 * The lock of this test, as the first client sees it.
	 */
	final LeaseLock lock() {
		return lock(this.here);
	}

	final LeaseLock lock(LockClient client) {
		return client.getLock(this.name, options());
	}

	/**
	 * The lock of this test with a lease time. It is the same lock.
	 */
	final LeaseLock lock(Duration lease) {
		return lock(this.here, lease);
	}

	final LeaseLock lock(LockClient client, Duration lease) {
		return client.getLock(this.name, options().leaseTime(lease));
	}

	final LockOptions options() {
		return LockOptions.defaults().fair(this.fair);
	}

	final String key() {
		return key(this.name);
	}

	final String key(String lockName) {
		return (LOCAL ? "local:" : this.prefix) + "lock:" + lockName;
	}

	/**
	 * Whether another thread of a client could take the lock right now. Leaves it free.
	 */
	final boolean isFreeFor(LockClient client) {
		return this.threads.start(() -> {
			boolean free = lock(client).tryLock();
			if (free) {
				lock(client).unlock();
			}
			return free;
		}).result();
	}

	/**
	 * The id of the client that holds the lock in Redis, or nothing.
	 */
	final String holder() {
		return this.elsewhere.directory().find(this.name).map(HeldLock::client).orElse("nobody");
	}

	/**
	 * How many requests have a place at the server.
	 */
	final int queueLength() {
		return ClientState.queueLength(this.elsewhere, this.name);
	}

	/**
	 * The Redis behind the clients. A test that wants it is skipped where there is none.
	 */
	final StringRedisTemplate redis() {
		assumeFalse(LOCAL, "It looks into Redis, or changes what is there");
		return this.redis;
	}

	final Collection<String> keys() {
		return LOCAL ? FaultClients.server(this.elsewhere).directory().list("0", 1000, "").keys()
				: this.redis.keys(this.prefix + "*");
	}

	final void assertNobodyIsInTheQueue() {
		assertThat(queueLength()).isZero();
		if (!LOCAL) {
			assertThat(this.redis.opsForHash().keys(key())).doesNotContain("head", "tail");
		}
	}

	/**
	 * The names of the locks that a directory lists, page by page.
	 */
	static List<String> listed(LockDirectory directory, int limit, Filter filter) {
		List<String> names = new ArrayList<>();
		String cursor = null;
		do {
			LockDirectory.Page page = directory.list(cursor, limit, filter);
			page.locks().forEach((lock) -> names.add(lock.name()));
			cursor = page.next();
		}
		while (cursor != null);
		return names;
	}

	/**
	 * What a client knows of locks at the moment.
	 */
	static Collection<String> stateOf(LockClient client) {
		return ClientState.names(client);
	}

	/**
	 * Waits until a client knows of no lock. A question that is under way when its caller
	 * leaves is kept until its outcome.
	 */
	static void awaitForgotten(LockClient client) {
		eventually().untilAsserted(() -> assertThat(stateOf(client)).isEmpty());
	}

	/**
	 * A client with a watchdog time-out of 30 s by a clock that the test sets forward,
	 * and whose watchdog looks at that clock often.
	 */
	final LockClient clientWithClock() {
		return client((builder) -> builder.waiterTimeout(Duration.ofMillis(600))
			.nanoTime(() -> System.nanoTime() + this.setForward.get()));
	}

	/**
	 * Sets the clock forward, past the moment at which a hold is to be renewed.
	 */
	final void setForwardToRenewal() {
		this.setForward.addAndGet(Duration.ofSeconds(11).toNanos());
	}

	/**
	 * Sets the clock forward past the lease, from renewal to renewal.
	 * @param left what is left of the lease by the client, which has to know of each
	 * renewal before the next one is due
	 */
	final void assertRenewedPastItsTimeout(Supplier<Duration> left) {
		awaitRenewal(0, left);
		for (int i = 0; i < 3; i++) {
			long before = holdEndsAtMillis();
			setForwardToRenewal();
			awaitRenewal(before, left);
		}
	}

	private void awaitRenewal(long beforeMillis, Supplier<Duration> left) {
		eventually().pollInSameThread()
			.until(() -> holdEndsAtMillis() > beforeMillis && left.get().compareTo(Duration.ofSeconds(20)) > 0);
	}

	private long holdEndsAtMillis() {
		if (LOCAL) {
			Object memory = ReflectionTestUtils.getField(FaultClients.server(this.elsewhere), "memory");
			synchronized (memory) {
				Object lock = ((Map<?, ?>) ReflectionTestUtils.getField(memory, "locks")).get(key());
				if (lock == null) {
					return 0;
				}
				Object steps = ReflectionTestUtils.getField(lock, "steps");
				Map<?, ?> members = (Map<?, ?>) ReflectionTestUtils.getField(steps, "members");
				return members.values()
					.stream()
					.mapToLong((each) -> (long) ReflectionTestUtils.getField(each, "untilMillis"))
					.findFirst()
					.orElse(0);
			}
		}
		String until = (String) this.redis.opsForHash().get(key(), "until");
		return (until != null) ? Long.parseLong(until.substring(2)) : 0;
	}

	/**
	 * For a clock that stands still. It is far ahead, as servers refuse what was not to
	 * be carried out later than their own time.
	 */
	static long standingNanos() {
		return System.nanoTime() + TimeUnit.HOURS.toNanos(1);
	}

	/**
	 * Waits until messages reach a client.
	 */
	static void awaitSubscription(LockClient client) {
		if (!LOCAL) {
			eventually().until(() -> ClientState.hears(client));
		}
	}

	/**
	 * The threads that clients of this JVM have for as long as they are open.
	 */
	static Set<Thread> clientThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("holdfast-watchdog")
					|| thread.getName().startsWith("holdfast-subscription"))
			.collect(Collectors.toSet());
	}

	/**
	 * Waits until clients have no threads any more but these.
	 */
	static void awaitEndOfClientThreads(Set<Thread> others) {
		eventually().untilAsserted(() -> assertThat(clientThreads()).isSubsetOf(others));
	}

	/**
	 * Waits until a lease is renewed, or over.
	 * @param left what is left of it
	 */
	static void awaitRenewalOrEnd(Supplier<Duration> left) {
		AtomicReference<Duration> latest = new AtomicReference<>(left.get());
		eventually().pollInSameThread().until(() -> {
			Duration now = left.get();
			return now.isZero() || now.compareTo(latest.getAndSet(now)) > 0;
		});
	}

	static ConditionFactory eventually() {
		return Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(5));
	}

}
