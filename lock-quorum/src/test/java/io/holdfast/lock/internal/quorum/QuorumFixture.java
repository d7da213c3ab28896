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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.RedisLockServer;
import io.holdfast.lock.quorum.RedisQuorum;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.TestThreads;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Clients of a majority of five servers, which heal after each test.
 */
@ParameterizedClass
@EnumSource
abstract class QuorumFixture {

	/** Longer than a busy machine stands still, for tests that wait for its end. */
	static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** For tests that ask whether anybody waits so long for an answer. */
	static final Duration PATIENCE = Duration.ofSeconds(20);

	static final Duration WATCHDOG = Duration.ofSeconds(10);

	static final List<RedisProcess> SERVERS = IntStream.range(0, 5).mapToObj((unused) -> RedisProcess.start()).toList();

	@Parameter
	RedisDriver driver;

	final String prefix = "quorum-" + UUID.randomUUID() + ":";

	final List<RedisConnectionFactory> connections = new ArrayList<>();

	final List<RedisLockClient> clients = new ArrayList<>();

	private final List<FaultProxy> links = new ArrayList<>();

	final TestThreads threads = new TestThreads();

	LeaseLock here;

	LeaseLock elsewhere;

	@BeforeEach
	void connect() {
		this.here = client((builder) -> builder).getLock("a name");
		this.elsewhere = client((builder) -> builder).getLock("a name");
	}

	@AfterEach
	void disconnect() {
		try {
			this.threads.close();
		}
		finally {
			this.clients.forEach(RedisLockClient::close);
			this.connections.forEach(RedisDriver::disconnect);
			this.links.forEach(FaultProxy::close);
			SERVERS.forEach(QuorumFixture::heal);
		}
	}

	private static void heal(RedisProcess server) {
		if (server.isAlive()) {
			server.resume();
		}
		else {
			server.startAgain();
		}
	}

	static void kill(int... servers) {
		IntStream.of(servers).mapToObj(SERVERS::get).forEach(RedisProcess::kill);
	}

	static void startAgain(int... servers) {
		IntStream.of(servers).mapToObj(SERVERS::get).forEach((server) -> server.startAgain());
	}

	static void pause(int... servers) {
		IntStream.of(servers).mapToObj(SERVERS::get).forEach(RedisProcess::pause);
	}

	static void resume(int... servers) {
		IntStream.of(servers).mapToObj(SERVERS::get).forEach(RedisProcess::resume);
	}

	RedisLockClient client(UnaryOperator<RedisLockClientBuilder> settings) {
		return client(connect(SERVERS), TIMEOUT, Duration.ZERO, settings);
	}

	RedisLockClient client(Duration guard) {
		return client(connect(SERVERS), TIMEOUT, guard, (builder) -> builder);
	}

	/**
	 * A client that waits longer for answers than a busy machine stands still.
	 */
	RedisLockClient patientClient() {
		return client(connect(SERVERS), PATIENCE, Duration.ZERO, (builder) -> builder);
	}

	RedisLockClient clientThrough(List<FaultProxy> links, Duration timeout) {
		return client(links.stream().map((link) -> this.driver.connect(link.host(), link.port(), PATIENCE)).toList(),
				timeout, Duration.ZERO, (builder) -> builder);
	}

	/**
	 * The network to the servers, which ends with the test.
	 */
	List<FaultProxy> links() {
		SERVERS.forEach((server) -> this.links.add(new FaultProxy(server)));
		return this.links;
	}

	List<RedisConnectionFactory> connect(List<RedisProcess> servers) {
		return servers.stream().map((server) -> this.driver.connect(server.host(), server.port(), PATIENCE)).toList();
	}

	RedisLockClient client(List<RedisConnectionFactory> own, Duration timeout, Duration guard,
			UnaryOperator<RedisLockClientBuilder> settings) {
		this.connections.addAll(own);
		RedisLockClientBuilder builder = RedisQuorum.of(own)
			.timeout(timeout)
			.restartGuard(guard)
			.clientBuilder()
			.keyPrefix(this.prefix)
			.watchdogTimeout(WATCHDOG);
		RedisLockClient client = settings.apply(builder).build();
		this.clients.add(client);
		return client;
	}

