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

package io.holdfast.lock.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.fixture.LockRunner;
import io.holdfast.lock.fixture.LogCapture;
import io.holdfast.lock.fixture.ShardingProxy;
import io.holdfast.lock.testing.RedisCluster;
import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisSetup;
import io.holdfast.lock.testing.TestThreads;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application finds out about its Redis when it starts. */
class StartUpCheckTests {

	private static final String PACKAGE = StartUpCheck.class.getPackageName();

	private static final String RIGHTS = "--user locks on >secret ~* resetchannels &* -@all " + ServerCheck.COMMANDS;

	@Test
	void rightsThatAreNamedAreEnoughAndThoseOfTheDocumentation() {
		assertThat(RedisSetup.RIGHTS).endsWith(" -@all " + ServerCheck.COMMANDS);
		try (RedisProcess redis = RedisProcess.start(RIGHTS.split(" ")); LogCapture log = everything()) {
			user(redis).withPropertyValues("holdfast.lock.takeover-after=5s").run((context) -> {
				LeaseLock lock = context.getBean(LockClient.class).getLock("a");

				assertThat(lock.tryLock()).isTrue();
				awaitTied(redis);
				lock.unlock();
			});
			assertThat(log.lines()).allMatch((line) -> line.startsWith("INFO"));
		}
	}

	@Test
	void rightsAreTriedInACluster() {
		String rights = RedisSetup.RIGHTS + " " + RedisSetup.RIGHTS_IN_CLUSTER;
		String users = "--user locks " + rights + " --user blind " + rights.replace(" +hlen", "");
		try (RedisCluster cluster = RedisCluster.start(users.split(" ", -1)); LogCapture log = everything()) {
			String nodes = cluster.servers()
				.stream()
				.map((each) -> each.host() + ":" + each.port())
				.collect(Collectors.joining(","));
			for (String hidden : List.of("no.such.package", "io.lettuce")) {
				ApplicationContextRunner runner = LockRunner.create()
					.withBean(PatientCheck.class)
					.withClassLoader(new FilteredClassLoader(hidden))
					.withPropertyValues("spring.data.redis.cluster.nodes=" + nodes,
							"spring.data.redis.password=secret");
				runner
					.withPropertyValues("spring.data.redis.username=locks", "holdfast.lock.key-prefix=till:",
							"holdfast.lock.takeover-after=5s")
					.run((context) -> {
						LeaseLock lock = context.getBean(LockClient.class).getLock("a");
						assertThat(lock.tryLock()).isTrue();
						awaitTied(cluster.masterOf("till:lock:a"));
						lock.unlock();
					});
				assertThat(log.lines()).noneMatch((line) -> line.startsWith("WARN"));
				runner.withPropertyValues("spring.data.redis.username=blind")
					.run((context) -> assertThat(context).getFailure().hasMessageContaining("may not lock"));
			}
		}
	}

	/**
	 * Scripts have seen the session of the owner.
	 */
	private static void awaitTied(RedisProcess redis) {
		Awaitility.await().until(() -> String.valueOf(redis.command("HGET", "till:lock:a", "owner")).contains("#"));
	}

	static Stream<String> missingRightStopsTheApplication() {
		return Stream.concat(Stream.of("&*", "~*"), Stream.of(ServerCheck.COMMANDS.split(" ")))
			.filter((right) -> !Set.of("+subscribe", "+pubsub|numsub", "+info", "+ping").contains(right));
	}

