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

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockServerException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Takes a lock once when the application starts, so that a Redis user without the rights
 * for that stops it at once and not with the first customer; and warns of a Redis that
 * drops locks when its memory is full. A Redis that is away, or slow, does not keep the
 * application from starting.
 */
final class StartUpCheck implements SmartInitializingSingleton {

	static final String LOCK = "holdfast-start-up-check";

	static final String COMMANDS = "+eval +evalsha +time +hmget +hset +hget +hdel +hlen +pexpire +scan +publish +subscribe";

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private static final Log logger = LogFactory.getLog(StartUpCheck.class);

	private final LockClient client;

	private final List<RedisConnectionFactory> servers;

	private final String keyPrefix;

	StartUpCheck(LockClient client, List<RedisConnectionFactory> servers, String keyPrefix) {
		this.client = client;
		this.servers = servers;
		this.keyPrefix = keyPrefix;
	}

	@Override
	public void afterSingletonsInstantiated() {
		FutureTask<Void> check = new FutureTask<>(this::check, null);
		Thread thread = new Thread(check, "holdfast-start-up-check");
		thread.setDaemon(true);
		thread.start();
		try {
			check.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			logger.warn("Redis does not answer; locks will work when it does");
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void check() {
		try {
			LeaseLock lock = this.client.getLock(LOCK);
			if (lock.tryLock()) {
				lock.unlock();
			}
			this.servers.forEach(StartUpCheck::warnOfEviction);
		}
		catch (LockServerException ex) {
			if (isMissingRight(String.valueOf(ex.getMessage()))) {
				throw new IllegalStateException("The Redis user of this application may not lock (" + ex.getMessage()
						+ "). What it needs: ACL SETUSER <user> ~" + this.keyPrefix + "* &" + this.keyPrefix
						+ "client:* " + COMMANDS + ". With " + LockProperties.PREFIX
						+ "check-at-start=false the application starts all the same", ex);
			}
			logger.warn("Locks do not work yet: " + ex.getMessage());
		}
		catch (LockException ex) {
			logger.debug("The check at the start had no lock", ex);
		}
	}

	/**
	 * Whether a right is missing, in the words of the server; up to Redis 6.2 it has
	 * others for commands of scripts.
	 */
	private static boolean isMissingRight(String message) {
		return message.contains("NOPERM") || message.contains("user executing the script can't run");
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