	long servers(String name) {
		return SERVERS.stream().filter(RedisProcess::isAlive).filter((server) -> isHeldOn(server, name)).count();
	}

	/**
	 * The keys of the test's locks that most of the servers say are held.
	 */
	List<String> heldByAMajority() {
		Map<String, Long> held = SERVERS.stream()
			.flatMap((server) -> heldOn(server).stream())
			.collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
		return held.keySet().stream().filter((key) -> held.get(key) > SERVERS.size() / 2).toList();
	}

	private List<String> heldOn(RedisProcess server) {
		return ask(server,
				(redis) -> redis.keys(this.prefix + "lock:*")
					.stream()
					.filter((key) -> redis.opsForHash().hasKey(key, "until"))
					.toList());
	}

	boolean isHeldOn(RedisProcess server, String name) {
		return ask(server, (redis) -> redis.opsForHash().hasKey(this.prefix + "lock:" + name, "until"));
	}

	/**
	 * Whether a client holds a lock on a server now.
	 */
	boolean isHeldOn(RedisProcess server, String name, RedisLockClient client) {
		Map<String, String> lock = hash(server, name);
		return ("xr " + client.id()).equals(lock.get("owner")) && lock.containsKey("until")
				&& Long.parseLong(lock.get("until").substring(2)) > System.currentTimeMillis();
	}

	Map<String, String> hash(RedisProcess server, String name) {
		return ask(server, (redis) -> redis.<String, String>opsForHash().entries(this.prefix + "lock:" + name));
	}

	static <T> T ask(RedisProcess server, Function<StringRedisTemplate, T> question) {
		RedisConnectionFactory factory = RedisDriver.JEDIS.connect(server.host(), server.port(), PATIENCE);
		try {
			return question.apply(new StringRedisTemplate(factory));
		}
		finally {
			RedisDriver.disconnect(factory);
		}
	}

	/**
	 * Has other requests hold a lock, each on one server.
	 */
	void vote(String name, String... ids) {
		for (int i = 0; i < ids.length; i++) {
			vote(SERVERS.get(i), name, ids[i]);
		}
	}

	void vote(RedisProcess server, String name, String id) {
		ask(server,
				(redis) -> redis.execute(QuorumScripts.VOTE, List.of(this.prefix + "lock:" + name), "3:" + id,
						"rival@host/1", "xr 600000 1 1 1 0 99999999999999", "0",
						"10000 300000 PUBLISH " + this.prefix + "client:"));
	}

	/**
	 * The port on all servers.
	 */
	LockServer server() {
		List<RedisConnectionFactory> own = connect(SERVERS);
		this.connections.addAll(own);
		ServerSettings settings = new ServerSettings(new LockKeys(this.prefix), "app@host/1", Duration.ofSeconds(10),
				Duration.ofMinutes(5));
		return new QuorumLockServer(own.stream()
			.map((each) -> io.holdfast.lock.internal.driver.RedisDriver.of(each, TIMEOUT))
			.map((each) -> new RedisLockServer(each, settings))
			.toList(), settings, new QuorumSettings(TIMEOUT, Duration.ZERO));
	}

	static void awaitLongerThan(Duration time) {
		long since = System.nanoTime();
		await(() -> assertThat(System.nanoTime() - since).isGreaterThan(time.toNanos()));
	}

	static void await(Runnable assertion) {
		Awaitility.await().pollInSameThread().atMost(TestThreads.LONG).untilAsserted(assertion::run);
	}

	void setToken(RedisProcess server, String name, long token) {
		ask(server, (redis) -> {
			redis.opsForHash()
				.putAll(this.prefix + "lock:" + name, Map.of("hold", "3:before", "token", Long.toString(token)));
			return true;
		});
	}

}
