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

package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * A master with two replicas, and three sentinels that replace it two seconds after it
 * fell silent. Earlier, they take a busy machine for a dead server, and fail over twice.
 */
public final class RedisSentinels implements RedisTopology {

	/**
	 * The name of the master.
	 */
	public static final String MASTER = "locks";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final List<RedisProcess> servers = new ArrayList<>();

	private final List<RedisProcess> sentinels = new ArrayList<>();

	private RedisSentinels(List<String> arguments) {
		List<String> ofReplicas = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
		ofReplicas.addAll(arguments);
		RedisProcess master = RedisProcess.start(ofReplicas.toArray(String[]::new));
		this.servers.add(master);
		ofReplicas.addAll(List.of("--replicaof", master.host(), Integer.toString(master.port())));
		for (int i = 0; i < 2; i++) {
			this.servers.add(RedisProcess.start(ofReplicas.toArray(String[]::new)));
		}
		for (int i = 0; i < 3; i++) {
			this.sentinels.add(RedisProcess.startSentinel(
					"sentinel monitor " + MASTER + " " + master.host() + " " + master.port() + " 2",
					"sentinel down-after-milliseconds " + MASTER + " 2000",
					"sentinel failover-timeout " + MASTER + " 5000"));
		}
	}

	/**
	 * Starts all of it and waits until it is ready.
	 * @param arguments of the master and its replicas
	 */
	public static RedisSentinels start(String... arguments) {
		RedisSentinels started = new RedisSentinels(List.of(arguments));
		started.awaitReady();
		return started;
	}

	@Override
	public RedisSentinelConfiguration configuration() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(MASTER);
		this.sentinels.forEach((each) -> configuration.sentinel(each.host(), each.port()));
		return configuration;
	}

	@Override
	public List<RedisProcess> servers() {
		return List.copyOf(this.servers);
	}

	public List<RedisProcess> sentinels() {
		return List.copyOf(this.sentinels);
	}

	/**
	 * The master by what the sentinels agreed on last.
	 */
	public RedisProcess master() {
		Map<String, String> latest = this.sentinels.stream()
			.filter(RedisProcess::answers)
			.map((each) -> pairs((List<?>) each.command("SENTINEL", "MASTER", MASTER)))
			.max(Comparator.comparingLong((known) -> Long.parseLong(known.get("config-epoch"))))
			.orElseThrow();
		int port = Integer.parseInt(latest.get("port"));
		return this.servers.stream().filter((each) -> each.port() == port).findFirst().orElseThrow();
	}

	@Override
	public RedisProcess masterOf(String key) {
		return master();
	}

	public List<RedisProcess> replicas() {
		RedisProcess master = master();
		return this.servers.stream().filter((each) -> each != master).toList();
	}

	/**
	 * Has a replica take over from a master that works, and waits until it has.
	 */
	public void failOver() {
		RedisProcess before = master();
		// Sentinels give a failover up that goes wrong, and do not try again.
		Awaitility.await("another master than " + before)
			.atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofSeconds(3))
			.ignoreExceptions()
			.until(() -> {
				if (master() == before) {
					this.sentinels.get(0).command("SENTINEL", "FAILOVER", MASTER);
				}
				return master() != before;
			});
		awaitOtherMaster(before);
	}

	@Override
	public void awaitOtherMaster(String key, RedisProcess before) {
		awaitOtherMaster(before);
	}

	/**
	 * Waits until another server is the master and takes writes.
	 */
	public void awaitOtherMaster(RedisProcess before) {
		Awaitility.await("another master than " + before).atMost(PATIENCE).ignoreExceptions().until(() -> {
			RedisProcess now = master();
			return now != before && now.answers() && now.info("replication", "role").equals("master");
		});
	}

	@Override
	public void awaitReady() {
		Awaitility.await("a master, two replicas and three sentinels that know each other")
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptions()
			.until(() -> this.servers.stream().allMatch(RedisProcess::answers) && isMasterReady(master())
					&& this.sentinels.stream().allMatch(RedisSentinels::isSentinelReady));
	}

	private static boolean isMasterReady(RedisProcess master) {
		String replication = (String) master.command("INFO", "replication");
		return RedisProcess.valueOf("role", replication).equals("master")
				&& replication.lines().filter((line) -> line.contains("state=online")).count() == 2;
	}

	private static boolean isSentinelReady(RedisProcess sentinel) {
		if (!sentinel.answers()) {
			return false;
		}
		Map<String, String> known = pairs((List<?>) sentinel.command("SENTINEL", "MASTER", MASTER));
		List<?> replicas = (List<?>) sentinel.command("SENTINEL", "REPLICAS", MASTER);
		return known.get("flags").equals("master") && known.get("num-other-sentinels").equals("2")
				&& replicas.size() == 2
				&& replicas.stream().allMatch((each) -> pairs((List<?>) each).get("flags").equals("slave"));
	}

	private static Map<String, String> pairs(List<?> words) {
		Map<String, String> pairs = new HashMap<>();
		for (int i = 0; i < words.size(); i += 2) {
			pairs.put((String) words.get(i), (String) words.get(i + 1));
		}
		return pairs;
	}

	@Override
	public void close() {
		this.sentinels.forEach(RedisProcess::close);
		this.servers.forEach(RedisProcess::close);
	}

	@Override
	public String toString() {
		return "sentinels " + this.sentinels + " of " + this.servers;
	}

}
