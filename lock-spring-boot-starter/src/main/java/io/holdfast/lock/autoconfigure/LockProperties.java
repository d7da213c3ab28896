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
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.holdfast.lock.LockOptions;
import io.holdfast.lock.interceptor.ActiveTransaction;
import io.holdfast.lock.interceptor.LockAdvisor;
import io.holdfast.lock.interceptor.LockSettings;
import io.holdfast.lock.interceptor.OnLostLock;
import io.holdfast.lock.local.LocalLockClient;
import io.holdfast.lock.local.LocalLockClientBuilder;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClient.ReplicaAcknowledgement;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Properties of distributed locks.
 *
 * @param enabled Whether distributed locks are configured. Without them, annotated
 * methods run without a lock, the client locks within this process only, and a warning
 * says so at the start.
 * @param mode Where locks are: in Redis, or in the memory of this process, where no other
 * process sees them.
 * @param keyPrefix Prefix of all keys and channels in Redis. Applications with the same
 * prefix share their locks.
 * @param waitTime Longest wait for a lock where none is given.
 * @param leaseTime How long a lock is held at most where no lease time is given. With -1,
 * the watchdog renews it until it is released.
 * @param watchdogTimeout Lease of the locks that the watchdog renews, every third of it.
 * A process that dies keeps its locks for at most this long.
 * @param waiterTimeout How long a waiter keeps its place in the queue without renewal. A
 * process that dies while it waits delays those after it by at most this long.
 * @param commandTimeout How long a call waits for an answer of Redis at most, unless the
 * timeout of the connection is shorter.
 * @param tokenRetention How long a lock that nobody uses leaves its latest fencing token
 * in Redis, at least; at most twice as long.
 * @param maxLocalHandoffs How often in a row threads of one process may hand a lock to
 * each other without asking Redis, and that for at most 100 ms. Both limits hold only
 * while another process waits for the lock; those of a fair lock hold always.
 * @param replicaAcknowledgement How many replicas must have a lock before its owner runs:
 * none, 1, or majority of those that are connected to the master.
 * @param replicaTimeout How long to wait for replicas at a time.
 * @param checkAtStart Whether an application whose Redis user lacks a right that locks
 * need does not start.
 * @param aspectOrder Order of the advisor that locks methods, among other advisors. With
 * a higher precedence than that of transactions, locks are released after the commit.
 * @param activeTransaction What a locked method does if a transaction is active already
 * when it is called.
 * @param onLostLock What happens to a transaction that is about to commit under a lost
 * lock.
 * @param unguardedTransactions Comma-separated list of the names of transactions that
 * commit although the lock around them is lost, such as those that record a failure; with
 * * as a wildcard. The name of a method's transaction is class.method.
 * @param heldTooLong How long a lock is held before a warning says what its owner does
 * then and where it acquired the lock, once for each hold. To know the latter costs each
 * acquisition a stack trace. 0 for no warning.
 * @param waitTooLong How long a caller waits for a lock before a warning says who holds
 * it, once for each caller. 0 for no warning.
 * @param observations Whether each acquisition and each hold of a lock is an observation,
 * so that traces show it.
 * @param quorum Locks that a majority of several Redis servers grants.
 */