	@ParameterizedTest
	@MethodSource
	void missingRightStopsTheApplication(String right) {
		try (RedisProcess redis = RedisProcess.start(without(right))) {
			user(redis).run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("may not lock (Redis at " + redis.host() + ":" + redis.port() + "): ")
				.hasMessageContaining("ACL SETUSER <user> ~till:* &till:client:* " + ServerCheck.COMMANDS)
				.hasMessageContaining("holdfast.lock.check-at-start=false"));
		}
	}

	private static String[] without(String right) {
		return RIGHTS.replaceFirst(" " + Pattern.quote(right) + "(?= |$)", "").split(" ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "no.such.package", "io.lettuce" })
	void missingRightToSubscribeIsWarnedOf(String hidden) {
		try (RedisProcess redis = RedisProcess.start(without("+subscribe"));
				LogCapture log = LogCapture.of("io.holdfast.lock.internal", Level.WARN)) {
			user(redis).withClassLoader(new FilteredClassLoader(hidden)).run((context) -> {
				assertThat(context).hasNotFailed();
				Awaitility.await().until(() -> !log.lines().isEmpty());
			});
			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
				.contains("There is no subscription to till:client:shop@", "'subscribe'", "NOPERM");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "+pubsub|numsub", "+info" })
	void missingRightToTakeOverIsWarnedOf(String right) {
		try (RedisProcess redis = RedisProcess.start(without(right));
				LogCapture log = LogCapture.of("io.holdfast.lock.internal", Level.WARN)) {
			user(redis).withPropertyValues("holdfast.lock.command-timeout=1s").run((context) -> {
				assertThat(context).hasNotFailed();
				Awaitility.await().until(() -> !log.lines().isEmpty());
			});
			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
				.contains("Locks of a dead process are not taken over", "(+pubsub|numsub +info)");
		}
	}

	@ParameterizedTest
	@CsvSource({ "no.such.package,wrong,0,WRONGPASS", "io.lettuce,wrong,0,WRONGPASS", "no.such.package,,0,NOAUTH",
			"io.lettuce,,0,NOAUTH", "no.such.package,secret,99,DB index", "io.lettuce,secret,99,DB index" })
	void wrongPasswordOrDatabaseStopsTheApplication(String hidden, @Nullable String password, int database,
			String answer) {
		try (RedisProcess redis = RedisProcess.start("--requirepass", "secret");
				LogCapture log = everything();
				LogCapture connections = LogCapture.of("io.holdfast.lock.internal", Level.WARN)) {
			to(redis).withClassLoader(new FilteredClassLoader(hidden))
				.withPropertyValues("spring.data.redis.database=" + database)
				.withPropertyValues(
						(password != null) ? new String[] { "spring.data.redis.password=" + password } : new String[0])
				.run((context) -> assertThat(context).as(() -> log.lines().toString())
					.getFailure()
					.hasMessageContaining("refuses this application: ")
					.hasMessageContaining(answer)
					.hasMessageContaining("Correct the address, user, password or database"));
			assertThat(connections.lines()).noneMatch((line) -> line.contains("let its user"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "no.such.package", "io.lettuce" })
	void proxyThatSpreadsTheKeysOfAScriptStopsTheApplication(String hidden) throws IOException {
		try (RedisProcess one = RedisProcess.start();
				RedisProcess other = RedisProcess.start();
				ShardingProxy proxy = new ShardingProxy(one, other);
				ShardingProxy plain = new ShardingProxy(one)) {
			ApplicationContextRunner runner = to(one).withClassLoader(new FilteredClassLoader(hidden));
			runner.withPropertyValues("spring.data.redis.port=" + plain.port())
				.run((context) -> assertThat(context).hasNotFailed());
			runner.withPropertyValues("spring.data.redis.port=" + proxy.port())
				.run((context) -> assertThat(context).getFailure()
					.hasMessageContaining("A proxy before Redis spreads the keys of one script"));
		}
	}

	@Test
	void checkLeavesNothingForLong() {
		try (RedisProcess redis = RedisProcess.start()) {
			to(redis).run((context) -> {
				StringRedisTemplate template = new StringRedisTemplate(context.getBean(RedisConnectionFactory.class));
				assertThat(template.keys("*")).isNotEmpty()
					.allSatisfy((key) -> assertThat(template.getExpire(key)).isBetween(1L, 60L));
			});
		}
	}

	@Test
	void missingRightIsNoObstacleIfNobodyLooks() {
		try (RedisProcess redis = RedisProcess.start(without("+hset"))) {
			user(redis).withPropertyValues("holdfast.lock.check-at-start=false")
				.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StartUpCheck.class));
		}
	}

	@Test
	void evictionIsWarnedOf() {
		try (RedisProcess redis = RedisProcess.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru");
				LogCapture log = warnings()) {
			to(redis).run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING)
				.startsWith("WARN")
				.contains("allkeys-lru", "noeviction");
		}
	}

	@Test
	void evictionThatCannotHappenIsNotWarnedOf() {
		try (RedisProcess redis = RedisProcess.start("--maxmemory-policy", "allkeys-lru");
				LogCapture log = warnings()) {
			to(redis).run((context) -> assertThat(context).hasNotFailed());

			assertThat(log.lines()).isEmpty();
		}
	}

	@Test
	void redisThatIsAwayOrSilentIsNoObstacle() {
		try (RedisProcess redis = RedisProcess.start(); LogCapture log = warnings()) {
			ApplicationContextRunner impatient = LockRunner.create()
				.withPropertyValues("spring.data.redis.port=" + redis.port(), "spring.data.redis.timeout=3m",
						"holdfast.lock.command-timeout=1s");
			redis.pause();
			long begin = System.nanoTime();
			impatient.run((context) -> assertThat(context).hasNotFailed());
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(2));
			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING).startsWith(notYet(redis));
		}
		try (RedisProcess redis = RedisProcess.start(); LogCapture log = warnings()) {
			redis.kill();
			to(redis).run((context) -> assertThat(context).hasNotFailed());
			assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING).startsWith(notYet(redis));
		}
	}

	@Test
	void redisThatIsSlowIsCheckedWhenItAnswers() {
		try (RedisProcess redis = RedisProcess.start(without("+hset")); LogCapture log = warnings()) {
			redis.pause();
			user(redis).withPropertyValues("holdfast.lock.command-timeout=1s").run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING).startsWith(notYet(redis));

				redis.resume();

				Awaitility.await()
					.atMost(Duration.ofSeconds(60))
					.untilAsserted(() -> assertThat(log.lines()).last(InstanceOfAssertFactories.STRING)
						.contains("cannot hold locks. The Redis user of this application may not lock"));
			});
		}
	}

	@Test
	void redisThatIsAwayIsCheckedWhenItIsBack() {
		try (RedisProcess redis = RedisProcess.start(without("+hset")); LogCapture log = warnings()) {
			redis.kill();
			user(redis).run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(log.lines()).singleElement(InstanceOfAssertFactories.STRING).startsWith(notYet(redis));

				redis.startAgain();

				Awaitility.await()
					.atMost(Duration.ofSeconds(60))
					.untilAsserted(() -> assertThat(log.lines()).last(InstanceOfAssertFactories.STRING)
						.startsWith("ERROR Redis at " + address(redis) + ", which did not serve at the start, cannot "
								+ "hold locks. The Redis user of this application may not lock"));
			});
		}
		try (RedisProcess redis = RedisProcess.start(); LogCapture log = LogCapture.of(PACKAGE, Level.INFO)) {
			redis.kill();
			to(redis).run((context) -> {
				redis.startAgain();

				Awaitility.await()
					.atMost(Duration.ofSeconds(60))
					.untilAsserted(() -> assertThat(log.lines())
						.contains("INFO Redis at " + address(redis) + " serves now, and can hold locks"));
			});
		}
	}

	@Test
	void checkOfARedisThatIsAwayEndsWithTheApplication() {
		Set<Thread> before = checks();
		try (RedisProcess redis = RedisProcess.start()) {
			redis.kill();
			to(redis).run((context) -> assertThat(checks()).isNotEqualTo(before));
			awaitEnd(before);

			LockRunner.create()
				.withPropertyValues("spring.data.redis.port=" + redis.port())
				.withBean(FailsToStart.class)
				.run((context) -> assertThat(context).hasFailed());
			awaitEnd(before);
		}
	}

	private static void awaitEnd(Set<Thread> before) {
		Awaitility.await().atMost(TestThreads.LONG).until(() -> before.containsAll(checks()));
	}

	private static Set<Thread> checks() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("holdfast-start-up-check"))
			.collect(Collectors.toSet());
	}

	private static String address(RedisProcess redis) {
		return redis.host() + ":" + redis.port();
	}

	private static String notYet(RedisProcess redis) {
		return "WARN Redis at " + address(redis) + " does not serve yet.";
	}

	private static LogCapture everything() {
		return LogCapture.of(PACKAGE, Level.DEBUG);
	}

	private static LogCapture warnings() {
		return LogCapture.of(PACKAGE, Level.WARN);
	}

	private static ApplicationContextRunner user(RedisProcess redis) {
		return to(redis).withPropertyValues("spring.data.redis.username=locks", "spring.data.redis.password=secret");
	}

	private static ApplicationContextRunner to(RedisProcess redis) {
		return LockRunner.create()
			.withBean(PatientCheck.class)
			.withPropertyValues("holdfast.lock.key-prefix=till:", "spring.data.redis.port=" + redis.port());
	}

	static class FailsToStart implements SmartLifecycle {

		@Override
		public void start() {
			throw new IllegalStateException("for a test");
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

}
