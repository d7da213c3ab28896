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
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.internal.client.ClientSettings;
import io.holdfast.lock.internal.driver.RedisDriver;
import io.holdfast.lock.internal.protocol.ClientId;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.redis.ServerUnion;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Describes a client. Each setting has a default; {@link #build()} checks them.
 */
public final class RedisLockClientBuilder {

	private final List<RedisConnectionFactory> connectionFactories;

	private final @Nullable Function<Duration, ? extends ServerUnion> union;

	private final List<LockObserver> observers = new ArrayList<>();

	private String keyPrefix = "holdfast:";

	private String application = "java";

	private Duration waitTime = Duration.ofSeconds(10);

	private Duration leaseTime = LockOptions.WATCHDOG;

	private Duration watchdogTimeout = Duration.ofSeconds(30);

	private Duration waiterTimeout = Duration.ofSeconds(10);

	private @Nullable Duration takeoverAfter;

	private Duration commandTimeout = RedisDriver.LONGEST_REQUEST;

	private Duration tokenRetention = Duration.ofMinutes(5);

	private int maxLocalHandoffs = 16;

	private int maxWaiters;

	private Duration maxHold = LockOptions.FOREVER;

	private Duration heldTooLong = Duration.ZERO;

	private Duration waitTooLong = Duration.ZERO;

	private LongSupplier nanoTime = System::nanoTime;

	/**
	 * Creates a builder, for modules that are built on this one.
	 * @param connectionFactories one for each server
	 * @param union makes one server of several, from the watchdog timeout; {@code null}
	 * where there is only one
	 */
	public RedisLockClientBuilder(List<RedisConnectionFactory> connectionFactories,
			@Nullable Function<Duration, ? extends ServerUnion> union) {
		this.connectionFactories = connectionFactories;
		this.union = union;
	}

	/**
	 * Sets what all keys and channels begin with: clients with the same prefix share
	 * their locks. Default {@code holdfast:}.
	 * @param keyPrefix the prefix, 1 to 200 characters, without {@code lock:} in it
	 * @return this builder
	 */
	public RedisLockClientBuilder keyPrefix(String keyPrefix) {
		this.keyPrefix = Objects.requireNonNull(keyPrefix, "Key prefix must not be null");
		return this;
	}

	/**
	 * Sets the application's name, for operators. Default {@code java}.
	 * @param application the name; its first 16 characters are shown
	 * @return this builder
	 */
	public RedisLockClientBuilder application(String application) {
		this.application = Objects.requireNonNull(application, "Application must not be null");
		return this;
	}

	/**
	 * Sets the wait of {@link LockOptions} that name none. Default 10 s.
	 * @param waitTime longest wait; not negative
	 * @return this builder
	 */
	public RedisLockClientBuilder waitTime(Duration waitTime) {
		this.waitTime = Objects.requireNonNull(waitTime, "Wait time must not be null");
		return this;
	}

	/**
	 * Sets the lease of callers who name none. Default {@link LockOptions#WATCHDOG}.
	 * @param leaseTime the lease
	 * @return this builder
	 */
	public RedisLockClientBuilder leaseTime(Duration leaseTime) {
		this.leaseTime = Objects.requireNonNull(leaseTime, "Lease time must not be null");
		return this;
	}

	/**
	 * Sets the lease of holds that the watchdog renews, every third of it. A process that
	 * dies keeps its locks for at most this long. Default 30 s.
	 * @param watchdogTimeout 100 ms to 1 day
	 * @return this builder
	 */
	public RedisLockClientBuilder watchdogTimeout(Duration watchdogTimeout) {
		this.watchdogTimeout = Objects.requireNonNull(watchdogTimeout, "Watchdog timeout must not be null");
		return this;
	}

	/**
	 * Sets how long after Redis has lost the connection of a dead process its watched
	 * locks go to others who wait for them. Also how long an owner believes in a watched
	 * lock without hearing from Redis; after that it is unsure until Redis answers. A
	 * process that is paused keeps its locks. Shorter than two command timeouts, a
	 * connection that hangs may cost a lock. Zero, as always on a quorum: when their
	 * leases end. Default twice the command timeout, at least 500 ms; zero if that is
	 * more than a third of the watchdog timeout.
	 * @param takeoverAfter zero, or 500 ms to a third of the watchdog timeout
	 * @return this builder
	 */
	public RedisLockClientBuilder takeoverAfter(Duration takeoverAfter) {
		this.takeoverAfter = Objects.requireNonNull(takeoverAfter, "Takeover after must not be null");
		return this;
	}

	/**
	 * Sets how long a waiter keeps its place in the queue without renewal. A process that
	 * dies while it waits delays those after it by at most this long. Default 10 s.
	 * @param waiterTimeout 100 ms to 5 minutes
	 * @return this builder
	 */
	public RedisLockClientBuilder waiterTimeout(Duration waiterTimeout) {
		this.waiterTimeout = Objects.requireNonNull(waiterTimeout, "Waiter timeout must not be null");
		return this;
	}

	/**
	 * Sets how long a call waits for an answer of Redis, unless the command timeout of
	 * the connection factory is shorter. A caller whose own wait ends meanwhile waits for
	 * that answer, too; renewals, for which nobody waits, may take 5 s, or this time if
	 * it is longer. To open a connection may take a second more. Default 1 s.
	 * @param commandTimeout 100 ms to 1 minute
	 * @return this builder
	 */
	public RedisLockClientBuilder commandTimeout(Duration commandTimeout) {
		this.commandTimeout = Objects.requireNonNull(commandTimeout, "Command timeout must not be null");
		return this;
	}

	/**
	 * Sets how long a lock that nobody uses leaves its latest fencing token in Redis, at
	 * least, and at most twice as long: by how much the server's clock may be set back
	 * without a token being given twice. Default 5 minutes.
	 * @param tokenRetention 1 minute to 30 days
	 * @return this builder
	 */
	public RedisLockClientBuilder tokenRetention(Duration tokenRetention) {
		this.tokenRetention = Objects.requireNonNull(tokenRetention, "Token retention must not be null");
		return this;
	}

	/**
	 * Sets how often in a row threads of this client may hand a lock to each other
	 * without asking Redis. While another client waits for it, they do so for 100 ms at
	 * most. A fair lock is never handed on that way. Default 16.
	 * @param maxLocalHandoffs 0 to 10,000
	 * @return this builder
	 */
	public RedisLockClientBuilder maxLocalHandoffs(int maxLocalHandoffs) {
		this.maxLocalHandoffs = maxLocalHandoffs;
		return this;
	}

	/**
	 * Sets behind how many callers those wait at most whose {@link LockOptions} name no
	 * number. Default zero, for any number.
	 * @param maxWaiters the number of callers
	 * @return this builder
	 * @see LockOptions#maxWaiters(int)
	 */
	public RedisLockClientBuilder maxWaiters(int maxWaiters) {
		this.maxWaiters = maxWaiters;
		return this;
	}

	/**
	 * Sets how long owners have a lock at most whose {@link LockOptions} name no time.
	 * Default {@link LockOptions#FOREVER}.
	 * @param maxHold the longest time
	 * @return this builder
	 * @see LockOptions#maxHold(Duration)
	 */
	public RedisLockClientBuilder maxHold(Duration maxHold) {
		this.maxHold = Objects.requireNonNull(maxHold, "Max hold must not be null");
		return this;
	}

	/**
	 * Sets after which time a held lock is a warning in the log, once for each hold, with
	 * the stack of what its owner does then, and of where it acquired the lock. To have
	 * that costs each acquisition a stack trace. Default zero, for no warning.
	 * @param heldTooLong zero, or 100 ms to 366 days
	 * @return this builder
	 */
	public RedisLockClientBuilder heldTooLong(Duration heldTooLong) {
		this.heldTooLong = Objects.requireNonNull(heldTooLong, "Held too long must not be null");
		return this;
	}

	/**
	 * Sets after which time a wait is a warning in the log, with which thread of this
	 * client holds the lock, if one does. Default zero, for no warning.
	 * @param waitTooLong zero, or 100 ms to 366 days
	 * @return this builder
	 */
	public RedisLockClientBuilder waitTooLong(Duration waitTooLong) {
		this.waitTooLong = Objects.requireNonNull(waitTooLong, "Wait too long must not be null");
		return this;
	}

	/**
	 * Adds an observer, for metrics, traces and losses. Default: nobody observes.
	 * @param observer who is told of everything
	 * @return this builder
	 */
	public RedisLockClientBuilder observer(LockObserver observer) {
		this.observers.add(Objects.requireNonNull(observer, "Observer must not be null"));
		return this;
	}

	/**
	 * Sets the monotonic clock, for tests.
	 */
	RedisLockClientBuilder nanoTime(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		return this;
	}

	/**
	 * Builds and starts the client. Does not wait for Redis.
	 * @return the client; close it
	 * @throws IllegalArgumentException if a setting is out of its bounds, or a factory is
	 * neither of Jedis nor of Lettuce
	 * @throws UnsupportedOperationException if Spring Data Redis is older than 3.5
	 */
	public RedisLockClient build() {
		LockKeys keys = new LockKeys(this.keyPrefix);
		String clientId = ClientId.create(this.application).text();
		ServerUnion joined = (this.union != null) ? this.union.apply(this.watchdogTimeout) : null;
		Duration takeover = Settings.takeoverAfter(this.takeoverAfter, joined != null, this.commandTimeout,
				this.watchdogTimeout);
		ClientSettings client = new ClientSettings(keys, clientId, this.waitTime, this.leaseTime,
				(joined != null) ? joined::checkLease : (lease) -> {
				}, UnaryOperator.identity(), this.watchdogTimeout, this.waiterTimeout, takeover, this.maxLocalHandoffs,
				this.maxWaiters, this.maxHold, this.heldTooLong, this.waitTooLong, List.copyOf(this.observers),
				this.nanoTime);
		ServerSettings server = new ServerSettings(keys, clientId, this.waiterTimeout, this.tokenRetention);
		return new RedisLockClient(this.connectionFactories, new Settings(client, server, this.commandTimeout), joined);
	}

}
