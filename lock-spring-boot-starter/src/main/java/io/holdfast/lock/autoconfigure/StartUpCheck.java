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
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockServerException;
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

/**
 * Takes a lock once when the application starts, and tries what else locks need, so that
 * a Redis user without the rights for that stops it at once and not with the first
 * customers; and warns of a Redis that drops locks when its memory is full. A Redis that
 * is away, or slow, does not keep the application from starting.
 */
final class StartUpCheck implements SmartInitializingSingleton {

	static final String LOCK = "holdfast-start-up-check";

	static final String COMMANDS = "+eval +evalsha +time +hmget +hset +hget +hdel +hlen +pexpire +scan +publish +subscribe";

	/**
	 * What scripts use beside that which a lock takes that nobody waits for.
	 */
	private static final ClassPathResource OTHER_COMMANDS = new ClassPathResource("start-up-check.lua",
			StartUpCheck.class);

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private static final Pattern MISSING_RIGHT = Pattern
		.compile("NOPERM|user executing the script can't|ACL failure in script");

	private static final Log logger = LogFactory.getLog(StartUpCheck.class);

	private final ObjectProvider<RedisLockClient> client;

	private final List<RedisConnectionFactory> servers;

	/**
	 * Creates the check.
	 * @param client none if a test has put another bean in its place
	 */
	StartUpCheck(ObjectProvider<RedisLockClient> client, List<RedisConnectionFactory> servers) {
		this.client = client;
		this.servers = servers;
	}

	@Override
	public void afterSingletonsInstantiated() {
		RedisLockClient lockClient = this.client.getIfUnique();
		if (lockClient == null) {
			return;
		}
		CompletableFuture<Void> check = CompletableFuture.runAsync(() -> check(lockClient), StartUpCheck::start);
		try {
			check.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			logger.warn("Redis does not answer (" + RedisAddress.of(this.servers)
					+ "); locks will work when it does. If that lasts, check its address and the network path to it");
			logLateFailure(check);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			logLateFailure(check);
		}
	}

	private static void start(Runnable check) {
		Thread thread = new Thread(check, "holdfast-start-up-check");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * The application runs by then, so this can only be logged.
	 */
	private static void logLateFailure(CompletableFuture<Void> check) {
		CompletableFuture<Void> unused = check.whenComplete((nothing, failure) -> {
			if (failure != null) {
				logLateFailure(failure.getCause());
			}
		});
	}

	private static void logLateFailure(@Nullable Throwable cause) {
		boolean explained = cause instanceof LockStartUpException;
		logger.error(
				"Locks do not work, which was found too late to stop the application: "
						+ ((cause != null && explained) ? cause.getMessage() : "look at the stack"),
				explained ? null : cause);
	}

	private void check(RedisLockClient lockClient) {
		String keyPrefix = lockClient.keyPrefix();
		try {
			LeaseLock lock = lockClient.getLock(LOCK);
			if (lock.tryLock()) {
				lock.unlock();
			}
		}
		catch (LockServerException ex) {
			String message = String.valueOf(ex.getMessage()).replace("Lock '" + LOCK + "': ", "");
			throwIfRightIsMissing(message, ex, RedisAddress.of(this.servers), keyPrefix);
			logger.warn("Locks do not work yet (Redis at " + RedisAddress.of(this.servers) + "): " + message);
			return;
		}
		catch (LockException ex) {
			logger.debug("The check at the start had no lock", ex);
		}
		this.servers.forEach((server) -> checkRights(server, keyPrefix));
		this.servers.forEach(StartUpCheck::warnOfEviction);
	}

	/**
	 * Tries what it takes to wait for a lock, to tell others of it, and to list all. That
	 * a client may not be told is a warning of its own: it only makes waiters slower.
	 */
	private static void checkRights(RedisConnectionFactory server, String keyPrefix) {
		byte[] channel = bytes(keyPrefix + "client:" + LOCK);
		try (RedisConnection connection = server.getConnection()) {
			connection.scriptingCommands()
				.eval(OTHER_COMMANDS.getContentAsByteArray(), ReturnType.VALUE, 1, bytes(keyPrefix + "lock:" + LOCK),
						channel);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (RuntimeException ex) {
			throwIfRightIsMissing(NestedExceptionUtils.getMostSpecificCause(ex).getMessage(), ex,
					RedisAddress.of(server), keyPrefix);
			logger.debug("Whether all rights are there is not known", ex);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Throws if that is what a failure says. Redis 6 and 7.0 have words of their own for
	 * commands of scripts.
	 */
	private static void throwIfRightIsMissing(@Nullable String message, RuntimeException failure, String address,
			String keyPrefix) {
		if (message != null && MISSING_RIGHT.matcher(message).find()) {
			throw new LockStartUpException(
					"The Redis user of this application may not lock (Redis at " + address + "): " + message,
					"Give it the rights: ACL SETUSER <user> ~" + keyPrefix + "* &" + keyPrefix + "client:* " + COMMANDS
							+ ". With " + LockProperties.PREFIX
							+ "check-at-start=false the application starts all the same.",
					failure);
		}
	}

	private static void warnOfEviction(RedisConnectionFactory server) {
		try (RedisConnection connection = server.getConnection()) {
			Properties memory = connection.serverCommands().info("memory");
			if (memory == null) {
				return;
			}
			// In a cluster each name begins with that of a node.
			for (String name : memory.stringPropertyNames()) {
				String policy = memory.getProperty(name);
				String limit = memory.getProperty(name.replace("maxmemory_policy", "maxmemory"), "0");
				if (name.endsWith("maxmemory_policy") && !policy.equals("noeviction") && !limit.equals("0")) {
					logger.warn("Redis drops keys, locks among them, when its memory is full (maxmemory-policy "
							+ policy + "); give locks a Redis with the policy noeviction");
					return;
				}
			}
		}
		catch (RuntimeException ex) {
			logger.debug("What Redis does when its memory is full is not known", ex);
		}
	}

}
