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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.chaos.LockLibrary.Hold;
import io.holdfast.lock.chaos.LockLibrary.Wish;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Looks what the server knows: when locks that were wanted once were granted, and when
 * all threads have stopped, whether anything is left of them.
 */
final class Aftermath {

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final StringRedisTemplate redis;

	private final Recorder recorder;

	Aftermath(StringRedisTemplate redis, Recorder recorder) {
		this.redis = redis;
		this.recorder = recorder;
	}

	private static String key(String name) {
		return HoldfastLibrary.PREFIX + "lock:" + name;
	}

	/**
	 * Records when each lock for one call was granted last: a fencing token is the
	 * server's time.
	 */
	void recordLastGrants() {
		ScanOptions options = ScanOptions.scanOptions().match(key(LockNumbers.singlePattern())).count(1000).build();
		try (Cursor<String> keys = this.redis.scan(options)) {
			while (keys.hasNext()) {
				String key = keys.next();
				List<Object> fields = this.redis.opsForHash().multiGet(key, List.of("token", "until"));
				long now = System.nanoTime();
				if (fields.get(0) instanceof String micros) {
					long token = Long.parseLong(micros);
					boolean held = fields.get(1) instanceof String until
							&& Long.parseLong(until) > System.currentTimeMillis();
					this.recorder.lastGrant(LockNumbers.number(key), token, nanoTimeOf(token), held, now);
				}
			}
		}
	}

	private static long nanoTimeOf(long micros) {
		Duration ago = Duration.between(Instant.EPOCH.plus(micros, ChronoUnit.MICROS), Instant.now());
		return System.nanoTime() - ago.toNanos();
	}

	/**
	 * Records what is left of each lock, and whether it can be had.
	 * @param library a client of its own
	 * @param describes whether this knows what the library leaves in the server
	 */
	void recordRemains(LockLibrary library, int locks, boolean describes) throws InterruptedException {
		for (int lock = 0; lock < locks; lock++) {
			String name = LockNumbers.name(lock);
			long residue = describes ? residue(key(name)) : 0;
			long start = System.nanoTime();
			Hold hold = acquire(library, name);
			long end = System.nanoTime();
			if (hold != null) {
				hold.release();
			}
			this.recorder.remains(lock, (hold != null) ? end - start : -1, residue, end);
		}
	}

	private static @Nullable Hold acquire(LockLibrary library, String name) throws InterruptedException {
		try {
			return library.acquire(new Wish(name, false, false, PATIENCE, null));
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Counts what should not be there when nobody wants a lock any more: a hold, places
	 * in the queue, a key that stays for ever.
	 */
	private long residue(String key) {
		Map<Object, Object> fields = this.redis.opsForHash().entries(key);
		long left = fields.keySet()
			.stream()
			.map(Object::toString)
			.filter((field) -> field.startsWith("w:") || List.of("head", "tail").contains(field))
			.count();
		String until = (String) fields.get("until");
		if (until != null && Long.parseLong(until) > System.currentTimeMillis()) {
			left++;
		}
		Long ttl = this.redis.getExpire(key, TimeUnit.MILLISECONDS);
		return (ttl != null && ttl == -1) ? left + 1 : left;
	}

}
