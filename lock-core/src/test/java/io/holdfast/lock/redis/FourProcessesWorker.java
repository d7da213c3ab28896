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

package io.holdfast.lock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockOptions;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.testing.Crew;
import io.holdfast.lock.testing.RedisDriver;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * One of the processes of {@link FourProcessesIT}. Its threads raise a value in Redis by
 * reading it, adding one and writing it, under one lock. Every grant leaves two lines in
 * a file of its own, which survive a kill.
 * <p>
 * It obeys lines on its standard input: {@code hold} makes the next thread that gets the
 * lock say so and keep it until {@code go}. The end of the input ends the process.
 */
public final class FourProcessesWorker {

	/**
	 * The resource, and the judge of its writers: takes no token smaller than one it has
	 * seen, and keeps the history of what it took and how much it refused.
	 */
	static final RedisScript<Long> WRITE = new DefaultRedisScript<>("""
			if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'token') or 0) then
				redis.call('HINCRBY', KEYS[1], 'refused', 1)
				return 0
			end
			redis.call('HSET', KEYS[1], 'token', ARGV[1], 'value', ARGV[3])
			redis.call('RPUSH', KEYS[2], table.concat(ARGV, ' '))
			return 1
			""", Long.class);

	private final StringRedisTemplate redis;

	private final LeaseLock lock;

	private final String resource;

	private final FileChannel records;

	private final AtomicReference<CountDownLatch> hold = new AtomicReference<>();

	private volatile boolean stopping;

	private FourProcessesWorker(StringRedisTemplate redis, LeaseLock lock, String resource, FileChannel records) {
		this.redis = redis;
		this.lock = lock;
		this.resource = resource;
		this.records = records;
	}

	public static void main(String[] args) throws Exception {
		RedisConnectionFactory factory = RedisDriver.valueOf(args[0])
			.connect("127.0.0.1", Integer.parseInt(args[1]), Duration.ofSeconds(2));
		RedisLockClient client = RedisLockClient.builder(factory)
			.keyPrefix(args[2])
			.watchdogTimeout(FourProcessesIT.WATCHDOG_TIMEOUT)
			.waiterTimeout(FourProcessesIT.WAITER_TIMEOUT)
			.build();
		try (FileChannel records = FileChannel.open(Path.of(args[5]), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE, StandardOpenOption.APPEND); Crew crew = new Crew()) {
			LeaseLock lock = client.getLock("hot", LockOptions.defaults().fair(Boolean.parseBoolean(args[3])));
			FourProcessesWorker worker = new FourProcessesWorker(new StringRedisTemplate(factory), lock,
					args[2] + "resource", records);
			crew.start("worker", Integer.parseInt(args[4]), worker::work);
			say("READY");
			worker.obey();
			crew.join(Duration.ofSeconds(30));
		}
		client.close();
		RedisDriver.disconnect(factory);
		say("DONE");
	}

	private void obey() throws IOException {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		CountDownLatch go = new CountDownLatch(1);
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			switch (line) {
				case "hold" -> this.hold.set(go);
				case "go" -> go.countDown();
				default -> throw new IllegalArgumentException(line);
			}
		}
		this.stopping = true;
	}

	private void work() throws Exception {
		while (!this.stopping) {
			long invoked = System.nanoTime();
			try {
				if (!this.lock.tryLock(Duration.ofSeconds(30))) {
					throw new AssertionError("Starved");
				}
			}
			catch (LockServerException ex) {
				// A process that was stopped may find its answers too old.
				record("X", invoked, ex.reason());
				continue;
			}
			raise(invoked);
		}
	}

	private void raise(long invoked) throws Exception {
		long token = this.lock.token();
		long granted = System.nanoTime();
		record("G", token, invoked, granted);
		String found = (String) this.redis.opsForHash().get(this.resource, "value");
		long value = (found != null) ? Long.parseLong(found) : 0;
		CountDownLatch go = this.hold.getAndSet(null);
		if (go != null) {
			hold(token, go);
		}
		long before = System.nanoTime();
		boolean validBefore = this.lock.isHeldByCurrentThread();
		Long accepted = this.redis.execute(WRITE, List.of(this.resource, this.resource + ":history"),
				Long.toString(token), Long.toString(value), Long.toString(value + 1));
		long after = System.nanoTime();
		boolean validAfter = this.lock.isHeldByCurrentThread();
		String end = unlock();
		record("E", token, before, validBefore, after, validAfter, accepted, end);
		if (go != null) {
			say("RELEASED " + end + " " + accepted);
		}
	}

	/**
	 * Keeps the lock and looks all the time whether it is still held.
	 */
	private void hold(long token, CountDownLatch go) {
		long lastHeld = System.nanoTime();
		long firstLost = 0;
		say("HOLDING " + token);
		while (go.getCount() > 0) {
			long now = System.nanoTime();
			if (!this.lock.isHeldByCurrentThread()) {
				firstLost = (firstLost != 0) ? firstLost : now;
			}
			else if (firstLost == 0) {
				lastHeld = now;
			}
			else {
				throw new AssertionError("Held again after it was lost");
			}
			LockSupport.parkNanos(50_000);
		}
		say("HELD " + lastHeld + " " + firstLost);
	}

	private String unlock() {
		try {
			this.lock.unlock();
			return "released";
		}
		catch (LockLostException ex) {
			return "lost";
		}
		catch (LockServerException ex) {
			return "unanswered";
		}
	}

	private void record(Object... words) throws IOException {
		ByteBuffer line = StandardCharsets.UTF_8
			.encode(Arrays.stream(words).map(String::valueOf).collect(Collectors.joining(" ", "", "\n")));
		synchronized (this.records) {
			while (line.hasRemaining()) {
				this.records.write(line);
			}
		}
	}

	private static void say(String line) {
		System.out.println(line);
	}

}
