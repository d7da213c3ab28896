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
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.quorum.RedisQuorum;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Holdfast, with leases so short that faults outlast them.
 */
final class HoldfastSession implements Session {

	static final String PREFIX = "chaos:";

	static final Duration WATCHDOG_TIMEOUT = Duration.ofMillis(1500);

	private static final Duration TAKEOVER_AFTER = Duration.ofMillis(500);

	static final Duration WAITER_TIMEOUT = Duration.ofMillis(1500);

	private static final int MAX_WAITERS = 3;

	/**
	 * Longer than anybody has a lock, who must not lose it because of that.
	 */
	private static final Duration MAX_HOLD = Duration.ofMinutes(2);

	/**
	 * On a quorum, no lease may be longer.
	 */
	static final Duration RESTART_GUARD = Workload.LONGEST_LEASE;

	/**
	 * A quorum needs up to three round trips for a lease of which enough is left, and on
	 * a busy machine a shorter lease is over by then each time.
	 */
	private static final Duration SHORTEST_OF_QUORUM = Duration.ofMillis(300);

	private final boolean votes;

	private final RedisLockClient client;

	/**
	 * Open a client.
	 * @param losses told the lock and the token of holds that were lost
	 */
	HoldfastSession(ClientSetup setup, BiConsumer<String, Long> losses) {
		List<RedisConnectionFactory> connectionFactories = setup.connect();
		this.votes = setup.topology().votes();
		RedisLockClientBuilder builder = this.votes
				? RedisQuorum.of(connectionFactories).restartGuard(RESTART_GUARD).clientBuilder()
				: RedisLockClient.builder(connectionFactories.get(0));
		this.client = builder.keyPrefix(PREFIX)
			.watchdogTimeout(WATCHDOG_TIMEOUT)
			.waiterTimeout(WAITER_TIMEOUT)
			.takeoverAfter(this.votes ? Duration.ZERO : TAKEOVER_AFTER)
			.tokenRetention(Duration.ofMinutes(1))
			.observer(new LockObserver() {

				@Override
				public void lost(LockLoss loss, Attempt attempt) {
					losses.accept(loss.name(), loss.token());
				}

			})
			.build();
	}

	@Override
	public String id() {
		return this.client.id();
	}

	@Override
	public boolean isFair(LockRequest request) {
		return request.fair() && !this.votes;
	}

	@Override
	public @Nullable Hold acquire(LockRequest request) throws InterruptedException {
		boolean fair = isFair(request);
		Duration leaseTime = leaseTime(request);
		Duration wait = request.waitsIndefinitely() ? LockOptions.FOREVER : request.maxWait();
		if (request.ownedByLease() || request.mode().isPermits()) {
			Integer maxWaiters = (this.votes || request.fair()) ? null : MAX_WAITERS;
			return this.client
				.tryAcquire(request.lock(),
						new LockOptions(lockMode(request), fair, wait, leaseTime, null, maxWaiters, MAX_HOLD))
				.map(LeaseHold::new)
				.orElse(null);
		}
		LeaseLock lock = this.client.getLock(request.lock(),
				LockOptions.defaults().mode(lockMode(request)).fair(fair).leaseTime(leaseTime));
		if (request.waitsIndefinitely()) {
			lock.lock();
			return new ThreadHold(lock);
		}
		if (wait.isZero() && request.isRenewed()) {
			return lock.tryLock() ? new ThreadHold(lock) : null;
		}
		return lock.tryLock(wait) ? new ThreadHold(lock) : null;
	}

	private static LockMode lockMode(LockRequest request) {
		return switch (request.mode()) {
			case ALONE -> LockMode.EXCLUSIVE;
			case READER -> LockMode.SHARED;
			default -> LockMode.permits(request.mode().permits(), Mode.PERMITS);
		};
	}

	private Duration leaseTime(LockRequest request) {
		Duration leaseTime = request.leaseTime();
		if (leaseTime == null) {
			return LockOptions.WATCHDOG;
		}
		if (!this.votes) {
			return leaseTime;
		}
		Duration atLeast = (leaseTime.compareTo(SHORTEST_OF_QUORUM) > 0) ? leaseTime : SHORTEST_OF_QUORUM;
		return (atLeast.compareTo(RESTART_GUARD) > 0) ? RESTART_GUARD : atLeast;
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
			return this.lock.token();
		}

		@Override
		public boolean isHeld() {
			return this.lock.lease().confirm();
		}

		@Override
		public boolean isUnsure() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public long validNanos() {
			return this.lock.validFor().toNanos();
		}

		@Override
		public int holdCount() {
			return this.lock.holdCount();
		}

		@Override
		public boolean reenter() {
			long token = this.lock.token();
			boolean acquired = this.lock.tryLock();
			if (acquired && this.lock.token() != token) {
				// A lease that ends by itself was over: this is another hold.
				this.lock.unlock();
				return false;
			}
			return acquired;
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
			return this.lease.confirm();
		}

		@Override
		public boolean isUnsure() {
			return this.lease.isHeld();
		}

		@Override
		public long validNanos() {
			return this.lease.validFor().toNanos();
		}

		@Override
		public int holdCount() {
			return this.lease.isHeld() ? 1 : 0;
		}

		@Override
		public boolean reenter() {
			return false;
		}

		@Override
		public void release() {
			this.lease.close();
		}

	}

}
