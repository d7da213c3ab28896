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

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.quorum.QuorumLockServer;
import io.holdfast.lock.internal.quorum.QuorumSettings;
import io.holdfast.lock.internal.replicas.ReplicaSettings;
import io.holdfast.lock.internal.replicas.ReplicatedLockServer;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.single.RedisLockServer;
import io.holdfast.lock.internal.single.Subscription;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * A {@link LockClient} on Redis through Spring Data Redis, with Jedis or Lettuce.
 * <p>
 * Has two threads of its own, on a quorum one more for each further server, and a few
 * while it works: to renew, to ask the servers of a quorum, to tell of losses. Uses the
 * connections of the application's factory. The subscription has one for as long as the
 * client lives. With Jedis neither that nor those for renewals are from the application's
 * pool. Waiting threads use none. Does not need Redis to be there when it is built.
 */
public final class RedisLockClient implements LockClient {

	private static final Log logger = LogFactory.getLog(RedisLockClient.class);

	/**
	 * Half the range, so that differences between times never overflow.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE / 2);

	private final Settings settings;

	private final Lanes renewals;

	private final Lanes errands;

	private final ThreadPoolExecutor notices;

	private final List<Subscription> subscriptions;

	private final Locks locks;

	private final Watchdog watchdog;

	private final LockDirectory directory;

	private final AtomicBoolean closed = new AtomicBoolean();

	RedisLockClient(List<RedisConnectionFactory> connectionFactories, Settings settings, LongSupplier nanoTime) {
		this.settings = settings;
		this.renewals = new Lanes("holdfast-renewal-", LockServer.RENEWAL_THREADS);
		this.errands = new Lanes("holdfast-errand-", 1);
		this.notices = executor("holdfast-notice-");
		Leftovers leftovers = new Leftovers(nanoTime);
		LockServer server = server(connectionFactories, settings, nanoTime, leftovers);
		this.locks = new Locks(settings, server, nanoTime, leftovers,
				new LossNotifier(settings.listeners(), this.notices), this::hears);
		LockMessages messages = new Messages(this.locks);
		this.subscriptions = connectionFactories.stream()
			.map((each) -> new Subscription(each, server, settings.server(), messages))
			.toList();
		this.watchdog = new Watchdog(this.locks, this::checkMessages, this.renewals, this.errands);
		this.directory = new RedisLockDirectory(this.locks);
	}

	/**
	 * Starts to describe a client.
	 * @param connectionFactory where its connections come from; stays the caller's to
	 * close, after the client
	 * @return the builder
	 */
	public static RedisLockClientBuilder builder(RedisConnectionFactory connectionFactory) {
		Objects.requireNonNull(connectionFactory, "Connection factory must not be null");
		return new RedisLockClientBuilder(List.of(connectionFactory));
	}

	/**
	 * Starts to describe a client whose locks a majority of several Redis servers has to
	 * grant, so that they outlast the failure of the others. The servers must be
	 * independent: none a replica of another, and no cluster. Locks of the type
	 * {@link LockType#FAIR} are not supported.
	 * @param connectionFactories one for each server, 3 or 5 of them (any odd number up
	 * to 9); they stay the caller's to close, after the client. Their command timeouts
	 * should be short
	 * @return the builder
	 */
	public static RedisLockClientBuilder quorum(List<? extends RedisConnectionFactory> connectionFactories) {
		int servers = connectionFactories.size();
		if (servers < 3 || servers > 9 || servers % 2 == 0) {
			throw new IllegalArgumentException("A quorum takes 3, 5, 7 or 9 servers, not " + servers);
		}
		return new RedisLockClientBuilder(List.copyOf(connectionFactories));
	}

	private LockServer server(List<RedisConnectionFactory> connectionFactories, Settings settings,
			LongSupplier nanoTime, Leftovers leftovers) {
		QuorumSettings quorum = settings.quorum();
		if (quorum != null) {
			return new QuorumLockServer(connectionFactories, settings.server(), quorum, nanoTime, leftovers,
					this::holds);
		}
		RedisConnectionFactory connectionFactory = connectionFactories.get(0);
		RedisLockServer server = new RedisLockServer(connectionFactory, settings.server(), nanoTime);
		ReplicaSettings replicas = settings.replicas();
		return (replicas != null) ? new ReplicatedLockServer(server, connectionFactory, settings.keys(), replicas)
				: server;
	}

	private boolean holds(String key, String id) {
		return this.locks.current(this.settings.keys().nameOf(key), id) != null;
	}

	private boolean hears() {
		return this.subscriptions.stream().allMatch(Subscription::hears);
	}

