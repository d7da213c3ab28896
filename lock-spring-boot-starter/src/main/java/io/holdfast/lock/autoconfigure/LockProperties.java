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
import java.util.Map;
import java.util.TreeMap;

import io.holdfast.lock.interceptor.ActiveTransaction;
import io.holdfast.lock.interceptor.LockAdvisor;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.OnLostLock;
import io.holdfast.lock.redis.RedisLockClientBuilder;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of distributed locks: all that there are under {@code holdfast.lock}, so
 * that a property that nobody knows stops the start.
 *
 * @param enabled Whether distributed locks are configured. Without them, annotated
 * methods run without a lock, the client locks within this process only, and a warning
 * says so at the start.
 * @param mode Where locks are: in Redis, or in the memory of this process, where no other
 * process sees them.
 * @param keyPrefix Prefix of all keys and channels in Redis. Applications with the same
 * prefix share their locks.
 * @param waitTime Longest wait for a lock where none is given: a duration with its unit,
 * or forever.
 * @param leaseTime How long a lock is held at most where no lease time is given: a
 * duration with its unit, or watchdog, which renews it until it is released.
 * @param watchdogTimeout Lease of the locks that the watchdog renews, every third of it.
 * A process that dies keeps its locks for at most this long.
 * @param commandTimeout How long a call waits for an answer of Redis at most, unless the
 * timeout of the connection is shorter.
 * @param checkAtStart Whether an application whose Redis cannot hold its locks does not
 * start.
 * @param aspectOrder Order of the advisor that locks methods, among other advisors. With
 * a higher precedence than that of transactions, locks are released after the commit.
 * @param observations Whether each acquisition and each hold of a lock is an observation,
 * so that traces show it.
 * @param transaction Locks and transactions.
 * @param warning What is logged when it lasts too long.
 * @param quorum What the artifact lock-quorum reads.
 */
@ConfigurationProperties(prefix = "holdfast.lock", ignoreUnknownFields = false)
record LockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Mode mode,
		@DefaultValue("holdfast:") String keyPrefix, @DefaultValue("10s") LockTime waitTime,
		@DefaultValue("watchdog") LockTime leaseTime, @DefaultValue("30s") Duration watchdogTimeout,
		@DefaultValue("1s") Duration commandTimeout, @DefaultValue("true") boolean checkAtStart,
		@DefaultValue("" + LockAdvisor.DEFAULT_ORDER) int aspectOrder, @DefaultValue("false") boolean observations,
		@DefaultValue Transaction transaction, @DefaultValue Warning warning,
		@DefaultValue Map<String, Object> quorum) {

	static final String PREFIX = "holdfast.lock.";

	LockProperties {
		// Addresses have passwords.
		quorum = new TreeMap<>(quorum);
		quorum.replaceAll((name, value) -> "");
	}

	/**
	 * What holds for all locked methods.
	 */
	LockSettings toSettings() {
		return new LockSettings(this.waitTime.duration(), this.leaseTime.duration(), this.transaction.active(),
				this.transaction.onLostLock(), this.transaction.unguarded());
	}

	/**
	 * Describes the client, which checks the values.
	 */
	RedisLockClientBuilder applyTo(RedisLockClientBuilder builder) {
		return builder.keyPrefix(this.keyPrefix)
			.waitTime(this.waitTime.duration())
			.leaseTime(this.leaseTime.duration())
			.watchdogTimeout(this.watchdogTimeout)
			.commandTimeout(this.commandTimeout)
			.heldTooLong(this.warning.heldTooLong())
			.waitTooLong(this.warning.waitTooLong());
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
	 * @param heldTooLong How long a lock is held before a warning says what its owner
	 * does then and where it acquired the lock, once for each hold. To know the latter
	 * costs each acquisition a stack trace. 0 for no warning.
	 * @param waitTooLong How long a caller waits for a lock before a warning says which
	 * thread of this client holds it, if one does; once for each caller. 0 for no
	 * warning.
	 */
	record Warning(@DefaultValue("0") Duration heldTooLong, @DefaultValue("0") Duration waitTooLong) {
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
