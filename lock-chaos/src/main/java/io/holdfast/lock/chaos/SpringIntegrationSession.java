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
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's lock registry, renewing. It has neither tokens nor order, and does
 * not say whether a lock is held: its users believe so until a time to live that they
 * gave is over.
 */
final class SpringIntegrationSession implements Session {

	private final RedisLockRegistry registry;

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	SpringIntegrationSession(RedisConnectionFactory connectionFactory) {
		this.registry = new RedisLockRegistry(connectionFactory, "chaos", HoldfastSession.WATCHDOG_TIMEOUT);
		this.registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
		this.scheduler.setPoolSize(2);
		this.scheduler.setDaemon(true);
		this.scheduler.initialize();
		this.registry.setRenewalTaskScheduler(this.scheduler);
	}

	@Override
	public String id() {
		return "";
	}

	@Override
	public boolean isFair(LockRequest request) {
		return false;
	}

	@Override
	public @Nullable Hold acquire(LockRequest request) throws InterruptedException {
		DistributedLock lock = this.registry.obtain(request.lock());
		Duration lease = request.leaseTime();
		boolean acquired = true;
		if (request.waitsIndefinitely()) {
			if (lease != null) {
				lock.lock(lease);
			}
			else {
				lock.lock();
			}
		}
		else if (lease != null) {
			acquired = lock.tryLock(request.maxWait(), lease);
		}
		else {
			acquired = lock.tryLock(request.maxWait().toMillis(), TimeUnit.MILLISECONDS);
		}
		return acquired ? new RegistryHold(lock) : null;
	}

	@Override
	public Outcome outcomeOf(Exception thrown) {
		if (thrown instanceof ConcurrentModificationException || thrown instanceof IllegalStateException) {
			return Outcome.LOST;
		}
		return (thrown instanceof DataAccessException) ? Outcome.UNANSWERED : Outcome.UNDOCUMENTED;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.scheduler.shutdown();
	}

	private static final class RegistryHold implements Hold {

		private final DistributedLock lock;

		private int count = 1;

		RegistryHold(DistributedLock lock) {
			this.lock = lock;
		}

		@Override
		public long token() {
			return 0;
		}

		@Override
		public boolean isHeld() {
			// The registry says more at unlock() only, and renews each lease.
			return this.count > 0;
		}

		@Override
		public long validNanos() {
			return 0;
		}

		@Override
		public int holdCount() {
			return -1;
		}

		@Override
		public boolean reenter() {
			boolean entered = this.lock.tryLock();
			this.count += entered ? 1 : 0;
			return entered;
		}

		@Override
		public void release() {
			this.count--;
			this.lock.unlock();
		}

	}

}
