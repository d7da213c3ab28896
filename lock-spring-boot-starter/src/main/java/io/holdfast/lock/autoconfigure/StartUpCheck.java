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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.redis.RedisLockClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Stops the start if Redis cannot hold locks: the user lacks a right, the password or the
 * database is wrong, or a proxy spreads keys over servers without telling. Warns of a
 * Redis that drops locks when its memory is full. A Redis that is away, or slow, does not
 * keep the application from starting.
 */
final class StartUpCheck implements SmartInitializingSingleton {

	static final String COMMANDS = "+eval +evalsha +time +hmget +hgetall +hset +hget +hdel +hlen +pexpire"
			+ " +scan +publish +subscribe +ping";

	private static final String EVERY_COMMAND = script("start-up-commands.lua");

	private static final String COUNT = script("start-up-count.lua");

	/**
	 * With two servers behind a proxy, all nine keys land on one of them with probability
	 * 1/256.
	 */
	private static final int KEYS = 9;

	static final Duration PATIENCE = Duration.ofSeconds(2);

	/** Redis 6 and 7.0 have words of their own for commands of scripts. */
	private static final Pattern MISSING_RIGHT = Pattern
		.compile("NOPERM|user executing the script can't|ACL failure in script");

	private static final Pattern WRONG_SERVER = Pattern.compile("NOAUTH|WRONGPASS|invalid password|without any password"
			+ "|DB index|SELECT is not allowed|(?i:unknown|unsupported) command");

	private static final Log logger = LogFactory.getLog(StartUpCheck.class);

	private final ObjectProvider<RedisLockClient> client;

	private final LockServers servers;

	private final Duration patience;

	/**
	 * Creates the check.
	 * @param client none if a test has put another bean in its place
	 * @param patience after which the application starts all the same
	 */
	StartUpCheck(ObjectProvider<RedisLockClient> client, LockServers servers, Duration patience) {
		this.client = client;
		this.servers = servers;
		this.patience = patience;
	}

	private static String script(String file) {
		return RedisScript.of(new ClassPathResource(file, StartUpCheck.class)).getScriptAsString();
	}

	@Override
	public void afterSingletonsInstantiated() {
		RedisLockClient lockClient = this.client.getIfUnique();
		if (lockClient == null) {
			return;
		}
		Map<RedisConnectionFactory, FutureTask<@Nullable String>> checks = new LinkedHashMap<>();
		this.servers.connectionFactories()
			.forEach((server) -> checks.put(server,
					new FutureTask<>(() -> check(server, lockClient.keyPrefix(), true))));
		checks.values().forEach(StartUpCheck::start);
		long end = System.nanoTime() + this.patience.toNanos();
		try {
			for (Map.Entry<RedisConnectionFactory, FutureTask<@Nullable String>> each : checks.entrySet()) {
				await(each.getKey(), each.getValue(), end);
			}
		}
		finally {
			// Lettuce connects under a lock of its factory.
			checks.values().forEach((check) -> check.cancel(true));
		}
	}

	private static void start(Runnable check) {
		Thread thread = new Thread(check, "holdfast-start-up-check");
		thread.setDaemon(true);
		thread.start();
	}

