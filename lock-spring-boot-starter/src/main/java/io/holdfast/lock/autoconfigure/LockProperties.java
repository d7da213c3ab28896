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

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.convert.LockTime;
import io.holdfast.lock.interceptor.ActiveTransaction;
import io.holdfast.lock.interceptor.LockAdvisor;
import io.holdfast.lock.interceptor.LockFence;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.LockStartUpException;
import io.holdfast.lock.interceptor.OnLostLock;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.ClassUtils;

/**
 * Properties of distributed locks: all that there are under {@code holdfast.lock}.
 *
 * @param enabled Whether distributed locks are configured. Without them, annotated
 * methods run without a lock, an injected client locks within this process only (with
 * lock-local; else there is none), and a warning says so at the start.
 * @param mode Where locks are: in Redis, or in the memory of this process, where no other
 * process sees them.
 * @param keyPrefix Prefix of all keys and channels in Redis. Applications with the same
 * prefix share their locks.
 * @param waitTime Longest wait for a lock where none is given: a duration with its unit,
 * or forever.
 * @param leaseTime How long a lock is held at most where no lease time is given: a
 * duration with its unit, or watchdog, which renews it until it is released.
 * @param maxHold Longest time that a lock is held where the code gives none. Then it is
 * lost, and not renewed any more. A duration with its unit, or forever.
 * @param maxWaiters Largest number of callers, in all processes, behind which a call
 * waits where the code gives none. 0 for any number.
 * @param watchdogTimeout Lease of the locks that the watchdog renews each time that a
 * third of it has passed. A process that dies keeps its locks for at most this long.
 * @param takeoverAfter How long after Redis has lost the connection of a dead process its
 * locks go to those who wait, as far as the watchdog renews them. An owner that has not
 * heard from Redis for the same time is no longer sure of such a lock. 0 to wait for the
 * end of the lease, as on a quorum. By default twice command-timeout, at least 500ms; 0
 * if that is more than a third of watchdog-timeout.
 * @param commandTimeout How long a call waits for an answer of Redis at most, unless the
 * timeout of the connection is shorter.
 * @param checkAtStart Whether to check Redis at the start, and to stop the application if
 * Redis cannot hold locks.
 * @param aspectOrder Order of the advisor that locks methods, among other advisors. With
 * a higher precedence than that of transactions, locks are released after the commit.
 * @param observations Whether each acquisition and each hold of a lock is an observation,
 * so that traces show it.
 * @param transaction Locks and transactions.
 * @param warning What is logged when it lasts too long.
 * @param quorum What the artifact lock-quorum reads.
 * @param fence What the artifact lock-jdbc reads.
 */
@ConfigurationProperties("holdfast.lock")
record LockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Mode mode,
		@DefaultValue("holdfast:") String keyPrefix, @DefaultValue("10s") LockTime waitTime,
		@DefaultValue("watchdog") LockTime leaseTime, @DefaultValue("forever") LockTime maxHold,
		@DefaultValue("0") int maxWaiters, @DefaultValue("30s") LockTime watchdogTimeout,
		@Nullable LockTime takeoverAfter, @DefaultValue("1s") LockTime commandTimeout,
		@DefaultValue("true") boolean checkAtStart, @DefaultValue("" + LockAdvisor.DEFAULT_ORDER) int aspectOrder,
		@DefaultValue("false") boolean observations, @DefaultValue Transaction transaction,
		@DefaultValue Warning warning, @DefaultValue Map<String, Object> quorum,
		@DefaultValue Map<String, Object> fence) {

	static final String PREFIX = "holdfast.lock.";

	private static final String FENCE = "io.holdfast.lock.jdbc.DatabaseFence";

	LockProperties {
		// Addresses have passwords.
		quorum = new TreeMap<>(quorum);
		quorum.replaceAll((name, value) -> "");
	}

	/**
	 * What holds for all locked methods.
	 * @throws LockStartUpException if a time is out of its bounds
	 */
	LockSettings toSettings(List<LockFence> fences) {
		build(() -> LockOptions.defaults().waitTime(this.waitTime.duration()).leaseTime(this.leaseTime.duration()));
		return new LockSettings(this.waitTime.duration(), this.leaseTime.duration(), this.transaction.active(),
				this.transaction.onLostLock(), this.transaction.unguarded(), fences);
	}

	/**
	 * Describes the client, which checks the values.
	 */
	RedisLockClientBuilder applyTo(RedisLockClientBuilder builder) {
		if (this.takeoverAfter != null) {
			builder.takeoverAfter(this.takeoverAfter.duration());
		}
		return builder.keyPrefix(this.keyPrefix)
			.waitTime(this.waitTime.duration())
			.leaseTime(this.leaseTime.duration())
			.maxHold(this.maxHold.duration())
			.maxWaiters(this.maxWaiters)
			.watchdogTimeout(this.watchdogTimeout.duration())
			.commandTimeout(this.commandTimeout.duration())
			.heldTooLong(this.warning.heldTooLong().duration())
			.waitTooLong(this.warning.waitTooLong().duration());
	}

	/**
	 * Builds a client.
	 * @throws LockStartUpException if a setting is wrong, or a library not supported
	 */
	static <T> T build(Supplier<T> builder) {
		try {
			return builder.get();
		}
		catch (IllegalArgumentException | UnsupportedOperationException ex) {
			throw new LockStartUpException(ex.getMessage() + ".",
					"Correct the connection factory, or what a LockClientCustomizer or " + PREFIX + "* sets.", ex);
		}
	}

	/**
	 * Refuses locks on one Redis where several are meant.
	 */
	void checkNoQuorum() {
		if (!this.quorum.isEmpty()) {
			throw new LockStartUpException(PREFIX + "quorum.* is set, and the jar that reads it is missing.",
					"Add io.holdfast:lock-quorum to the class path.");
		}
	}

	/**
	 * Refuses locks without a fence where one is meant.
	 */
	void checkNoFence() {
		if (!this.fence.isEmpty() && !ClassUtils.isPresent(FENCE, getClass().getClassLoader())) {
			throw new LockStartUpException(PREFIX + "fence.* is set, and the jar that reads it is missing.",
					"Add io.holdfast:lock-jdbc to the class path.");
		}
	}

	/**
	 * Properties of locks and transactions.
	 *
	 * @param active What a locked method does if a transaction is active already when it
	 * is called.
	 * @param onLostLock What happens to a transaction that is about to commit under a
	 * lost lock.
	 * @param unguarded Comma-separated list of the names of transactions that commit
	 * although the lock around them is lost, such as those that record a failure; with *
	 * as a wildcard. The name of a method's transaction is class.method.
	 */
	record Transaction(@DefaultValue("release-after-completion") ActiveTransaction active,
			@DefaultValue("refuse-commit") OnLostLock onLostLock,
			@DefaultValue("org.springframework.batch.core.repository.*") List<String> unguarded) {
	}

	/**
	 * Properties of warnings.
	 *
	 * @param heldTooLong How long a lock is held before a warning, once for each hold. It
	 * says what the owner is doing and where it acquired the lock, which costs a stack
	 * trace for each acquisition. 0 for no warning.
	 * @param waitTooLong How long a caller waits for a lock before a warning says which
	 * thread of this client holds it, if one does; one line for each lock, in which each
	 * caller is counted once. 0 for no warning.
	 */
	record Warning(@DefaultValue("0") LockTime heldTooLong, @DefaultValue("0") LockTime waitTooLong) {
	}

	/**
	 * Where locks are.
	 */
	public enum Mode {

		/** In Redis. */
		REDIS,

		/** In the memory of this process. */
		LOCAL

	}

}
