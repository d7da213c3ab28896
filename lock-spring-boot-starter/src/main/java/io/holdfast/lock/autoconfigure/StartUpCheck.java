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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.redis.RedisLockClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Stops the start if Redis cannot hold locks: the user lacks a right, the password or the
 * database is wrong, or a proxy spreads keys over servers without telling. Warns of a
 * Redis that drops locks when its memory is full. A Redis that is away, or slow, does not
 * keep the application from starting: the check goes on, and the log says what it finds.
 */
final class StartUpCheck implements SmartInitializingSingleton, SmartLifecycle {

	/*
	 * Each server has a thread, which checks it until it serves or cannot hold locks.
	 * What comes first, its first outcome or the end of the patience, completes the
	 * future for which the start waits; what comes later is for the log.
	 *
	 * Nothing is interrupted before the application ends: Lettuce leaves a connection
	 * behind that is being opened then. That end comes before the one of the connections,
	 * because Lettuce opens one under a lock that it needs to stop.
	 */

	static final Duration PATIENCE = Duration.ofSeconds(2);

	private static final long PAUSE_MILLIS = 2000;

	private static final long LONGEST_PAUSE_MILLIS = 60_000;

	private static final Log logger = LogFactory.getLog(StartUpCheck.class);

	private final ObjectProvider<RedisLockClient> client;

	private final LockServers servers;

	private final Duration patience;

	private final List<Thread> threads = new CopyOnWriteArrayList<>();

	private final CountDownLatch stopped = new CountDownLatch(1);

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

	@Override
	public void afterSingletonsInstantiated() {
		RedisLockClient lockClient = this.client.getIfUnique();
		if (lockClient == null) {
			return;
		}
		ServerCheck check = new ServerCheck(lockClient.keyPrefix(), this.servers.commands());
		Map<RedisConnectionFactory, CompletableFuture<String>> checks = new LinkedHashMap<>();
		for (RedisConnectionFactory server : this.servers.connectionFactories()) {
			CompletableFuture<String> first = new CompletableFuture<>();
			checks.put(server, first.completeOnTimeout("it has not answered in time", this.patience.toMillis(),
					TimeUnit.MILLISECONDS));
			Thread thread = new Thread(() -> run(check, server, first), "holdfast-start-up-check");
			thread.setDaemon(true);
			thread.start();
			this.threads.add(thread);
		}
		checks.forEach(StartUpCheck::await);
	}

	private static void await(RedisConnectionFactory server, CompletableFuture<String> first) {
		try {
			String problem = first.get();
			if (!problem.isEmpty()) {
				logger.warn("Redis at " + RedisAddress.of(server) + " does not serve yet. The application starts, and "
						+ "checks it until it does: " + problem);
			}
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void run(ServerCheck check, RedisConnectionFactory server, CompletableFuture<String> first) {
		try {
			String problem = check.of(server);
			boolean late = !first.complete(problem);
			for (long pause = PAUSE_MILLIS; !problem.isEmpty(); pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
				if (this.stopped.await(pause, TimeUnit.MILLISECONDS)) {
					return;
				}
				problem = check.of(server);
				late = true;
			}
			if (late) {
				logger.info("Redis at " + RedisAddress.of(server) + " serves now, and can hold locks");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException | Error ex) {
			if (!first.completeExceptionally(ex)) {
				logger.error("Redis at " + RedisAddress.of(server) + ", which did not serve at the start, cannot hold "
						+ "locks. " + ((ex instanceof LockStartUpException) ? ex.getMessage() : ex), ex);
			}
		}
	}

	@Override
	public void start() {
		// The check begins before anything else does.
	}

	@Override
	public void stop() {
		this.stopped.countDown();
		this.threads.forEach(Thread::interrupt);
	}

	@Override
	public boolean isRunning() {
		return this.threads.stream().anyMatch(Thread::isAlive);
	}

}
