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

import java.time.Duration;
import java.util.Set;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockClient;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.metrics.LockMetrics;
import io.holdfast.lock.metrics.LockNameRule;
import io.holdfast.lock.redis.RedisLockClient;
import io.holdfast.lock.redis.RedisLockClientBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

/**
 * Ours, with default settings.
 *
 * @param driver what connects
 * @param variant what is set beside that
 */
record HoldfastLibrary(SpringDriver driver, Variant variant) implements Library {

	@Override
	public String name() {
		return "holdfast-" + this.variant.word + this.driver.word();
	}

	@Override
	public Set<Trait> traits() {
		return switch (this.variant) {
			case PLAIN -> Set.of(Trait.WAITS, Trait.RENEWS, Trait.NESTS, Trait.READS, Trait.PERMITS);
			case FAIR -> Set.of(Trait.WAITS, Trait.RENEWS, Trait.NESTS, Trait.FAIR);
			case METRICS, LEASES -> Set.of(Trait.WAITS, Trait.RENEWS, Trait.NESTS);
		};
	}

	@Override
	public Session open(RedisAddress redis, int threads) {
		RedisLockClientBuilder builder = RedisLockClient.builder(this.driver.connect(redis, threads));
		Lease.chosen().ifPresent(builder::watchdogTimeout);
		if (this.variant == Variant.METRICS) {
			builder.observer(new LockMetrics(new SimpleMeterRegistry(), LockNameRule.NONE));
		}
		if (this.variant == Variant.LEASES) {
			builder.takeoverAfter(Duration.ZERO);
		}
		return new HoldfastSession(builder.build(), this.variant);
	}

	/**
	 * What is set beside the defaults.
	 */
	enum Variant {

		PLAIN(""),

		/** Locks are fair. */
		FAIR("fair-"),

		/** Locks are counted and timed. */
		METRICS("metrics-"),

		/** Locks of a dead process end with their leases. */
		LEASES("leases-");

		private final String word;

		Variant(String word) {
			this.word = word;
		}

	}

	private record HoldfastSession(LockClient client, Variant variant) implements Session {

		@Override
		public Hold lock(String key) {
			LeaseLock lock = this.client.getLock(key, LockOptions.defaults().fair(this.variant == Variant.FAIR));
			return lock((this.variant == Variant.METRICS) ? lock.named("benchmark") : lock);
		}

		@Override
		public Hold read(String key) {
			return lock(this.client.readWrite(key).readLock());
		}

		@Override
		public Hold write(String key) {
			return lock(this.client.readWrite(key).writeLock());
		}

		private static Hold lock(LeaseLock lock) {
			lock.lock();
			return lock::unlock;
		}

		@Override
		public Hold permit(String key, int limit) {
			try {
				return this.client.semaphore(key, limit).acquire()::close;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