	private static void await(RedisConnectionFactory server, Future<@Nullable String> check, long endNanos) {
		try {
			String warning = check.get(Math.max(0, endNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
			if (warning != null) {
				logger.warn(warning);
			}
		}
		catch (TimeoutException ex) {
			logger.warn("Redis does not answer (" + RedisAddress.of(server)
					+ "); locks will work when it does. If that lasts, check its address and the network path to it");
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Checks a server.
	 * @param again whether to try once more if it does not serve: Lettuce may say of a
	 * wrong password no more than that the connection was closed
	 * @return what to warn of, or {@code null}
	 */
	private @Nullable String check(RedisConnectionFactory server, String keyPrefix, boolean again) {
		try (RedisConnection connection = server.getConnection()) {
			checkCommands(connection, keyPrefix);
			return eviction(connection);
		}
		catch (LockStartUpException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			String message = String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
			String address = RedisAddress.of(server);
			if (MISSING_RIGHT.matcher(message).find()) {
				throw failure("The Redis user of this application may not lock (Redis at " + address + "): " + message,
						"Give it the rights: ACL SETUSER <user> ~" + keyPrefix + "* &" + keyPrefix + "client:* "
								+ COMMANDS
								+ this.servers.commands().stream().map(" +"::concat).collect(Collectors.joining())
								+ ".",
						ex);
			}
			if (WRONG_SERVER.matcher(message).find()) {
				throw failure("Redis at " + address + " refuses this application: " + message,
						"Correct the address, user, password or database, in spring.data.redis.* or "
								+ "holdfast.lock.quorum.nodes.",
						ex);
			}
			return again ? check(server, keyPrefix, false) : "Redis at " + address + " does not serve yet: " + message;
		}
	}

	private static LockStartUpException failure(String description, String action, RuntimeException cause) {
		return new LockStartUpException(description,
				action + " With " + LockProperties.PREFIX + "check-at-start=false the application starts all the same.",
				cause);
	}

	/**
	 * Tries every command on keys of its own, one by one. A proxy that sends a script to
	 * the server of its first key, and checks no other, shows when one script looks for
	 * all of them; a cluster refuses that.
	 */
	private void checkCommands(RedisConnection connection, String keyPrefix) {
		String prefix = keyPrefix + "start-up-lock:" + UUID.randomUUID() + ":";
		byte[][] keys = IntStream.range(0, KEYS).mapToObj((i) -> bytes(prefix + i)).toArray(byte[][]::new);
		checkRightToCall(connection, keys[0]);
		for (byte[] key : keys) {
			byte[][] keyAndArgs = Stream
				.concat(Stream.of(key, bytes(keyPrefix + "client:start-up-check")),
						this.servers.commands().stream().map(StartUpCheck::bytes))
				.toArray(byte[][]::new);
			connection.scriptingCommands().eval(bytes(EVERY_COMMAND), ReturnType.INTEGER, 1, keyAndArgs);
		}
		if (!areAllIn(connection, keys)
				&& Arrays.stream(keys).allMatch((key) -> areAllIn(connection, new byte[][] { key }))) {
			throw new LockStartUpException(
					"A proxy before Redis spreads the keys of one script over several servers, so two owners could have "
							+ "one lock.",
					"Connect to one Redis, Sentinel or a Redis Cluster directly.");
		}
	}

	private static boolean areAllIn(RedisConnection connection, byte[][] keys) {
		try {
			Long found = connection.scriptingCommands().eval(bytes(COUNT), ReturnType.INTEGER, keys.length, keys);
			return found == null || found == keys.length;
		}
		catch (RuntimeException ex) {
			// A cluster refuses keys of several slots.
			return true;
		}
	}

	/**
	 * No script has this digest. That is the answer only to a user who may ask.
	 */
	private static void checkRightToCall(RedisConnection connection, byte[] key) {
		try {
			connection.scriptingCommands().evalSha("0".repeat(40), ReturnType.INTEGER, 1, key);
		}
		catch (RuntimeException ex) {
			if (!String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()).contains("NOSCRIPT")) {
				throw ex;
			}
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static @Nullable String eviction(RedisConnection connection) {
		try {
			Properties memory = Objects.requireNonNullElseGet(connection.serverCommands().info("memory"),
					Properties::new);
			// In a cluster each name begins with that of a node.
			return memory.stringPropertyNames()
				.stream()
				.filter((name) -> name.endsWith("maxmemory_policy") && !memory.getProperty(name).equals("noeviction")
						&& !memory.getProperty(name.replace("maxmemory_policy", "maxmemory"), "0").equals("0"))
				.findFirst()
				.map((name) -> "Redis drops keys, locks among them, when its memory is full (maxmemory-policy "
						+ memory.getProperty(name) + "); give locks a Redis with the policy noeviction")
				.orElse(null);
		}
		catch (RuntimeException ex) {
			logger.debug("What Redis does when its memory is full is not known", ex);
			return null;
		}
	}

}
