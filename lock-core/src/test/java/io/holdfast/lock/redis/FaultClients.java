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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.client.ClientState;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisTopology;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The clients of a fault test, with short leases so that faults outlast them, and a look
 * at what they and Redis know.
 */
public final class FaultClients implements AutoCloseable {

	static final Duration WATCHDOG_TIMEOUT = Duration.ofSeconds(3);

	static final Duration WAITER_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * How long drivers wait for an answer.
	 */
	static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	/**
	 * Longer than anything that is bound to happen can take, on a busy machine.
	 */
	static final Duration PATIENCE = Duration.ofSeconds(20);

	private final Deque<AutoCloseable> opened = new ArrayDeque<>();

	private final String prefix;

	private final StringRedisTemplate redis;

	/**
	 * Prepare clients that share locks.
	 * @param server where the tests look at what is stored
	 * @param prefix of all their keys
	 */
	FaultClients(RedisTopology server, String prefix) {
		this.prefix = prefix;
		this.redis = new StringRedisTemplate(connect(RedisDriver.LETTUCE, server, PATIENCE));
	}

	RedisConnectionFactory connect(RedisDriver driver, String host, int port) {
		return connect(driver, host, port, COMMAND_TIMEOUT);
	}

	RedisConnectionFactory connect(RedisDriver driver, String host, int port, Duration timeout) {
		return opened(driver.connect(host, port, timeout));
	}

	RedisConnectionFactory connect(RedisDriver driver, RedisTopology server, Duration timeout) {
		return opened(driver.connect(server.configuration(), timeout));
	}

	RedisConnectionFactory opened(RedisConnectionFactory factory) {
		this.opened.push(() -> RedisDriver.disconnect(factory));
		return factory;
	}

	RedisLockClient open(RedisDriver driver, RedisProcess server) {
		return open(driver, server.host(), server.port(), UnaryOperator.identity());
	}

	RedisLockClient open(RedisDriver driver, String host, int port) {
		return open(driver, host, port, UnaryOperator.identity());
	}

	RedisLockClient open(RedisDriver driver, String host, int port, UnaryOperator<RedisLockClientBuilder> customizer) {
		return open(connect(driver, host, port), customizer);
	}

	RedisLockClient open(RedisConnectionFactory factory, UnaryOperator<RedisLockClientBuilder> customizer) {
		RedisLockClientBuilder builder = RedisLockClient.builder(factory)
			.keyPrefix(this.prefix)
			.watchdogTimeout(WATCHDOG_TIMEOUT)
			.waiterTimeout(WAITER_TIMEOUT);
		RedisLockClient client = customizer.apply(builder).build();
		this.opened.push(client);
		return client;
	}

	/**
	 * A client that a busy machine costs neither an answer nor a lock.
	 */
	RedisLockClient openPatient(RedisDriver driver, String host, int port,
			UnaryOperator<RedisLockClientBuilder> settings) {
		return open(connect(driver, host, port, PATIENCE), (builder) -> settings.apply(patient(builder)));
	}

	static RedisLockClientBuilder patient(RedisLockClientBuilder builder) {
		return builder.commandTimeout(PATIENCE)
			.watchdogTimeout(FaultFixture.LONG_LEASE)
			.waiterTimeout(FaultFixture.LONG_LEASE);
	}

	StringRedisTemplate redis() {
		return this.redis;
	}

	// What Redis knows

	String key(String name) {
		return this.prefix + "lock:" + name;
	}

	/**
	 * Whether a hold ends soon after its client has died.
	 */
	boolean isTied(String name) {
		return this.redis.opsForHash()
			.entries(key(name))
			.entrySet()
			.stream()
			.anyMatch((field) -> field.getKey().toString().matches("owner|h:.*")
					&& field.getValue().toString().contains("#"));
	}

	/**
	 * The client that holds a lock, or that held it when its lease ended, or {@code null}
	 * if it was released.
	 */
	String holder(String name) {
		Object held = this.redis.opsForHash().get(key(name), "until");
		String owner = (String) this.redis.opsForHash().get(key(name), "owner");
		return (held != null && owner != null) ? owner.substring(3) : null;
	}

	long waiters(String name) {
		return this.redis.opsForHash()
			.keys(key(name))
			.stream()
			.filter((field) -> field.toString().startsWith("w:"))
			.count();
	}

	void awaitWaiters(String name, int count) {
		await(count + " wait for " + name, () -> waiters(name) == count);
	}

	/**
	 * Waits until nobody holds a lock or waits for it. What a lease that is over has left
	 * behind counts for nothing.
	 */
	void awaitFree(String name) {
		await(name + " is free", () -> {
			Map<Object, Object> fields = this.redis.opsForHash().entries(key(name));
			Object until = fields.remove("until");
			boolean over = until == null
					|| Long.parseLong(until.toString().replaceFirst(".*:", "")) < System.currentTimeMillis();
			return fields.keySet()
				.stream()
				.noneMatch((field) -> field.toString().matches(over ? "head|tail|[qw]:.*" : ".*"));
		});
	}

