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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.redis.LockServer.Sign;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Renews the leases of live holds and the places of live waiters, in batches, and tells
 * of losses. One platform thread looks after all locks of the client and never waits for
 * the server: batches travel on an executor, so one that gets no answer delays neither
 * the deadlines nor the other batches. A renewal that fails says nothing about the hold
 * and is tried again until the deadline; only the deadline, or the server's word, ends a
 * hold.
 */
final class Watchdog implements Runnable {

	private static final Log logger = LogFactory.getLog(Watchdog.class);

	private static final int BATCH = 500;

	private static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long MIN_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final Locks locks;

	private final Executor renewals;

	private final Executor errands;

	private final Thread thread;

	/**
	 * Short enough for a sign of life that falls due meanwhile, after a third of the
	 * time, to be given after half of it.
	 */
	private final long maxSleepNanos;

	private final AtomicBoolean clearing = new AtomicBoolean();

	private volatile long wakeAtNanos;

	private volatile boolean stopped;

	Watchdog(Locks locks, Executor renewals, Executor errands) {
		this.locks = locks;
		this.renewals = renewals;
		this.errands = errands;
		this.maxSleepNanos = Math.min(LONGEST_SLEEP_NANOS, locks.settings.handOverLease().toNanos() / 6);
		this.wakeAtNanos = locks.now();
		this.thread = new Thread(this, "holdfast-watchdog");
		this.thread.setDaemon(true);
	}

	void start() {
		// A request that may hold the lock for nobody keeps others from it.
		this.locks.leftovers.onAdd(() -> LockSupport.unpark(this.thread));
		this.thread.start();
	}

	void stop() {
		this.stopped = true;
		LockSupport.unpark(this.thread);
	}

	/**
	 * Makes sure that the watchdog looks at a new grant no later than at its deadline.
	 */
	void watch(Grant grant) {
		if (grant.deadlineNanos() - this.wakeAtNanos < 0) {
			LockSupport.unpark(this.thread);
		}
	}

	@Override
	public void run() {
		while (!this.stopped) {
			long now = this.locks.now();
			// Before it looks, so that a grant which comes meanwhile wakes it.
			this.wakeAtNanos = now + this.maxSleepNanos;
			long sleep = look(now);
			this.wakeAtNanos = now + sleep;
			LockSupport.parkNanos(this, sleep);
		}
	}

	/**
	 * Does all that is due, and what soon will be: so the signs of locks that were taken
	 * one after another come to travel together.
	 * @return how long nothing else will be due
	 */
	private long look(long now) {
		long next = now + this.maxSleepNanos;
		List<Due> due = new ArrayList<>();
		for (LocalLock lock : this.locks.all()) {
			try {
				next = look(lock, now, next, due);
			}
			catch (RuntimeException | Error ex) {
				logger.error("The watchdog failed at lock '" + lock.name + "' and goes on", ex);
			}
		}
		if (!due.isEmpty()) {
			// Not here: to learn how many keys a script takes may need a connection.
			execute(() -> send(due), due);
		}
		clearLeftovers();
		return Math.max(next - now, MIN_SLEEP_NANOS);
	}

	private long look(LocalLock lock, long now, long latest, List<Due> due) {
		long next = latest;
		synchronized (lock) {
			dropOrphans(lock);
			for (Contender contender : lock.contenders()) {
				this.locks.expire(contender, now);
				if (contender.needsSign(now + this.maxSleepNanos / 2)) {
					due.add(new Due(contender, contender.sign(now)));
				}
				next = contender.nextLookNanos(next);
			}
		}
		return next;
	}

	/**
	 * Stops renewing what nobody can release any more.
	 */
	private void dropOrphans(LocalLock lock) {
		for (Grant grant : lock.grants()) {
			if (!grant.isOrphaned()) {
				continue;
			}
			if (grant.loss() != null) {
				lock.remove(grant);
				this.locks.unuse(lock);
			}
			else if (grant.watched) {
				grant.watched = false;
				logger.warn("Lock '" + lock.name + "' with fencing token " + grant.token
						+ " was not released: its owner is gone ("
						+ ((grant.threadName() != null) ? "thread '" + grant.threadName() + "'" : "a forgotten lease")
						+ "). It is not renewed any more and ends with its lease");
			}
		}
	}

	/**
	 * Runs a task elsewhere; if that fails, its signs count as not answered.
	 */
	private void execute(Runnable task, List<Due> due) {
		try {
			this.renewals.execute(task);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Renewal of " + due.size() + " lock(s) could not start and is tried again", ex);
			due.forEach(this::unsigned);
		}
	}

	private void send(List<Due> due) {
		int size = 1;
		try {
			size = (due.size() > 1 && this.locks.server.takesManyKeys()) ? BATCH : 1;
		}
		catch (LockServerException ex) {
			failed(due, ex);
			return;
		}
		for (int from = 0; from < due.size(); from += size) {
			List<Due> batch = due.subList(from, Math.min(from + size, due.size()));
			if (due.size() <= size) {
				renew(batch);
			}
			else {
				execute(() -> renew(batch), batch);
			}
		}
	}

	private void renew(List<Due> batch) {
		List<Standing> standings;
		try {
			standings = this.locks.server.renew(batch.stream().map(Due::sign).toList());
		}
		catch (LockServerException ex) {
			if (ex.reason() == Reason.REFUSED && batch.size() > 1) {
				// One of them is at fault: the others must not suffer.
				batch.forEach((each) -> renew(List.of(each)));
			}
			else {
				failed(batch, ex);
			}
			return;
		}
		for (int i = 0; i < batch.size(); i++) {
			signed(batch.get(i), standings.get(i));
		}
	}

	private void failed(List<Due> batch, LockServerException ex) {
		logger.warn("Renewal of " + batch.size() + " lock(s) failed and is tried again until their leases end: "
				+ ex.getMessage());
		batch.forEach(this::unsigned);
	}

	private void signed(Due due, Standing standing) {
		Contender contender = due.contender();
		synchronized (contender.lock) {
			long now = this.locks.now();
			// The answer may have come after the deadline.
			this.locks.expire(contender, now);
			if (contender.signed(due.sign().id(), standing, now, this.locks.pollNanos())) {
				this.locks.lose(contender, Cause.GONE, now);
			}
		}
	}

	private void unsigned(Due due) {
		synchronized (due.contender().lock) {
			due.contender().unsigned(due.sign().id(), this.locks.now());
		}
	}

	private void clearLeftovers() {
		if (!this.locks.leftovers.isEmpty() && this.clearing.compareAndSet(false, true)) {
			try {
				this.errands.execute(() -> {
					try {
						this.locks.leftovers.release(this.locks.server);
					}
					finally {
						this.clearing.set(false);
					}
				});
			}
			catch (RuntimeException | Error ex) {
				this.clearing.set(false);
				logger.error("Requests of unknown outcome could not be released and are tried again", ex);
			}
		}
	}

	private record Due(Contender contender, Sign sign) {
	}

}
