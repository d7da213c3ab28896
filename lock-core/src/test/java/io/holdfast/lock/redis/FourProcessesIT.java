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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.testing.JavaProcess;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Four processes, two on each client library, raise one value under one lock. One of them
 * is stopped while it holds the lock, for longer than its lease, and one is killed while
 * it holds the lock. Nothing is lost, nobody believes to hold what another holds, and the
 * others go on within the lease.
 * <p>
 * {@link System#nanoTime()} is one clock for all processes of a Linux or macOS machine,
 * so what the processes saw can be put in order.
 */
class FourProcessesIT {

	static final Duration WATCHDOG_TIMEOUT = Duration.ofMillis(1200);

	static final Duration WAITER_TIMEOUT = Duration.ofMillis(700);

	/**
	 * What a machine with too few processors may add to any of our times.
	 */
	private static final Duration SLACK = Duration.ofSeconds(10);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int THREADS = 3;

	private static final int WRITES_PER_PHASE = 150;

	private final RedisProcess server = RedisProcess.start();

	private final RedisConnectionFactory factory = RedisDriver.JEDIS.connect(this.server);

	private final StringRedisTemplate redis = new StringRedisTemplate(this.factory);

	private final List<JavaProcess> processes = new ArrayList<>();

	@TempDir
	private Path directory;

	private String prefix;

	private String resource;

	private String history;

	@BeforeEach
	void name() {
		this.prefix = "four:";
		this.resource = this.prefix + "resource";
		this.history = this.resource + ":history";
	}

	@AfterEach
	void end() {
		this.processes.forEach(JavaProcess::close);
		RedisDriver.disconnect(this.factory);
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void goOnRightlyWhileOneIsKilledAndOneIsStopped(boolean fair) throws Exception {
		for (int i = 0; i < 4; i++) {
			start(fair, (i % 2 == 0) ? RedisDriver.JEDIS : RedisDriver.LETTUCE);
		}
		this.processes.forEach((each) -> each.awaitLine("READY", PATIENCE));
		// Each library is stopped once and killed once.
		JavaProcess stopped = this.processes.get(fair ? 2 : 1);
		JavaProcess killed = this.processes.get(fair ? 3 : 0);
		awaitWrites(4 * WRITES_PER_PHASE);

		Pause pause = stopWhileItHolds(stopped);
		awaitWrites(writes() + WRITES_PER_PHASE);
		long killedToken = killWhileItHolds(killed);
		awaitWrites(writes() + WRITES_PER_PHASE);
		for (JavaProcess process : this.processes) {
			if (process != killed) {
				assertThat(process.end(PATIENCE)).as(process::toString).isZero();
			}
		}

		List<Write> history = history();
		List<Tenure> tenures = tenures();
		assertNoLostUpdate(history);
		assertOneAtATime(tenures);
		assertStoppedOneKnew(pause, tenures);
		Tenure last = tenures.get(tenures.size() - 1);
		assertThat(killedToken).isLessThan(last.token());
		Duration gap = longestGap(tenures);
		System.out.printf("%s: %d grants, %d writes accepted, %s refused; longest gap %d ms, stop %d ms%n", fair,
				tenures.size(), history.size(), this.redis.opsForHash().get(this.resource, "refused"), gap.toMillis(),
				TimeUnit.NANOSECONDS.toMillis(pause.contNanos() - pause.stopNanos()));
		assertThat(gap).isLessThan(WATCHDOG_TIMEOUT.plus(WAITER_TIMEOUT).plus(SLACK));
		assertNothingIsLeft();
	}

	private void start(boolean fair, RedisDriver driver) {
		int number = this.processes.size();
		this.processes.add(JavaProcess.start(driver + "-" + number, FourProcessesWorker.class, driver.name(),
				Integer.toString(this.server.port()), this.prefix, Boolean.toString(fair), Integer.toString(THREADS),
				records(number).toString()));
	}

	private Path records(int process) {
		return this.directory.resolve("process-" + process);
	}

	private long writes() {
		Long size = this.redis.opsForList().size(this.history);
		return (size != null) ? size : 0;
	}

	private void awaitWrites(long count) {
		Awaitility.await(count + " writes")
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.failFast("a process has failed", () -> this.processes.stream().anyMatch(JavaProcess::hasFailed))
			.until(() -> writes() >= count);
	}

	private Pause stopWhileItHolds(JavaProcess process) {
		process.tell("hold");
		long token = Long.parseLong(process.awaitLine("HOLDING", PATIENCE)[1]);
		long stopNanos = System.nanoTime();
		process.pause();
		long writes = writes();
		Awaitility.await("others go on").atMost(PATIENCE).until(() -> writes() > writes + WRITES_PER_PHASE);
		Awaitility.await("the lease is over")
			.atMost(PATIENCE)
			.until(() -> System.nanoTime() - stopNanos > 2 * WATCHDOG_TIMEOUT.toNanos());
		long contNanos = System.nanoTime();
		process.resume();
		process.tell("go");
		long lastHeldNanos = Long.parseLong(process.awaitLine("HELD", PATIENCE)[1]);
		String[] end = process.awaitLine("RELEASED", PATIENCE);
		return new Pause(token, stopNanos, contNanos, lastHeldNanos, end[1], "1".equals(end[2]));
	}

	private long killWhileItHolds(JavaProcess process) {
		process.tell("hold");
		long token = Long.parseLong(process.awaitLine("HOLDING", PATIENCE)[1]);
		process.kill();
		return token;
	}

	// What the resource saw

	private List<Write> history() {
		List<String> lines = this.redis.opsForList().range(this.history, 0, -1);
		return (lines != null) ? lines.stream().map(Write::of).toList() : List.of();
	}

	private void assertNoLostUpdate(List<Write> history) {
		long value = 0;
		long token = 0;
		for (Write write : history) {
			assertThat(write.token()).isGreaterThan(token);
			assertThat(write.read()).as("read under token %d", write.token()).isEqualTo(value);
			value = write.wrote();
			token = write.token();
		}
		assertThat(value).isEqualTo(history.size());
		assertThat(this.redis.opsForHash().get(this.resource, "value")).isEqualTo(Long.toString(value));
	}

	// What the processes saw

	/**
	 * All tenures, by token.
	 */
	private List<Tenure> tenures() throws IOException {
		Map<Long, Tenure> found = new TreeMap<>();
		for (int i = 0; i < this.processes.size(); i++) {
			for (String line : Files.readAllLines(records(i))) {
				String[] words = line.split(" ", -1);
				if ("G".equals(words[0])) {
					Tenure tenure = new Tenure(i, Long.parseLong(words[1]), Long.parseLong(words[2]),
							Long.parseLong(words[3]), Long.parseLong(words[3]), "killed");
					assertThat(found.put(tenure.token(), tenure)).as("token given twice: %s", tenure).isNull();
				}
				else if ("E".equals(words[0])) {
					found.computeIfPresent(Long.parseLong(words[1]), (token, tenure) -> tenure.ended(words));
				}
			}
		}
		return List.copyOf(found.values());
	}

	/**
	 * Nobody got the lock before all who had it with a smaller token had last seen that
	 * they hold it.
	 */
	private static void assertOneAtATime(List<Tenure> tenures) {
		Tenure latest = tenures.get(0);
		for (Tenure tenure : tenures.subList(1, tenures.size())) {
			assertThat(tenure.grantedNanos()).as("%s was granted while %s was valid", tenure, latest)
				.isGreaterThan(latest.validNanos());
			if (tenure.validNanos() > latest.validNanos()) {
				latest = tenure;
			}
		}
	}

	/**
	 * The longest time in which nobody got the lock.
	 */
	private static Duration longestGap(List<Tenure> tenures) {
		List<Long> granted = tenures.stream().map(Tenure::grantedNanos).sorted(Comparator.naturalOrder()).toList();
		long longest = 0;
		for (int i = 1; i < granted.size(); i++) {
			longest = Math.max(longest, granted.get(i) - granted.get(i - 1));
		}
		return Duration.ofNanos(longest);
	}

	private static void assertStoppedOneKnew(Pause pause, List<Tenure> tenures) {
		assertThat(pause.lastHeldNanos()).as("last seen as held").isLessThan(pause.contNanos());
		assertThat(pause.accepted()).as("late write").isFalse();
		assertThat(pause.end()).isEqualTo("lost");
		Map<String, Integer> ends = new HashMap<>();
		tenures.forEach((tenure) -> ends.merge(tenure.end(), 1, Integer::sum));
		// Where the machine is busy, another one may have been stopped for as long.
		assertThat(ends.get("lost")).as("losses: %s", ends).isPositive();
		assertThat(ends.get("killed")).as("kills: %s", ends).isEqualTo(1);
		assertThat(ends).doesNotContainKey("unanswered");
	}

	// What Redis keeps

	private void assertNothingIsLeft() {
		String key = this.prefix + "lock:hot";
		Map<Object, Object> fields = this.redis.opsForHash().entries(key);
		assertThat(fields).doesNotContainKeys("until", "head", "tail");
		assertThat(fields.keySet()).noneMatch((field) -> field.toString().matches("[qw]:.*"));
		Set<String> keys = this.redis.keys(this.prefix + "*");
		assertThat(keys).containsExactlyInAnyOrder(key, this.resource, this.history);
		assertThat(this.redis.getExpire(key)).isPositive();
	}

	/**
	 * A write that the resource took.
	 */
	private record Write(long token, long read, long wrote) {

		static Write of(String line) {
			String[] words = line.split(" ", -1);
			return new Write(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
		}

	}

	/**
	 * A grant: when it was known, when it was last known to be valid, and how it ended.
	 */
	private record Tenure(int process, long token, long invokedNanos, long grantedNanos, long validNanos, String end) {

		Tenure ended(String[] words) {
			long valid = this.grantedNanos;
			if (Boolean.parseBoolean(words[3])) {
				valid = Long.parseLong(words[2]);
			}
			if (Boolean.parseBoolean(words[5])) {
				valid = Long.parseLong(words[4]);
			}
			return new Tenure(this.process, this.token, this.invokedNanos, this.grantedNanos, valid, words[7]);
		}

	}

	private record Pause(long token, long stopNanos, long contNanos, long lastHeldNanos, String end, boolean accepted) {
	}

}
