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
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import redis.clients.jedis.util.JedisClusterCRC16;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;

/**
 * A cluster of three masters with a replica each, which replace a master 1.5 s after it
 * fell silent.
 */
public final class RedisCluster implements RedisTopology {

	private static final int MASTERS = 3;

	private static final int SLOTS = 16384;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final List<RedisProcess> servers = new ArrayList<>();

	private RedisCluster(List<String> arguments) {
		List<String> all = new ArrayList<>(List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "1500",
				"--repl-diskless-sync-delay", "0"));
		all.addAll(arguments);
		for (int i = 0; i < 2 * MASTERS; i++) {
			this.servers.add(RedisProcess.start(all.toArray(String[]::new)));
		}
	}

	/**
	 * Starts all of it and waits until it is ready.
	 * @param arguments of each server
	 */
	public static RedisCluster start(String... arguments) {
		RedisCluster cluster = new RedisCluster(List.of(arguments));
		cluster.form();
		cluster.awaitReady();
		return cluster;
	}

	private void form() {
		for (int i = 0; i < MASTERS; i++) {
			RedisProcess master = this.servers.get(i);
			Stream<String> slots = IntStream.range(i * SLOTS / MASTERS, (i + 1) * SLOTS / MASTERS)
				.mapToObj(Integer::toString);
			master.command(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots).toArray(String[]::new));
			master.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
		}
		RedisProcess first = this.servers.get(0);
		await("all nodes know each other").until(() -> {
			List<RedisProcess> strangers = this.servers.stream().filter((each) -> !knowsAll(each)).toList();
			// Again and again: a node that is busy for 1.5 s is forgotten.
			strangers.stream()
				.filter((each) -> each != first)
				.forEach((each) -> each.command("CLUSTER", "MEET", first.host(), Integer.toString(first.port())));
			return strangers.isEmpty();
		});
		for (int i = 0; i < MASTERS; i++) {
			String master = (String) this.servers.get(i).command("CLUSTER", "MYID");
			this.servers.get(MASTERS + i).command("CLUSTER", "REPLICATE", master);
		}
	}

	private boolean knowsAll(RedisProcess server) {
		return linesOf(server).stream().filter(Line::isReachable).count() == this.servers.size();
	}

	@Override
	public RedisClusterConfiguration configuration() {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		this.servers.forEach((each) -> configuration.clusterNode(new RedisNode(each.host(), each.port())));
		return configuration;
	}

	@Override
	public List<RedisProcess> servers() {
		return List.copyOf(this.servers);
	}

	/**
	 * The masters that answer.
	 */
	public List<RedisProcess> masters() {
		return this.servers.stream().filter((each) -> own(each).filter(Line::isMaster).isPresent()).toList();
	}

	@Override
	public RedisProcess masterOf(String key) {
		return await("a master of " + key).until(() -> findMaster(slotOf(key), claims()), Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * The server that takes the writes of each of many keys.
	 */
	public Map<String, RedisProcess> mastersOf(Collection<String> keys) {
		Map<RedisProcess, Line> claims = claims();
		return keys.stream()
			.collect(Collectors.toMap((key) -> key, (key) -> findMaster(slotOf(key), claims).orElseThrow()));
	}

	/**
	 * The slot of a key.
	 */
	public static int slotOf(String key) {
		return JedisClusterCRC16.getSlot(key);
	}

	/**
	 * What each server that answers says of itself.
	 */
	private Map<RedisProcess, Line> claims() {
		Map<RedisProcess, Line> claims = new HashMap<>();
		this.servers.forEach((each) -> own(each).ifPresent((line) -> claims.put(each, line)));
		return claims;
	}

	/**
	 * Of those that claim a slot, the one that did so last.
	 */
	private static Optional<RedisProcess> findMaster(int slot, Map<RedisProcess, Line> claims) {
		return claims.keySet()
			.stream()
			.filter((each) -> claims.get(each).serves(slot))
			.max(Comparator.comparingLong((each) -> claims.get(each).epoch()));
	}

	/**
	 * The replica of a master, as another node sees it.
	 */
	public RedisProcess replicaOf(RedisProcess master) {
		RedisProcess other = this.servers.stream()
			.filter((each) -> each != master && each.answers())
			.findFirst()
			.orElseThrow();
		List<Line> lines = linesOf(other);
		String id = lines.stream().filter((line) -> line.isOf(master)).map(Line::id).findFirst().orElseThrow();
		return this.servers.stream()
			.filter((each) -> lines.stream().anyMatch((line) -> line.isOf(each) && line.master().equals(id)))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Has a replica take over from its master, which works, and waits until it has.
	 */
	public void failOver(RedisProcess replica) {
		// Redis gives a failover up that takes too long, and does not try again.
		await(replica + " is a master").pollDelay(Duration.ZERO).pollInterval(Duration.ofSeconds(3)).until(() -> {
			if (own(replica).filter(Line::isMaster).isEmpty()) {
				replica.command("CLUSTER", "FAILOVER");
			}
			return own(replica).filter(Line::isMaster).isPresent();
		});
	}

	@Override
	public void awaitOtherMaster(String key, RedisProcess before) {
		await("another master than " + before)
			.until(() -> findMaster(slotOf(key), claims()).filter((now) -> now != before).isPresent());
	}

	/**
	 * Moves the slot of a key, with all that is in it, to another master.
	 */
	public void move(String key, RedisProcess target) {
		RedisProcess source = masterOf(key);
		beginMove(key, target);
		String slot = Integer.toString(slotOf(key));
		List<?> keys = (List<?>) source.command("CLUSTER", "GETKEYSINSLOT", slot, "10000");
		keys.forEach((each) -> source.command("MIGRATE", target.host(), Integer.toString(target.port()), (String) each,
				"0", "5000"));
		String id = (String) target.command("CLUSTER", "MYID");
		// The target first: it must know that it owns the slot before anybody is sent
		// there.
		target.command("CLUSTER", "SETSLOT", slot, "NODE", id);
		masters().forEach((each) -> each.command("CLUSTER", "SETSLOT", slot, "NODE", id));
	}

	/**
	 * Begins to move the slot of a key, and leaves its keys where they are.
	 */
	public void beginMove(String key, RedisProcess target) {
		RedisProcess source = masterOf(key);
		String slot = Integer.toString(slotOf(key));
		target.command("CLUSTER", "SETSLOT", slot, "IMPORTING", (String) source.command("CLUSTER", "MYID"));
		source.command("CLUSTER", "SETSLOT", slot, "MIGRATING", (String) target.command("CLUSTER", "MYID"));
	}

	@Override
	public void awaitReady() {
		await("a cluster of three masters and three replicas")
			.until(() -> this.servers.stream().allMatch(this::isReady));
	}

	private boolean isReady(RedisProcess server) {
		if (!server.answers()) {
			return false;
		}
		List<Line> lines = linesOf(server);
		boolean inStep = own(server).filter(Line::isMaster).isPresent()
				|| server.info("replication", "master_link_status").equals("up");
		return inStep && RedisProcess.valueOf("cluster_state", (String) server.command("CLUSTER", "INFO")).equals("ok")
				&& knowsAll(server) && lines.stream().filter(Line::isMaster).count() == MASTERS;
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).ignoreExceptions();
	}

	/**
	 * What a server says of itself, if it answers.
	 */
	private static Optional<Line> own(RedisProcess server) {
		return server.answers() ? linesOf(server).stream().filter(Line::isMyself).findFirst() : Optional.empty();
	}

	private static List<Line> linesOf(RedisProcess server) {
		return ((String) server.command("CLUSTER", "NODES")).lines()
			.map((line) -> new Line(List.of(line.split(" "))))
			.toList();
	}

	@Override
	public void close() {
		this.servers.forEach(RedisProcess::close);
	}

	@Override
	public String toString() {
		return "cluster of " + this.servers;
	}

	/**
	 * A line of {@code CLUSTER NODES}: id, address, flags, master, ping, pong, epoch,
	 * link, slots.
	 */
	private record Line(List<String> words) {

		String id() {
			return this.words.get(0);
		}

		String master() {
			return this.words.get(3);
		}

		long epoch() {
			return Long.parseLong(this.words.get(6));
		}

		boolean isOf(RedisProcess server) {
			return this.words.get(1).startsWith(server.host() + ":" + server.port() + "@");
		}

		boolean isMyself() {
			return flags().contains("myself");
		}

		boolean isMaster() {
			return flags().contains("master");
		}

		boolean isReachable() {
			return this.words.get(7).equals("connected")
					&& flags().stream().noneMatch((flag) -> flag.matches("fail\\??|handshake|noaddr"));
		}

		boolean serves(int slot) {
			return isMaster() && this.words.stream().skip(8).anyMatch((range) -> covers(range, slot));
		}

		private List<String> flags() {
			return Arrays.asList(this.words.get(2).split(","));
		}

		private static boolean covers(String range, int slot) {
			if (range.startsWith("[")) {
				return false;
			}
			String[] ends = range.split("-", -1);
			return Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]);
		}

	}

}
