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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.holdfast.lock.LeaseLock;
import io.holdfast.lock.LockException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.testing.RedisDriver;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A process in which a thread runs out of stack in every place of {@code lock},
 * {@code unlock} and {@code tryLock}: it calls them with no stack left at all, then with
 * one small frame of it left, with two, and so on, each time for another lock. In the end
 * it says which of the locks nobody can have. What the drivers do has a stack of its own.
 */
public final class StackOverflowProcess {

	private static final int LOCKS = 500;

	private static final int SUCCESSES = 5;

	private static final Duration SECONDS = Duration.ofSeconds(10);

	private final RedisLockClient here;

	private final RedisLockClient elsewhere;

	private final LockType type;

	private int attempts;

	private int successes;

	private StackOverflowProcess(RedisLockClient here, RedisLockClient elsewhere, LockType type) {
		this.here = here;
		this.elsewhere = elsewhere;
		this.type = type;
	}

	/**
	 * Starts it.
	 * @param args the host and port of Redis, the key prefix, and the type of lock
	 */
	public static void main(String[] args) throws Exception {
		RedisConnectionFactory factory = RedisDriver.LETTUCE.connect(args[0], Integer.parseInt(args[1]),
				FaultClients.PATIENCE);
		RedisLockClient here = client(new FaultyConnections(factory, StackOverflowProcess::elsewhere), args[2]);
		RedisLockClient elsewhere = client(factory, args[2]);
		FaultClients.awaitHears(here, elsewhere);
		new StackOverflowProcess(here, elsewhere, LockType.valueOf(args[3])).run();
		System.exit(0);
	}

	private static RedisLockClient client(RedisConnectionFactory factory, String prefix) {
		return RedisLockClient.builder(factory)
			.keyPrefix(prefix)
			.watchdogTimeout(Duration.ofSeconds(1))
			.waiterTimeout(Duration.ofSeconds(2))
			.build();
	}

	/**
	 * Does something on a thread with a whole stack.
	 */
	private static @Nullable Object elsewhere(FaultyConnections.Call call) throws Throwable {
		Object[] result = new Object[1];
		Throwable[] thrown = new Throwable[1];
		Thread thread = new Thread(() -> {
			try {
				result[0] = call.run();
			}
			catch (Throwable ex) {
				thrown[0] = ex;
			}
		});
		thread.start();
		thread.join();
		if (thrown[0] != null) {
			throw thrown[0];
		}
		return result[0];
	}

	private void run() throws InterruptedException {
		List<LeaseLock> warm = locks("warm");
		warm.forEach((lock) -> {
			lock.lock();
			lock.unlock();
		});
		waitBehindAnother(warm.subList(0, 3), () -> tryLock(warm.get(0)));

		List<LeaseLock> locked = locks("lock");
		runOnItsOwn(() -> dive(locked, LeaseLock::lock));
		sayStuck("lock", locked);

		List<LeaseLock> unlocked = locks("unlock");
		runOnItsOwn(() -> {
			unlocked.forEach(LeaseLock::lock);
			dive(unlocked, LeaseLock::unlock);
			unlocked.subList(this.attempts, LOCKS).forEach(LeaseLock::unlock);
		});
		sayStuck("unlock", unlocked);

		List<LeaseLock> waited = locks("wait");
		waitBehindAnother(waited, () -> dive(waited, StackOverflowProcess::tryLock));
		sayStuck("wait", waited);
	}

	private List<LeaseLock> locks(String names) {
		List<LeaseLock> locks = new ArrayList<>();
		for (int i = 0; i < LOCKS; i++) {
			locks.add(this.here.getLock(names + "-" + i, this.type));
		}
		return locks;
	}

	private void waitBehindAnother(List<LeaseLock> locks, Runnable action) throws InterruptedException {
		CountDownLatch locked = new CountDownLatch(1);
		CountDownLatch waited = new CountDownLatch(1);
		Thread holder = new Thread(() -> {
			locks.forEach(LeaseLock::lock);
			locked.countDown();
			await(waited);
			locks.forEach(LeaseLock::unlock);
		});
		holder.start();
		locked.await();
		runOnItsOwn(action);
		waited.countDown();
		holder.join();
	}

	/**
	 * Runs on a thread that ends then.
	 */
	private void runOnItsOwn(Runnable action) throws InterruptedException {
		this.attempts = 0;
		this.successes = 0;
		Thread thread = new Thread(null, action, "thread with little stack", 256 * 1024);
		thread.start();
		thread.join();
	}

	/**
	 * Uses up the stack, and tries something with one of the locks each time that a frame
	 * of it is free again.
	 */
	@SuppressWarnings("InfiniteRecursion")
	private void dive(List<LeaseLock> locks, Consumer<LeaseLock> action) {
		try {
			dive(locks, action);
		}
		catch (StackOverflowError ex) {
			// This is as deep as it gets.
		}
		attempt(locks, action);
	}

	private void attempt(List<LeaseLock> locks, Consumer<LeaseLock> action) {
		if (this.successes == SUCCESSES || this.attempts == LOCKS) {
			return;
		}
		try {
			action.accept(locks.get(this.attempts++));
			this.successes++;
		}
		catch (StackOverflowError | LockException ex) {
			// With the next lock there will be more.
		}
	}

	private static void tryLock(LeaseLock lock) {
		try {
			lock.tryLock(Duration.ofMillis(2));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void sayStuck(String what, List<LeaseLock> locks) throws InterruptedException {
		List<String> stuck = new ArrayList<>();
		for (RedisLockClient client : List.of(this.here, this.elsewhere)) {
			long endNanos = System.nanoTime() + SECONDS.toNanos();
			for (LeaseLock each : locks.subList(0, this.attempts)) {
				LeaseLock lock = client.getLock(each.name(), this.type);
				Duration rest = Duration.ofNanos(Math.max(endNanos - System.nanoTime(), 100_000_000));
				try {
					if (lock.tryLock(rest)) {
						lock.unlock();
						continue;
					}
				}
				catch (LockException | Error ex) {
					System.out.println(ex);
				}
				stuck.add((client.equals(this.here) ? "here:" : "elsewhere:") + lock.name());
			}
		}
		System.out.println(what + " " + this.attempts + " " + String.join(",", stuck));
	}

}
