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

package io.holdfast.lock.benchmarks.libraries;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson, with default settings, but pools that are large enough for the threads.
 *
 * @param kind which of its locks
 */
record RedissonLibrary(Kind kind) implements Library {

	private static final int DEFAULT_CONNECTIONS = 64;

	private static final int DEFAULT_SUBSCRIPTION_CONNECTIONS = 50;

	@Override
	public String name() {
		return (this.kind == Kind.LOCK) ? "redisson" : "redisson-" + this.kind.name().toLowerCase(Locale.ROOT);
	}

	@Override
	public Set<Trait> traits() {
		return switch (this.kind) {
			case LOCK -> Set.of(Trait.WAITS, Trait.RENEWS, Trait.NESTS, Trait.READS, Trait.PERMITS);
			case SPIN -> Set.of(Trait.WAITS, Trait.RENEWS, Trait.NESTS);
			case FAIR -> Set.of(Trait.WAITS, Trait.RENEWS, Trait.NESTS, Trait.FAIR);
		};
	}

	/**
	 * Each unlock has a {@code DEL} inside its script and sends another after it.
	 */
	@Override
	public long commandsSent(Calls calls) {
		return Library.super.commandsSent(calls) + calls.of("del") / 2;
	}

	@Override
	public Session open(RedisAddress redis, int threads) {
		Config config = new Config();
		config.useSingleServer()
			.setAddress("redis://" + redis.host() + ":" + redis.port())
			.setConnectionPoolSize(Math.max(threads, DEFAULT_CONNECTIONS))
			.setSubscriptionConnectionPoolSize(Math.max(threads, DEFAULT_SUBSCRIPTION_CONNECTIONS));
		Lease.chosen().ifPresent((lease) -> config.setLockWatchdogTimeout(lease.toMillis()));
		RedissonClient redisson = Redisson.create(config);
		return new RedissonSession(redisson, this.kind, new ConcurrentHashMap<>());
	}

	private record RedissonSession(RedissonClient redisson, Kind kind,
			ConcurrentMap<String, RPermitExpirableSemaphore> semaphores) implements Session {

		/** Its permits are not renewed. */
		private static final long PERMIT_SECONDS = 30;

		@Override
		public Hold lock(String key) {
			RLock lock = switch (this.kind) {
				case LOCK -> this.redisson.getLock(key);
				case SPIN -> this.redisson.getSpinLock(key);
				case FAIR -> this.redisson.getFairLock(key);
			};
			return lock(lock);
		}

		@Override
		public Hold read(String key) {
			return lock(this.redisson.getReadWriteLock(key).readLock());
		}

		@Override
		public Hold write(String key) {
			return lock(this.redisson.getReadWriteLock(key).writeLock());
		}

		private static Hold lock(RLock lock) {
			lock.lock();
			return lock::unlock;
		}

		@Override
		public Hold permit(String key, int limit) {
			RPermitExpirableSemaphore semaphore = this.semaphores.computeIfAbsent(key, (name) -> {
				RPermitExpirableSemaphore found = this.redisson.getPermitExpirableSemaphore(name);
				found.trySetPermits(limit);
				return found;
			});
			try {
				String permit = semaphore.acquire(PERMIT_SECONDS, TimeUnit.SECONDS);
				return () -> semaphore.release(permit);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	enum Kind {

		LOCK, SPIN, FAIR

	}

}