	/**
	 * Kills the owner of five locks that others wait for. While it lives, nobody else has
	 * one of them.
	 * @param owner runs {@link LockProcess}
	 * @param kind as what it has them
	 * @param other the client of those who wait, to have each alone
	 * @param lock what the names of the locks begin with
	 * @param grace after which others may have the locks of a dead owner
	 * @param crew gets those who wait
	 * @return after how many milliseconds each of the locks went on
	 */
	List<Long> killOwner(JavaProcess owner, String kind, LockClient other, String lock, Duration grace, Crew crew)
			throws Exception {
		List<String> names = IntStream.range(0, 5).mapToObj((i) -> lock + i).toList();
		List<Long> millis = new CopyOnWriteArrayList<>();
		AtomicLong killed = new AtomicLong();
		for (String name : names) {
			owner.tell("acquire " + name + ' ' + kind);
			owner.awaitLine("HELD " + name, PATIENCE);
			crew.start(name, () -> {
				LeaseLock alone = other.getLock(name);
				alone.lock();
				millis.add((System.nanoTime() - killed.get()) / 1_000_000);
				alone.unlock();
			});
			awaitWaiters(name, 1);
		}
		await("its holds are tied", () -> names.stream().allMatch(this::isTied));
		pass(grace.multipliedBy(2));
		assertThat(millis).as("taken from an owner that lives").isEmpty();

		killed.set(System.nanoTime());
		owner.kill();
		crew.join(PATIENCE);
		return millis;
	}

	/**
	 * Takes a lock however often the server gives no answer.
	 */
	static void lockPatiently(LeaseLock lock) {
		Awaitility.await().pollInSameThread().atMost(PATIENCE).ignoreException(LockServerException.class).until(() -> {
			lock.lock();
			return true;
		});
	}

	/**
	 * Releases a lock, if need be in the background: a pool may still have connections
	 * that broke.
	 */
	void unlock(LeaseLock lock) {
		try {
			lock.unlock();
		}
		catch (LockServerException ex) {
			awaitFree(lock.name());
		}
	}

	/**
	 * Every key of the clients ends by itself. Looks at a thousand of them at most.
	 */
	void assertNothingLastsForEver() {
		assertThat(this.redis.keys(this.prefix + "*").stream().limit(1000))
			.allSatisfy((key) -> assertThat(this.redis.getExpire(key)).as(key).isPositive());
	}

	// What a client knows

	public static LockServer server(LockClient client) {
		return ClientState.server(client);
	}

	/**
	 * The connections that are subscribed, by the ids that the server gave them.
	 */
	static Set<String> subscriptions(RedisProcess server) {
		return ((String) server.command("CLIENT", "LIST", "TYPE", "pubsub")).lines()
			.map((line) -> line.substring(0, line.indexOf(' ')))
			.collect(Collectors.toSet());
	}

	static void awaitHears(LockClient... clients) {
		for (LockClient client : clients) {
			await(client + " hears", () -> ClientState.hears(client));
		}
	}

	/**
	 * How many requests a client has yet to release.
	 */
	public static int leftovers(LockClient client) {
		return ClientState.leftovers(client);
	}

	/**
	 * Waits until a client knows nothing of any lock any more, and owes Redis nothing.
	 */
	static void awaitForgotten(LockClient client) {
		await(client + " forgets", () -> ClientState.names(client).isEmpty());
	}

	/**
	 * What an attempt is told, the reason first, or nothing if it succeeds.
	 */
	static String failure(LeaseLock lock) {
		try {
			if (!lock.tryLock()) {
				return Reason.TIMED_OUT + ": an earlier attempt is not released yet";
			}
			lock.unlock();
			return "";
		}
		catch (LockServerException ex) {
			return ex.reason() + ": " + ex.getMessage();
		}
	}

	/**
	 * The same, where waiting calls go on.
	 */
	static String passingFailure(LeaseLock lock) {
		String failure = failure(lock);
		assertThat(failure).doesNotStartWith(Reason.REFUSED.name());
		return failure;
	}

	/**
	 * Lets time pass, where that is what a test is about.
	 */
	static void pass(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		while (System.nanoTime() - end < 0) {
			LockSupport.parkNanos(end - System.nanoTime());
		}
	}

	/**
	 * How long things took.
	 */
	static String describe(List<Long> millis) {
		List<Long> sorted = millis.stream().sorted().toList();
		int last = sorted.size() - 1;
		return "%d, p50 %d ms, p99 %d ms, worst %d ms".formatted(sorted.size(), sorted.get(last / 2),
				sorted.get(last * 99 / 100), sorted.get(last));
	}

	static void await(String what, Callable<Boolean> condition) {
		Awaitility.await(what).pollInSameThread().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
	}

	/**
	 * Waits until a thread waits for a lock or for an answer to a command.
	 */
	static void awaitParkedOrReading(Thread thread) {
		await(thread.getName() + " waits", () -> {
			for (StackTraceElement frame : thread.getStackTrace()) {
				if (frame.getMethodName().equals("park") || frame.getMethodName().equals("parkNanos")
						|| frame.getClassName().contains("Socket")) {
					return true;
				}
			}
			return false;
		});
	}

	@Override
	public void close() throws Exception {
		while (!this.opened.isEmpty()) {
			this.opened.pop().close();
		}
	}

}
