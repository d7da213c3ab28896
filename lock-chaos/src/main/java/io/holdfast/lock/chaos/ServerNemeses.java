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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

import io.holdfast.lock.testing.RedisProcess;
import io.holdfast.lock.testing.RedisTopology;
import org.awaitility.Awaitility;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * What happens to a server.
 */
final class ServerNemeses {

	private static final Duration SHORT = Duration.ofMillis(200);

	private static final Duration LONG = Duration.ofMillis(2500);

	private final Function<Random, RedisProcess> choice;

	/**
	 * Make them.
	 * @param choice which server is struck
	 */
	ServerNemeses(Function<Random, RedisProcess> choice) {
		this.choice = choice;
	}

	/**
	 * What any server may do or be told to.
	 */
	Map<Fault, Nemesis> common() {
		Map<Fault, Nemesis> nemeses = new EnumMap<>(Fault.class);
		nemeses.put(Fault.CONNECTIONS_KILLED, again(5, "CLIENT", "KILL", "TYPE", "normal"));
		nemeses.put(Fault.SUBSCRIPTIONS_KILLED, again(5, "CLIENT", "KILL", "TYPE", "pubsub"));
		nemeses.put(Fault.SCRIPTS_FLUSHED, again(20, "SCRIPT", "FLUSH"));
		nemeses.put(Fault.CLIENTS_PAUSED, (clients, random, marker) -> {
			Duration time = time(random);
			marker.begins(0);
			RedisProcess server = this.choice.apply(random);
			server.command("CLIENT", "PAUSE", Long.toString(time.toMillis()));
			Nemesis.last(random, time, time);
		});
		nemeses.put(Fault.SERVER_ASLEEP, (clients, random, marker) -> sleep(random, marker));
		nemeses.put(Fault.MEMORY_FULL,
				whileSet(LONG, List.of("CONFIG", "SET", "maxmemory", "1"), List.of("CONFIG", "SET", "maxmemory", "0")));
		nemeses.put(Fault.SCRIPTS_FORBIDDEN, scriptsForbidden(LONG));
		nemeses.put(Fault.SCRIPTS_FORBIDDEN_SHORT, scriptsForbidden(SHORT.multipliedBy(2)));
		nemeses.put(Fault.MESSAGES_FORBIDDEN, whileSet(LONG, List.of("ACL", "SETUSER", "default", "-publish"),
				List.of("ACL", "SETUSER", "default", "+publish")));
		return nemeses;
	}

	/**
	 * What makes a single server useless for a while.
	 */
	Map<Fault, Nemesis> single() {
		Map<Fault, Nemesis> nemeses = new EnumMap<>(Fault.class);
		nemeses.put(Fault.SERVER_STOPPED, (clients, random, marker) -> {
			marker.begins(0);
			RedisProcess server = this.choice.apply(random);
			server.pause();
			try {
				Nemesis.last(random, SHORT, LONG);
			}
			finally {
				server.resume();
			}
		});
		nemeses.put(Fault.SERVER_EMPTIED, (clients, random, marker) -> {
			marker.begins(0);
			RedisProcess server = this.choice.apply(random);
			server.kill();
			Nemesis.last(random, Duration.ZERO, SHORT);
			server.startAgain();
		});
		nemeses.put(Fault.SERVER_RESTARTED, (clients, random, marker) -> restart(random, marker));
		return nemeses;
	}

	/**
	 * What makes a replica take the place of a master.
	 * @param key of the master
	 * @param failOver has a replica take over
	 */
	Map<Fault, Nemesis> replicated(RedisTopology topology, String key, Runnable failOver) {
		Map<Fault, Nemesis> nemeses = new EnumMap<>(Fault.class);
		nemeses.put(Fault.MASTER_KILLED, (clients, random, marker) -> {
			RedisProcess master = this.choice.apply(random);
			marker.begins(0);
			master.kill();
			topology.awaitOtherMaster(key, master);
			Nemesis.last(random, Duration.ZERO, SHORT.multipliedBy(5));
			master.startAgain();
		});
		nemeses.put(Fault.MASTER_STOPPED, (clients, random, marker) -> {
			RedisProcess master = this.choice.apply(random);
			marker.begins(0);
			master.pause();
			try {
				topology.awaitOtherMaster(key, master);
			}
			finally {
				master.resume();
			}
		});
		nemeses.put(Fault.FAILOVER, (clients, random, marker) -> {
			marker.begins(0);
			failOver.run();
		});
		nemeses.putAll(common());
		// Whatever takes long may make a replica take over.
		nemeses.replaceAll((fault, nemesis) -> (clients, random, marker) -> {
			nemesis.strike(clients, random, marker);
			topology.awaitReady();
		});
		return nemeses;
	}

	private static Duration time(Random random) {
		return SHORT.plusMillis(random.nextInt((int) LONG.minus(SHORT).toMillis()));
	}

	private Nemesis again(int times, String... command) {
		return (clients, random, marker) -> {
			marker.begins(0);
			RedisProcess server = this.choice.apply(random);
			for (int i = 0; i < times; i++) {
				server.command(command);
				Nemesis.last(random, Duration.ofMillis(10), Duration.ofMillis(60));
			}
		};
	}

	private Nemesis scriptsForbidden(Duration longest) {
		return whileSet(longest, List.of("ACL", "SETUSER", "default", "-eval", "-evalsha"),
				List.of("ACL", "SETUSER", "default", "+eval", "+evalsha"));
	}

	private Nemesis whileSet(Duration longest, List<String> on, List<String> off) {
		return (clients, random, marker) -> {
			marker.begins(0);
			RedisProcess server = this.choice.apply(random);
			server.command(on.toArray(String[]::new));
			try {
				Nemesis.last(random, SHORT, longest);
			}
			finally {
				server.command(off.toArray(String[]::new));
			}
		};
	}

	private void sleep(Random random, Nemesis.Marker marker) throws InterruptedException {
		Duration time = time(random);
		RedisProcess server = this.choice.apply(random);
		marker.begins(0);
		try {
			server.command("DEBUG", "SLEEP", time.toMillis() / 1000 + "." + time.toMillis() % 1000 / 100);
		}
		catch (JedisDataException ex) {
			// A server that allows nobody to debug it.
			server.pause();
			Nemesis.last(random, time, time);
			server.resume();
		}
	}

	/**
	 * Writes all there is to a file, which is synced with every command from then on, and
	 * starts again from it.
	 */
	private void restart(Random random, Nemesis.Marker marker) throws InterruptedException {
		marker.begins(0);
		RedisProcess server = this.choice.apply(random);
		server.command("CONFIG", "SET", "appendfsync", "always");
		server.command("CONFIG", "SET", "appendonly", "yes");
		awaitPersistence(server, "aof_rewrite_scheduled");
		awaitPersistence(server, "aof_rewrite_in_progress");
		Nemesis.last(random, Duration.ZERO, SHORT);
		server.kill();
		Nemesis.last(random, Duration.ZERO, SHORT);
		server.startAgain("--appendonly", "yes", "--appendfsync", "always");
		awaitPersistence(server, "loading");
		server.command("CONFIG", "SET", "appendonly", "no");
	}

	private static void awaitPersistence(RedisProcess server, String step) {
		Awaitility.await("the end of " + step)
			.atMost(Duration.ofSeconds(20))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> "0".equals(server.info("persistence", step)));
	}

}
