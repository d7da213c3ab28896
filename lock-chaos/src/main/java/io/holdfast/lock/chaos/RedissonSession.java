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
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/**
 * Redisson: fenced locks for half of the names, fair ones, which have no tokens, for the
 * other half, because it does not let them share a name.
 */
final class RedissonSession implements Session {

	private final RedissonClient redisson;

	RedissonSession(String address) {
		Config config = new Config();
		config.setLockWatchdogTimeout(HoldfastSession.WATCHDOG_TIMEOUT.toMillis());
		config.setFairLockWaitTimeout(HoldfastSession.WAITER_TIMEOUT.toMillis());
		config.useSingleServer()
			.setAddress("redis://" + address)
			.setConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setTimeout((int) ClientSetup.COMMAND_TIMEOUT.toMillis());
		this.redisson = Redisson.create(config);
	}

	@Override
	public String id() {
		return "";
	}

	@Override
	public boolean isFair(LockRequest request) {
		return LockNumbers.number(request.lock()) % 2 != 0;
	}

	@Override
	public @Nullable Hold acquire(LockRequest request) throws InterruptedException {
		if (isFair(request)) {
			RLock lock = this.redisson.getFairLock(request.lock());
			return acquire(lock, request) ? new RedissonHold(lock, 0) : null;
		}
		RFencedLock lock = this.redisson.getFencedLock(request.lock());
		Long token = acquireFenced(lock, request);
		return (token != null) ? new RedissonHold(lock, token) : null;
	}

	private static boolean acquire(RLock lock, LockRequest request) throws InterruptedException {
		Duration lease = request.leaseTime();
		if (request.waitsIndefinitely()) {
			lock.lock((lease != null) ? lease.toMillis() : -1, TimeUnit.MILLISECONDS);
			return true;
		}
		return lock.tryLock(request.maxWait().toMillis(), (lease != null) ? lease.toMillis() : -1,
				TimeUnit.MILLISECONDS);
	}

	private static @Nullable Long acquireFenced(RFencedLock lock, LockRequest request) {
		Duration lease = request.leaseTime();
		if (request.waitsIndefinitely()) {
			return (lease != null) ? lock.lockAndGetToken(lease.toMillis(), TimeUnit.MILLISECONDS)
					: lock.lockAndGetToken();
		}
		return lock.tryLockAndGetToken(request.maxWait().toMillis(), (lease != null) ? lease.toMillis() : -1,
				TimeUnit.MILLISECONDS);
	}

	/**
	 * It tells who lost a lock and who never had it in the same way.
	 */
	@Override
	public Outcome outcomeOf(Exception thrown) {
		if (thrown instanceof IllegalMonitorStateException) {
			return Outcome.LOST;
		}
		return (thrown instanceof RedisException) ? Outcome.UNANSWERED : Outcome.UNDOCUMENTED;
	}

	@Override
	public void close() {
		this.redisson.shutdown();
	}

	private record RedissonHold(RLock lock, long token) implements Hold {

		@Override
		public boolean isHeld() {
			return this.lock.isHeldByCurrentThread();
		}

		@Override
		public long validNanos() {
			return 0;
		}

		@Override
		public int holdCount() {
			return this.lock.getHoldCount();
		}

		@Override
		public boolean reenter() {
			boolean acquired = this.lock.tryLock();
			if (acquired && this.lock.getHoldCount() == 1) {
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

}
