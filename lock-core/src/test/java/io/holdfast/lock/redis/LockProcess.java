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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.LossObserver;
import io.holdfast.lock.testing.RedisDriver;
import io.holdfast.lock.testing.RedisSentinels;
import io.lettuce.core.resource.ClientResources;
import io.netty.resolver.DefaultAddressResolverGroup;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process that acquires and releases locks as it is told, line by line, and says what
 * came of it.
 */
public final class LockProcess {

	private final RedisLockClient client;

	private final Map<String, Lease> leases = new ConcurrentHashMap<>();

	private LockProcess(RedisLockClient client) {
		this.client = client;
	}

	/**
	 * Starts it.
	 * @param args the driver, the host and port of Redis, the key prefix, the watchdog
	 * time-out in milliseconds, and perhaps a file that says which host has which address
	 */
	public static void main(String[] args) throws Exception {
		RedisConnectionFactory factory = (args.length > 5) ? connect(args, args[5])
				: connect(RedisDriver.valueOf(args[0]), args[1], Integer.parseInt(args[2]));
		RedisLockClient client = RedisLockClient.builder(factory)
			.keyPrefix(args[3])
			.watchdogTimeout(Duration.ofMillis(Long.parseLong(args[4])))
			.waiterTimeout(FaultClients.WAITER_TIMEOUT)
			.takeoverAfter(Duration.ofMillis(Long.getLong("takeover", 0)))
			.observer(new LossObserver((loss) -> say("LOST " + loss.name())))
			.build();
		FaultClients.awaitHears(client);
		say("READY");
		new LockProcess(client).obey();
		client.close();
		RedisDriver.disconnect(factory);
	}

	private static RedisConnectionFactory connect(RedisDriver driver, String host, int port) {
		return switch (System.getProperty("topology", "ONE")) {
			case "CLUSTER" ->
				driver.connect(new RedisClusterConfiguration(List.of(host + ':' + port)), FaultClients.COMMAND_TIMEOUT);
			case "SENTINEL" ->
				driver.connect(new RedisSentinelConfiguration(RedisSentinels.MASTER, Set.of(host + ':' + port)),
						FaultClients.COMMAND_TIMEOUT);
			default -> driver.connect(host, port, FaultClients.COMMAND_TIMEOUT);
		};
	}

	/**
	 * Has the driver ask the JDK for the address each time it connects.
	 */
	private static RedisConnectionFactory connect(String[] args, String hosts) {
		System.setProperty("jdk.net.hosts.file", hosts);
		Security.setProperty("networkaddress.cache.ttl", "0");
		Security.setProperty("networkaddress.cache.negative.ttl", "0");
		if (RedisDriver.valueOf(args[0]) == RedisDriver.JEDIS) {
			return RedisDriver.JEDIS.connect(args[1], Integer.parseInt(args[2]), FaultClients.COMMAND_TIMEOUT);
		}
		LettuceConnectionFactory resolving = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(args[1], Integer.parseInt(args[2])),
				LettuceClientConfiguration.builder()
					.commandTimeout(FaultClients.COMMAND_TIMEOUT)
					.clientResources(ClientResources.builder()
						.addressResolverGroup(DefaultAddressResolverGroup.INSTANCE)
						.build())
					.build());
		resolving.afterPropertiesSet();
		resolving.start();
		return resolving;
	}

	private void obey() throws IOException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			String[] words = line.split(" ", -1);
			switch (words[0]) {
				case "acquire" -> {
					Thread thread = new Thread(() -> acquire(words[1], options(words[2])), line);
					thread.setDaemon(true);
					thread.start();
				}
				case "release" -> release(words[1]);
				case "look" -> say("VALID " + this.leases.get(words[1]).isValid() + " " + words[2]);
				case "exit" -> System.exit(0);
				default -> throw new IllegalArgumentException(line);
			}
		}
	}

	private static LockOptions options(String kind) {
		LockOptions exclusive = LockOptions.defaults().waitTime(LockOptions.FOREVER);
		return switch (kind) {
			case "fair" -> exclusive.fair(true);
			case "shared" -> exclusive.shared();
			case "permits" -> exclusive.permits(1, 2);
			case "exclusive" -> exclusive;
			default -> throw new IllegalArgumentException(kind);
		};
	}

	/**
	 * Tries until there is an answer.
	 */
	private void acquire(String name, LockOptions options) {
		while (true) {
			try {
				Lease lease = this.client.acquire(name, options);
				this.leases.put(name, lease);
				say("HELD " + name + " " + lease.token());
				return;
			}
			catch (LockServerException ex) {
				say("UNANSWERED " + name + " " + ex.getMessage());
			}
			catch (InterruptedException ex) {
				return;
			}
		}
	}

	private void release(String name) {
		try {
			this.leases.remove(name).close();
			say("RELEASED " + name);
		}
		catch (LockLostException ex) {
			say("NOT_HELD " + name);
		}
	}

	private static void say(String line) {
		System.out.println(line);
	}

}