	private void checkMessages(String waitedFor, Executor executor) {
		this.subscriptions.forEach((each) -> each.check(waitedFor, executor));
	}

	private static ThreadPoolExecutor executor(String threadNames) {
		CustomizableThreadFactory factory = new CustomizableThreadFactory(threadNames);
		factory.setDaemon(true);
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				factory, new ThreadPoolExecutor.DiscardPolicy());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	RedisLockClient start() {
		this.subscriptions.forEach(Subscription::open);
		this.watchdog.start();
		return this;
	}

	@Override
	public LeaseLock getLock(String name, LockType type) {
		checkType(type);
		return new RedisLeaseLock(this, this.locks, name, type);
	}

	@Override
	public Lease acquire(String name, LockOptions options) throws InterruptedException {
		return tryAcquire(name, options).orElseThrow(() -> new LockNotAcquiredException(name, waitTime(options)));
	}

	@Override
	public Optional<Lease> tryAcquire(String name, LockOptions options) throws InterruptedException {
		checkOptions(options);
		HeldLease.Owner owner = new HeldLease.Owner();
		Grant grant = acquire(name, options.type(), owner, waitTime(options), leaseTime(options), true);
		return (grant != null) ? Optional.of(owner.hand(new HeldLease(this.locks, grant))) : Optional.empty();
	}

	@Override
	public <T extends @Nullable Object> T execute(String name, LockOptions options, Callable<T> task) throws Exception {
		checkOptions(options);
		Objects.requireNonNull(task, "Task must not be null");
		LeaseLock lock = getLock(name, options.type());
		if (!lock.tryLock(waitTime(options), leaseTime(options))) {
			throw new LockNotAcquiredException(name, waitTime(options));
		}
		T result;
		try {
			result = task.call();
		}
		catch (Throwable ex) {
			unlockAfter(ex, lock);
			throw ex;
		}
		try {
			lock.unlock();
		}
		catch (LockServerException ex) {
			logger.warn("The task is done, but its lock was not released; it ends with its lease. " + ex.getMessage());
		}
		return result;
	}

	private static void unlockAfter(Throwable thrown, LeaseLock lock) {
		try {
			lock.unlock();
		}
		catch (LockException | IllegalMonitorStateException ex) {
			thrown.addSuppressed(ex);
		}
	}

	private static void checkOptions(LockOptions options) {
		Objects.requireNonNull(options, "Lock options must not be null");
	}

	private Duration waitTime(LockOptions options) {
		Duration waitTime = options.waitTime();
		return (waitTime != null) ? waitTime : this.settings.waitTime();
	}

	private Duration leaseTime(LockOptions options) {
		Duration leaseTime = options.leaseTime();
		return (leaseTime != null) ? leaseTime : this.settings.leaseTime();
	}

	/**
	 * Acquires a lock for an owner.
	 * @return the grant, or {@code null} if the wait timed out
	 */
	@Nullable Grant acquire(String name, LockType type, Object owner, Duration maxWait, Duration lease, boolean interruptible)
			throws InterruptedException {
		checkType(type);
		LeaseSpec spec = LeaseSpec.of(lease, this.settings);
		Grant grant = new Acquisition(this.locks, type, owner, spec, nanos(maxWait), interruptible).acquire(name);
		if (grant != null) {
			grant.noteOrigin();
			this.watchdog.watch(grant);
		}
		return grant;
	}

	private void checkType(LockType type) {
		Objects.requireNonNull(type, "Lock type must not be null");
		if (type == LockType.FAIR && !this.settings.queues()) {
			throw new UnsupportedOperationException(
					"Fair locks are not supported on a quorum: its servers have no common order of requests");
		}
	}

	private static long nanos(Duration duration) {
		return (duration.compareTo(LONGEST_WAIT) < 0) ? duration.toNanos() : LONGEST_WAIT.toNanos();
	}

	@Override
	public LockDirectory directory() {
		return this.directory;
	}

	@Override
	public String id() {
		return this.settings.clientId();
	}

	@Override
	public void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		this.watchdog.stop();
		this.locks.close();
		this.renewals.close();
		this.errands.close();
		this.notices.shutdown();
		this.subscriptions.forEach(Subscription::close);
		this.locks.server.close();
	}

	@Override
	public String toString() {
		return "RedisLockClient[" + id() + "]";
	}

	/**
	 * How many replicas must have a lock before its owner runs.
	 */
	public enum ReplicaAcknowledgement {

		/** None: a failover may lose the latest locks. */
		NONE,

		/** At least one. */
		ONE,

		/**
		 * More than half of those that are connected to the master, and at least one.
		 */
		MAJORITY

	}

}
