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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.interceptor.LockStartUpException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Whether a Redis can hold locks.
 *
 * @param keyPrefix of the keys
 * @param commands that are needed beside those of locks
 */
record ServerCheck(String keyPrefix, List<String> commands) {

	static final String COMMANDS = "+eval +evalsha +time +hmget +hgetall +hset +hget +hdel +hlen +pexpire"
			+ " +scan +publish +subscribe +pubsub|numsub +info +ping";

	private static final RedisScript<?> EVERY_COMMAND = script("start-up-commands.lua");

	private static final RedisScript<?> COUNT = script("start-up-count.lua");

	/**
	 * With two servers behind a proxy, all nine keys land on one of them with probability
	 * 1/256.
	 */
	private static final int KEYS = 9;

	/** Redis 6 and 7.0 have words of their own for commands of scripts. */
	private static final Pattern MISSING_RIGHT = Pattern
		.compile("NOPERM|user executing the script can't|ACL failure in script");

	private static final Pattern WRONG_SERVER = Pattern.compile("NOAUTH|WRONGPASS|invalid password|without any password"
			+ "|DB index|SELECT is not allowed|(?i:unknown|unsupported) command");

	private static final Log logger = LogFactory.getLog(ServerCheck.class);

	private static RedisScript<?> script(String file) {
		return RedisScript.of(new ClassPathResource(file, ServerCheck.class));
	}

	/**
	 * Checks a server.
	 * @return why it does not serve; empty if it does
	 * @throws LockStartUpException if it cannot hold locks
	 */
	String of(RedisConnectionFactory server) {
		String problem = checkOnce(server);
		// Lettuce may say of a wrong password no more than that the connection was
		// closed.
		return (problem.isEmpty() || Thread.currentThread().isInterrupted()) ? problem : checkOnce(server);
	}

	private String checkOnce(RedisConnectionFactory server) {
		try (RedisConnection connection = server.getConnection()) {
			checkCommands(connection);
			warnOfEviction(connection);
			return "";
		}
		catch (LockStartUpException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			String message = String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
			String address = RedisAddress.of(server);
			if (MISSING_RIGHT.matcher(message).find()) {
				throw failure("The Redis user of this application may not lock (Redis at " + address + "): " + message,
						"Give it the rights: ACL SETUSER <user> ~" + this.keyPrefix + "* &" + this.keyPrefix
								+ "client:* " + COMMANDS + ".",
						ex);
			}
			if (WRONG_SERVER.matcher(message).find()) {
				throw failure("Redis at " + address + " refuses this application: " + message,
						"Correct the address, user, password or database, in spring.data.redis.* or "
								+ "holdfast.lock.quorum.nodes.",
						ex);
			}
			return message;
		}
	}

	private static LockStartUpException failure(String description, String action, RuntimeException cause) {
		return new LockStartUpException(description,
				action + " Or leave this check out: " + LockProperties.PREFIX + "check-at-start=false.", cause);
	}

	/**
	 * Tries every command on keys of its own, one by one. A proxy that sends a script to
	 * the server of its first key, and checks no other, shows when one script looks for
	 * all of them; a cluster refuses that.
	 */
	private void checkCommands(RedisConnection connection) {
		String prefix = this.keyPrefix + "start-up-lock:" + UUID.randomUUID() + ":";
		byte[][] keys = IntStream.range(0, KEYS).mapToObj((i) -> bytes(prefix + i)).toArray(byte[][]::new);
		for (byte[] key : keys) {
			byte[][] keyAndArgs = Stream
				.concat(Stream.of(key, bytes(this.keyPrefix + "client:start-up-check")),
						this.commands.stream().map(ServerCheck::bytes))
				.toArray(byte[][]::new);
			connection.scriptingCommands()
				.eval(bytes(EVERY_COMMAND.getScriptAsString()), ReturnType.INTEGER, 1, keyAndArgs);
		}
		checkEvalSha(connection, keys[0]);
		if (!areAllIn(connection, keys)
				&& Arrays.stream(keys).allMatch((key) -> areAllIn(connection, new byte[][] { key }))) {
			throw new LockStartUpException(
					"A proxy before Redis spreads the keys of one script over several servers, so two owners could have "
							+ "one lock.",
					"Connect to one Redis, Sentinel or a Redis Cluster directly.");
		}
	}

	/**
	 * Sees whether {@code EVALSHA} may be sent, with the hash of no script.
	 */
	private static void checkEvalSha(RedisConnection connection, byte[] key) {
		try {
			connection.scriptingCommands().evalSha("0".repeat(40), ReturnType.INTEGER, 1, key);
		}
		catch (RuntimeException ex) {
			if (!String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()).contains("NOSCRIPT")) {
				throw ex;
			}
		}
	}

	private static boolean areAllIn(RedisConnection connection, byte[][] keys) {
		try {
			Long found = connection.scriptingCommands()
				.eval(bytes(COUNT.getScriptAsString()), ReturnType.INTEGER, keys.length, keys);
			return found == null || found == keys.length;
		}
		catch (RuntimeException ex) {
			// A cluster refuses keys of several slots.
			return true;
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static void warnOfEviction(RedisConnection connection) {
		try {
			Properties memory = Objects.requireNonNullElseGet(connection.serverCommands().info("memory"),
					Properties::new);
			// In a cluster each name begins with that of a node.
			memory.stringPropertyNames()
				.stream()
				.filter((name) -> name.endsWith("maxmemory_policy") && !memory.getProperty(name).equals("noeviction")
						&& !memory.getProperty(name.replace("maxmemory_policy", "maxmemory"), "0").equals("0"))
				.findFirst()
				.ifPresent((name) -> logger
					.warn("Redis drops keys, locks among them, when its memory is full (maxmemory-policy "
							+ memory.getProperty(name) + "); give locks a Redis with the policy noeviction"));
		}
		catch (RuntimeException ex) {
			logger.debug("What Redis does when its memory is full is not known", ex);
		}
	}

}