@ConfigurationProperties("holdfast.lock")
record LockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Mode mode,
		@DefaultValue("holdfast:") String keyPrefix, @DefaultValue("10s") Duration waitTime,
		@DefaultValue("-1") Duration leaseTime, @DefaultValue("30s") Duration watchdogTimeout,
		@DefaultValue("10s") Duration waiterTimeout, @DefaultValue("1s") Duration commandTimeout,
		@DefaultValue("5m") Duration tokenRetention, @DefaultValue("16") int maxLocalHandoffs,
		@DefaultValue("none") String replicaAcknowledgement, @DefaultValue("1s") Duration replicaTimeout,
		@DefaultValue("true") boolean checkAtStart, @DefaultValue("" + LockAdvisor.DEFAULT_ORDER) int aspectOrder,
		@DefaultValue("release-after-completion") ActiveTransaction activeTransaction,
		@DefaultValue("refuse-commit") OnLostLock onLostLock,
		@DefaultValue("org.springframework.batch.core.repository.*") List<String> unguardedTransactions,
		@DefaultValue("0") Duration heldTooLong, @DefaultValue("0") Duration waitTooLong,
		@DefaultValue("false") boolean observations, @DefaultValue Quorum quorum) implements LockSettings {

	static final String PREFIX = "holdfast.lock.";

	private static final Map<String, ReplicaAcknowledgement> ACKNOWLEDGEMENTS = Map.of("none",
			ReplicaAcknowledgement.NONE, "1", ReplicaAcknowledgement.ONE, "one", ReplicaAcknowledgement.ONE, "majority",
			ReplicaAcknowledgement.MAJORITY);

	@Override
	public @Nullable Duration longestLease() {
		Duration guard = (this.quorum.restartGuard() != null) ? this.quorum.restartGuard() : this.watchdogTimeout;
		boolean onQuorum = this.mode == Mode.REDIS && !this.quorum.nodes().isEmpty();
		return (onQuorum && !guard.isZero()) ? guard : null;
	}

	/**
	 * Starts to describe the client.
	 * @param servers the one that locks are on, or those of the quorum
	 */
	RedisLockClientBuilder toBuilder(List<RedisConnectionFactory> servers) {
		check();
		RedisLockClientBuilder builder = (servers.size() == 1) ? RedisLockClient.builder(servers.get(0))
				: RedisLockClient.quorum(servers);
		builder.keyPrefix(this.keyPrefix)
			.waitTime(this.waitTime)
			.leaseTime(this.leaseTime)
			.watchdogTimeout(this.watchdogTimeout)
			.waiterTimeout(this.waiterTimeout)
			.commandTimeout(this.commandTimeout)
			.tokenRetention(this.tokenRetention)
			.maxLocalHandoffs(this.maxLocalHandoffs)
			.replicaAcknowledgement(acknowledgement())
			.replicaTimeout(this.replicaTimeout)
			.quorumTimeout(this.quorum.timeout())
			.heldTooLong(this.heldTooLong)
			.waitTooLong(this.waitTooLong);
		if (this.quorum.restartGuard() != null) {
			builder.restartGuard(this.quorum.restartGuard());
		}
		return builder;
	}

	/**
	 * Starts to describe a client without Redis.
	 */
	LocalLockClientBuilder toLocalBuilder() {
		checkTimes();
		checkTimeouts();
		return LocalLockClient.builder()
			.waitTime(this.waitTime)
			.leaseTime(this.leaseTime)
			.watchdogTimeout(this.watchdogTimeout)
			.waiterTimeout(this.waiterTimeout)
			.heldTooLong(this.heldTooLong)
			.waitTooLong(this.waitTooLong);
	}

	private ReplicaAcknowledgement acknowledgement() {
		ReplicaAcknowledgement acknowledgement = ACKNOWLEDGEMENTS
			.get(this.replicaAcknowledgement.strip().toLowerCase(Locale.ROOT));
		check("replica-acknowledgement", this.replicaAcknowledgement, acknowledgement != null,
				"it must be none, 1 or majority");
		return Objects.requireNonNull(acknowledgement);
	}

	/**
	 * Checks what the builder checks as well, to say which property is wrong.
	 */
	private void check() {
		check("key-prefix", this.keyPrefix, !this.keyPrefix.isBlank() && this.keyPrefix.length() <= 200,
				"it must have 1 to 200 characters and not be blank");
		check("key-prefix", this.keyPrefix, !this.keyPrefix.matches("(?s).+[^\\p{Alnum}]lock:.*"),
				"it must not contain the word 'lock:'");
		checkTimes();
		checkTimeouts();
		check("command-timeout", this.commandTimeout,
				isBetween(this.commandTimeout, Duration.ofMillis(100), Duration.ofMinutes(1)),
				"it must be between 100ms and 1m");
		check("token-retention", this.tokenRetention,
				isBetween(this.tokenRetention, Duration.ofMinutes(1), Duration.ofDays(30)),
				"it must be between 1m and 30d");
		check("max-local-handoffs", this.maxLocalHandoffs,
				this.maxLocalHandoffs >= 0 && this.maxLocalHandoffs <= 10_000, "it must be between 0 and 10000");
		check("replica-acknowledgement", this.replicaAcknowledgement,
				acknowledgement() == ReplicaAcknowledgement.NONE || this.quorum.nodes().isEmpty(),
				"the servers of a quorum are no replicas");
		check("replica-timeout", this.replicaTimeout,
				isBetween(this.replicaTimeout, Duration.ofMillis(1), Duration.ofMinutes(1)),
				"it must be between 1ms and 1m");
		checkNumberOfNodes(this.quorum.nodes().size());
		check("quorum.timeout", this.quorum.timeout(),
				isBetween(this.quorum.timeout(), Duration.ofMillis(10), Duration.ofMinutes(1)),
				"it must be between 10ms and 1m");
		checkRestartGuard(this.quorum.restartGuard());
	}

	private void checkTimes() {
		check("wait-time", this.waitTime, !this.waitTime.isNegative(), "it must not be negative");
		check("lease-time", this.leaseTime,
				this.leaseTime.equals(LockOptions.WATCHDOG)
						|| isBetween(this.leaseTime, LockOptions.MIN_LEASE, LockOptions.MAX_LEASE),
				"it must be between 10ms and 366d, or -1 to be renewed by the watchdog");
	}

	private void checkTimeouts() {
		check("watchdog-timeout", this.watchdogTimeout,
				isBetween(this.watchdogTimeout, Duration.ofMillis(100), Duration.ofDays(1)),
				"it must be between 100ms and 1d");
		check("waiter-timeout", this.waiterTimeout,
				isBetween(this.waiterTimeout, Duration.ofMillis(100), Duration.ofMinutes(5)),
				"it must be between 100ms and 5m");
		checkThreshold("held-too-long", this.heldTooLong);
		checkThreshold("wait-too-long", this.waitTooLong);
	}

	private static void checkThreshold(String property, Duration threshold) {
		check(property, threshold,
				threshold.isZero() || isBetween(threshold, Duration.ofMillis(100), Duration.ofDays(366)),
				"it must be between 100ms and 366d, or 0 for no warning");
	}

	private static void checkNumberOfNodes(int number) {
		if (!List.of(0, 3, 5, 7, 9).contains(number)) {
			throw new LockStartUpException(
					PREFIX + "quorum.nodes names " + number + ((number == 1) ? " server." : " servers."),
					"There must be 3, 5, 7 or 9, or none for locks on the application's Redis.");
		}
	}

	private void checkRestartGuard(@Nullable Duration guard) {
		if (guard == null) {
			return;
		}
		check("quorum.restart-guard", guard, isBetween(guard, Duration.ZERO, Duration.ofDays(1)),
				"it must be between 0 and 1d");
		boolean covers = guard.isZero()
				|| (guard.compareTo(this.watchdogTimeout) >= 0 && guard.compareTo(this.leaseTime) >= 0);
		check("quorum.restart-guard", guard, covers, "it must not be shorter than watchdog-timeout and lease-time");
	}

	private static boolean isBetween(Duration value, Duration min, Duration max) {
		return value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
	}

	private static void check(String property, Object value, boolean valid, String reason) {
		if (!valid) {
			throw new InvalidConfigurationPropertyValueException(PREFIX + property,
					(value instanceof Duration time) ? LockOptions.describe(time) : value, reason);
		}
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

	/**
	 * Properties of locks on several independent Redis servers.
	 *
	 * @param nodes Servers, 3 or 5 (any odd number up to 9), as
	 * redis://user:password@host:port/database, or rediss:// with TLS. Without any, locks
	 * are on the application's Redis.
	 * @param timeout How long to wait for servers that are slow to answer, while the
	 * others do not decide without them.
	 * @param restartGuard For how long a server that was started does not grant locks,
	 * because it may have forgotten what it had granted; in whole seconds, and no lease
	 * may be longer. As long as the watchdog timeout if not set; 0 if every server writes
	 * each command to disk before it answers.
	 */
	record Quorum(@DefaultValue List<String> nodes, @DefaultValue("500ms") Duration timeout,
			@Nullable Duration restartGuard) {

		/**
		 * Says how many servers there are, not which: addresses have passwords.
		 */
		@Override
		public String toString() {
			return "Quorum[nodes=" + this.nodes.size() + ", timeout=" + this.timeout + ", restartGuard="
					+ this.restartGuard + "]";
		}

	}

}
