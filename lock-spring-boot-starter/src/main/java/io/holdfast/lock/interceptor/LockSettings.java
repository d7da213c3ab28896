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

package io.holdfast.lock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.holdfast.lock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * What holds for every locked method that does not say otherwise.
 */
public final class LockSettings {

	private final Duration waitTime;

	private final Duration leaseTime;

	private final @Nullable Duration longestLease;

	private final ActiveTransaction activeTransaction;

	private final OnLostLock onLostLock;

	private final List<String> unguardedTransactions;

	private LockSettings(Builder builder) {
		this.waitTime = builder.waitTime;
		this.leaseTime = builder.leaseTime;
		this.longestLease = builder.longestLease;
		this.activeTransaction = builder.activeTransaction;
		this.onLostLock = builder.onLostLock;
		this.unguardedTransactions = builder.unguardedTransactions;
	}

	/**
	 * Starts with the defaults: a wait of 10 s, the watchdog, any lease,
	 * {@link ActiveTransaction#RELEASE_AFTER_COMPLETION}, and
	 * {@link OnLostLock#REFUSE_COMMIT} for all transactions.
	 * @return the builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	Duration waitTime() {
		return this.waitTime;
	}

	Duration leaseTime() {
		return this.leaseTime;
	}

	/**
	 * The longest lease that the client grants, or {@code null} if it grants any.
	 */
	@Nullable Duration longestLease() {
		return this.longestLease;
	}

	ActiveTransaction activeTransaction() {
		return this.activeTransaction;
	}

	OnLostLock onLostLock() {
		return this.onLostLock;
	}

	/**
	 * Names of transactions that commit all the same, with {@code *} as a wildcard.
	 */
	List<String> unguardedTransactions() {
		return this.unguardedTransactions;
	}

	/**
	 * Collects settings.
	 */
	public static final class Builder {

		private Duration waitTime = Duration.ofSeconds(10);

		private Duration leaseTime = LockOptions.WATCHDOG;

		private @Nullable Duration longestLease;

		private ActiveTransaction activeTransaction = ActiveTransaction.RELEASE_AFTER_COMPLETION;

		private OnLostLock onLostLock = OnLostLock.REFUSE_COMMIT;

		private List<String> unguardedTransactions = List.of();

		private Builder() {
		}

		/**
		 * Sets the longest wait for a lock.
		 * @param waitTime not negative
		 * @return this builder
		 */
		public Builder waitTime(Duration waitTime) {
			LockOptions.checkWaitTime(waitTime);
			this.waitTime = waitTime;
			return this;
		}

		/**
		 * Sets how long a lock is held at most.
		 * @param leaseTime the lease, or {@link LockOptions#WATCHDOG}
		 * @return this builder
		 */
		public Builder leaseTime(Duration leaseTime) {
			LockOptions.checkLeaseTime(leaseTime);
			this.leaseTime = leaseTime;
			return this;
		}

		/**
		 * Sets the longest lease that the client grants.
		 * @param longestLease the lease, or {@code null} if it grants any
		 * @return this builder
		 */
		public Builder longestLease(@Nullable Duration longestLease) {
			this.longestLease = longestLease;
			return this;
		}

		/**
		 * Sets what to do if a transaction is active already.
		 * @param activeTransaction what to do
		 * @return this builder
		 */
		public Builder activeTransaction(ActiveTransaction activeTransaction) {
			this.activeTransaction = Objects.requireNonNull(activeTransaction, "Active transaction must not be null");
			return this;
		}

		/**
		 * Sets what happens to a commit under a lost lock.
		 * @param onLostLock what happens
		 * @return this builder
		 */
		public Builder onLostLock(OnLostLock onLostLock) {
			this.onLostLock = Objects.requireNonNull(onLostLock, "On lost lock must not be null");
			return this;
		}

		/**
		 * Sets which transactions commit all the same.
		 * @param unguardedTransactions their names, with {@code *} as a wildcard
		 * @return this builder
		 */
		public Builder unguardedTransactions(List<String> unguardedTransactions) {
			this.unguardedTransactions = List.copyOf(unguardedTransactions);
			return this;
		}

		/**
		 * Creates the settings.
		 * @return the settings
		 */
		public LockSettings build() {
			return new LockSettings(this);
		}

	}

}
