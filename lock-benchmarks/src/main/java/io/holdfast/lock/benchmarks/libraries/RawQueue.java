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

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.RedisClient;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The limit for fair locks between processes: what a strict queue on Jedis cannot do
 * without. One command joins it, and a script tells the next one. Nobody checks who
 * releases, and nothing ever expires.
 */
record RawQueue() implements Library {

	private static final String PASS_ON = RedisScript.of(new ClassPathResource("pass-on.lua", RawQueue.class))
		.getScriptAsString();

	@Override
	public String name() {
		return "raw-queue";
	}

	@Override
	public Set<Trait> traits() {
		return Set.of(Trait.WAITS, Trait.FAIR);
	}

	@Override
	public long commandsSent(Calls calls) {
		return calls.of("rpush", "evalsha", "subscribe");
	}

	@Override
	public Session open(RedisAddress redis, int threads) {
		RedisClient jedis = RawJedis.connect(redis, threads);
		String sha = jedis.scriptLoad(PASS_ON, "");
		String channel = UUID.randomUUID().toString();
		Map<String, CountDownLatch> waiters = new ConcurrentHashMap<>();
		subscribe(redis, channel, waiters);
		AtomicLong number = new AtomicLong();
		return (key) -> {
			String owner = channel + ":" + number.incrementAndGet();
			CountDownLatch granted = new CountDownLatch(1);
			waiters.put(owner, granted);
			if (jedis.rpush(key, owner) > 1) {
				await(granted);
			}
			waiters.remove(owner);
			return () -> jedis.evalsha(sha, List.of(key), List.of());
		};
	}

	private static void subscribe(RedisAddress redis, String channel, Map<String, CountDownLatch> waiters) {
		CountDownLatch subscribed = new CountDownLatch(1);
		JedisPubSub subscription = new JedisPubSub() {

			@Override
			public void onSubscribe(String channel, int subscribedChannels) {
				subscribed.countDown();
			}

			@Override
			public void onMessage(String channel, String owner) {
				Objects.requireNonNull(waiters.get(owner)).countDown();
			}

		};
		Thread thread = new Thread(() -> {
			try (Jedis jedis = new Jedis(redis.host(), redis.port())) {
				jedis.subscribe(subscription, channel);
			}
		}, "raw-queue");
		thread.setDaemon(true);
		thread.start();
		await(subscribed);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
