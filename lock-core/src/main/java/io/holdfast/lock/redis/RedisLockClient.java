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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
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
import io.holdfast.lock.LockListener;
import io.holdfast.lock.LockNotAcquiredException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
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

	private final List<Inbox> inboxes;

	private final Locks locks;

	private final Watchdog watchdog;

	private final LockDirectory directory;

	private final AtomicBoolean closed = new AtomicBoolean();

	private RedisLockClient(List<RedisConnectionFactory> connectionFactories, Settings settings,
			LongSupplier nanoTime) {
		this.settings = settings;
		this.renewals = new Lanes("holdfast-renewal-", LockServer.RENEWAL_THREADS);
		this.errands = new Lanes("holdfast-errand-", 1);
		this.notices = executor("holdfast-notice-");
		Leftovers leftovers = new Leftovers(nanoTime);
		QuorumSettings quorum = settings.quorum();
		LockServer server = (quorum != null)
				? new QuorumLockServer(connectionFactories, settings, quorum, nanoTime, leftovers, this::holds)
				: new RedisLockServer(connectionFactories.get(0), settings, nanoTime);
		this.locks = new Locks(settings, server, nanoTime, leftovers,
				new LossNotifier(settings.listeners(), this.notices), this::hears);
		this.inboxes = connectionFactories.stream().map((each) -> new Inbox(each, this.locks)).toList();
		this.watchdog = new Watchdog(this.locks, this.inboxes, this.renewals, this.errands);
		this.directory = new RedisLockDirectory(this.locks);
	}

	/**
	 * Starts to describe a client.
	 * @param connectionFactory where its connections come from; stays the caller's to
	 * close, after the client
	 * @return the builder
	 */
	public static Builder builder(RedisConnectionFactory connectionFactory) {
		Objects.requireNonNull(connectionFactory, "Connection factory must not be null");
		return new Builder(List.of(connectionFactory));
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
	public static Builder quorum(List<? extends RedisConnectionFactory> connectionFactories) {
		int servers = connectionFactories.size();
		if (servers < 3 || servers > 9 || servers % 2 == 0) {
			throw new IllegalArgumentException("A quorum takes 3, 5, 7 or 9 servers, not " + servers);
		}
		return new Builder(List.copyOf(connectionFactories));
	}

	private boolean holds(String key, String id) {
		return this.locks.current(this.settings.keys().nameOf(key), id) != null;
	}

	private boolean hears() {
		return this.inboxes.stream().allMatch(Inbox::hears);
	}

	private static ThreadPoolExecutor executor(String threadNames) {
		CustomizableThreadFactory factory = new CustomizableThreadFactory(threadNames);
		factory.setDaemon(true);
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				factory, new ThreadPoolExecutor.DiscardPolicy());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	private RedisLockClient start() {
		this.inboxes.forEach(Inbox::open);
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
	 * @return the grant, or {@code null} if another kept the lock for the whole wait
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
		this.inboxes.forEach(Inbox::close);
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

	/**
	 * Describes a client. Each setting has a default; {@link #build()} checks them.
	 */
	public static final class Builder {

		private final List<RedisConnectionFactory> connectionFactories;

		private final List<LockListener> listeners = new ArrayList<>();

		private String keyPrefix = "holdfast:";

		private String application = "java";

		private Duration waitTime = Duration.ofSeconds(10);

		private Duration leaseTime = LockOptions.WATCHDOG;

		private Duration watchdogTimeout = Duration.ofSeconds(30);

		private Duration waiterTimeout = Duration.ofSeconds(10);

		private Duration tokenRetention = Duration.ofMinutes(5);

		private int maxLocalHandoffs = 16;

		private ReplicaAcknowledgement replicaAcknowledgement = ReplicaAcknowledgement.NONE;

		private Duration replicaTimeout = Duration.ofSeconds(1);

		private Duration quorumTimeout = Duration.ofMillis(500);

		private @Nullable Duration restartGuard;

		private LongSupplier nanoTime = System::nanoTime;

		private Builder(List<RedisConnectionFactory> connectionFactories) {
			this.connectionFactories = connectionFactories;
		}

		/**
		 * Sets what all keys and channels begin with: clients with the same prefix share
		 * their locks. Default {@code holdfast:}.
		 * @param keyPrefix the prefix, 1 to 200 characters
		 * @return this builder
		 */
		public Builder keyPrefix(String keyPrefix) {
			this.keyPrefix = keyPrefix;
			return this;
		}

		/**
		 * Sets the application's name, for operators. Default {@code java}.
		 * @param application the name; its first 20 characters are shown
		 * @return this builder
		 */
		public Builder application(String application) {
			this.application = application;
			return this;
		}

		/**
		 * Sets the wait of {@link LockOptions} that name none. Default 10 s.
		 * @param waitTime longest wait; not negative
		 * @return this builder
		 */
		public Builder waitTime(Duration waitTime) {
			this.waitTime = waitTime;
			return this;
		}

		/**
		 * Sets the lease of callers who name none. Default {@link LockOptions#WATCHDOG}.
		 * @param leaseTime the lease
		 * @return this builder
		 */
		public Builder leaseTime(Duration leaseTime) {
			this.leaseTime = leaseTime;
			return this;
		}

		/**
		 * Sets the lease of holds that the watchdog renews, every third of it. A process
		 * that dies keeps its locks for at most this long. Default 30 s.
		 * @param watchdogTimeout 100 ms to 1 day
		 * @return this builder
		 */
		public Builder watchdogTimeout(Duration watchdogTimeout) {
			this.watchdogTimeout = watchdogTimeout;
			return this;
		}

		/**
		 * Sets how long a waiter keeps its place in the queue without a sign of life. A
		 * process that dies while it waits delays those behind it by at most this long.
		 * Default 10 s.
		 * @param waiterTimeout 100 ms to 5 minutes
		 * @return this builder
		 */
		public Builder waiterTimeout(Duration waiterTimeout) {
			this.waiterTimeout = waiterTimeout;
			return this;
		}

		/**
		 * Sets how long a lock that nobody uses leaves its latest fencing token in Redis,
		 * at least, and at most twice as long: by how much the server's clock may be set
		 * back without a token being given twice. Default 5 minutes.
		 * @param tokenRetention 1 minute to 30 days
		 * @return this builder
		 */
		public Builder tokenRetention(Duration tokenRetention) {
			this.tokenRetention = tokenRetention;
			return this;
		}

		/**
		 * Sets how often in a row threads of this client may hand a lock to each other
		 * without asking Redis while another client waits for it, and for a fair lock
		 * also if none does. Default 16.
		 * @param maxLocalHandoffs 0 to 10,000
		 * @return this builder
		 */
		public Builder maxLocalHandoffs(int maxLocalHandoffs) {
			this.maxLocalHandoffs = maxLocalHandoffs;
			return this;
		}

		/**
		 * Sets how many replicas must have a lock before its owner runs, so that a
		 * replica which takes over from its master knows it. Each acquisition then takes
		 * a further call, over one connection to each master that is not from the
		 * application's pool, and waits for the replicas. As long as too few acknowledge
		 * it, the lock is held but its owner waits; when the wait is over, it is given
		 * back, and the call ends with {@link LockServerException}. Neither renewals nor
		 * releases wait. Default {@link ReplicaAcknowledgement#NONE}.
		 * @param acknowledgement how many; the server must not be one of a quorum
		 * @return this builder
		 */
		public Builder replicaAcknowledgement(ReplicaAcknowledgement acknowledgement) {
			this.replicaAcknowledgement = Objects.requireNonNull(acknowledgement);
			return this;
		}

		/**
		 * Sets how long to wait for the acknowledgement of replicas at a time; a call may
		 * take so much longer than its wait time. Never more than three quarters of the
		 * driver's command timeout. Default 1 s.
		 * @param replicaTimeout 1 ms to 1 minute
		 * @return this builder
		 */
		public Builder replicaTimeout(Duration replicaTimeout) {
			this.replicaTimeout = replicaTimeout;
			return this;
		}

		/**
		 * Sets how long to wait for servers of a quorum that are slow to answer, while
		 * the others do not decide without them. Default 500 ms.
		 * @param quorumTimeout 10 ms to 1 minute
		 * @return this builder
		 */
		public Builder quorumTimeout(Duration quorumTimeout) {
			this.quorumTimeout = quorumTimeout;
			return this;
		}

		/**
		 * Sets for how long a server of a quorum that was started does not grant locks,
		 * because it may have forgotten what it had granted. No lease may be longer.
		 * Default: the watchdog timeout.
		 * @param restartGuard up to 1 day, in whole seconds; zero only if every server
		 * writes each command to disk before it answers
		 * @return this builder
		 */
		public Builder restartGuard(Duration restartGuard) {
			this.restartGuard = restartGuard;
			return this;
		}

		/**
		 * Adds a listener.
		 * @param listener who is told of losses
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.listeners.add(Objects.requireNonNull(listener, "Listener must not be null"));
			return this;
		}

		/**
		 * Sets the monotonic clock, for tests.
		 */
		Builder nanoTime(LongSupplier nanoTime) {
			this.nanoTime = nanoTime;
			return this;
		}

		/**
		 * Builds and starts the client. Does not wait for Redis.
		 * @return the client; close it
		 * @throws IllegalArgumentException if a setting is out of its bounds
		 */
		public RedisLockClient build() {
			Settings settings = new Settings(new LockKeys(this.keyPrefix), ClientId.create(this.application).text(),
					this.waitTime, this.leaseTime, this.watchdogTimeout, this.waiterTimeout, this.tokenRetention,
					this.maxLocalHandoffs, List.copyOf(this.listeners), replicaSettings(), quorumSettings());
			return new RedisLockClient(this.connectionFactories, settings, this.nanoTime).start();
		}

		private @Nullable ReplicaSettings replicaSettings() {
			return (this.replicaAcknowledgement != ReplicaAcknowledgement.NONE)
					? new ReplicaSettings(this.replicaAcknowledgement, this.replicaTimeout) : null;
		}

		private @Nullable QuorumSettings quorumSettings() {
			if (this.connectionFactories.size() == 1) {
				return null;
			}
			Duration guard = (this.restartGuard != null) ? this.restartGuard : this.watchdogTimeout;
			return new QuorumSettings(this.quorumTimeout, guard);
		}

	}

}
