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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Holdfast, with leases so short that faults outlast them.
 */
final class HoldfastLibrary implements LockLibrary {

	static final String PREFIX = "chaos:";

	static final Duration WATCHDOG_TIMEOUT = Duration.ofMillis(1500);

	static final Duration WAITER_TIMEOUT = Duration.ofMillis(1500);

	/**
	 * On a quorum, no lease may be longer.
	 */
	static final Duration RESTART_GUARD = Worker.LONGEST_LEASE;

	private final boolean votes;

	private final RedisLockClient client;

	/**
	 * Open a client.
	 * @param losses told the lock and the token of holds that were lost
	 */
	HoldfastLibrary(ClientSetup setup, BiConsumer<String, Long> losses) {
		List<RedisConnectionFactory> connectionFactories = setup.connect();
		this.votes = setup.topology().votes();
		RedisLockClientBuilder builder = this.votes
				? RedisLockClient.quorum(connectionFactories).restartGuard(RESTART_GUARD)
				: RedisLockClient.builder(connectionFactories.get(0));
		this.client = builder.keyPrefix(PREFIX)
			.watchdogTimeout(WATCHDOG_TIMEOUT)
			.waiterTimeout(WAITER_TIMEOUT)
			.replicaAcknowledgement(setup.acknowledgement())
			.tokenRetention(Duration.ofMinutes(1))
			.listener((loss) -> losses.accept(loss.name(), loss.token()))
			.build();
	}

	@Override
	public String id() {
		return this.client.id();
	}

	@Override
	public boolean isInOrder(Wish wish) {
		return wish.fair() && !this.votes;
	}

	@Override
	public @Nullable Hold acquire(Wish wish) throws InterruptedException {
		LockType type = isInOrder(wish) ? LockType.FAIR : LockType.REENTRANT;
		Duration lease = lease(wish);
		Duration wait = wish.waitsForEver() ? LockOptions.FOREVER : wish.maxWait();
		if (wish.handle()) {
			return this.client.tryAcquire(wish.lock(), new LockOptions(type, wait, lease))
				.map(LeaseHold::new)
				.orElse(null);
		}
		LeaseLock lock = this.client.getLock(wish.lock(), type);
		if (wish.waitsForEver()) {
			lock.lock(lease);
			return new ThreadHold(lock);
		}
		if (wait.isZero() && wish.lease() == null) {
			return lock.tryLock() ? new ThreadHold(lock) : null;
		}
		return lock.tryLock(wait, lease) ? new ThreadHold(lock) : null;
	}

	private Duration lease(Wish wish) {
		Duration lease = wish.lease();
		if (lease == null) {
			return LockOptions.WATCHDOG;
		}
		return (this.votes && lease.compareTo(RESTART_GUARD) > 0) ? RESTART_GUARD : lease;
	}

	@Override
	public Outcome outcomeOf(Exception thrown) {
		if (thrown instanceof LockLostException) {
			return Outcome.LOST;
		}
		if (thrown instanceof LockServerException) {
			return Outcome.UNANSWERED;
		}
		return (thrown instanceof IllegalMonitorStateException) ? Outcome.NOT_OWNER : Outcome.UNDOCUMENTED;
	}

	@Override
	public void close() {
		this.client.close();
	}

	private record ThreadHold(LeaseLock lock) implements Hold {

		@Override
		public long token() {
			return this.lock.fencingToken();
		}

		@Override
		public boolean isHeld() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public long validNanos() {
			return this.lock.remainingLease().toNanos();
		}

		@Override
		public int depth() {
			return this.lock.holdCount();
		}

		@Override
		public boolean enter() {
			return this.lock.tryLock();
		}

		@Override
		public void release() {
			this.lock.unlock();
		}

	}

	private record LeaseHold(Lease lease) implements Hold {

		@Override
		public long token() {
			return this.lease.token();
		}

		@Override
		public boolean isHeld() {
			return this.lease.isValid();
		}

		@Override
		public long validNanos() {
			return this.lease.validFor().toNanos();
		}

		@Override
		public int depth() {
			return this.lease.isValid() ? 1 : 0;
		}

		@Override
		public boolean enter() {
			return false;
		}

		@Override
		public void release() {
			this.lease.close();
		}

	}

}
