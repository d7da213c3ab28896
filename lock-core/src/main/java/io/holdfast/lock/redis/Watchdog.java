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
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.Topology;
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

	private final BiConsumer<String, Executor> messageCheck;

	private final Lanes renewals;

	private final Lanes errands;

	private final Thread thread;

	/**
	 * Short enough for a sign of life that falls due meanwhile, after a third of the
	 * time, to be given after half of it.
	 */
	private final long maxSleepNanos;

	/**
	 * The servers whose leftovers are being released.
	 */
	private final Set<String> clearing = ConcurrentHashMap.newKeySet();

	private volatile long wakeAtNanos;

	private volatile boolean stopped;

	/**
	 * Create the watchdog.
	 * @param messageCheck makes sure that messages arrive, given the key of a lock that
	 * is waited for and where to ask its server
	 */
	Watchdog(Locks locks, BiConsumer<String, Executor> messageCheck, Lanes renewals, Lanes errands) {
		this.locks = locks;
		this.messageCheck = messageCheck;
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
			long sleep = this.maxSleepNanos;
			try {
				long now = this.locks.now();
				// Before it looks, so that a grant which comes meanwhile wakes it.
				this.wakeAtNanos = now + this.maxSleepNanos;
				sleep = look(now);
				this.wakeAtNanos = now + sleep;
			}
			catch (Throwable ex) {
				logFailure(ex);
			}
			LockSupport.parkNanos(this, sleep);
		}
	}

	/**
	 * What went wrong, be it for want of memory or threads, is tried again in the next
	 * round. That counts, not the report.
	 */
	private static void logFailure(Throwable failure) {
		try {
			logger.error("The watchdog failed and goes on", failure);
		}
		catch (Throwable ex) {
			// Then there is no report.
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
		String waitedFor = null;
		for (LocalLock lock : this.locks.all()) {
			try {
				waitedFor = (waitedFor == null && isWaitedFor(lock)) ? lock.key : waitedFor;
				next = look(lock, now, next, due);
			}
			catch (RuntimeException | Error ex) {
				logger.error("The watchdog failed at lock '" + lock.name + "' and goes on", ex);
			}
		}
		if (!due.isEmpty()) {
			send(due);
		}
		if (waitedFor != null) {
			checkMessages(waitedFor);
		}
		clearLeftovers();
		return Math.max(next - now, MIN_SLEEP_NANOS);
	}

	private void checkMessages(String waitedFor) {
		try {
			String node = this.locks.server.topology().nodeOf(waitedFor);
			this.messageCheck.accept(waitedFor, (task) -> this.renewals.execute(node, task));
		}
		catch (RuntimeException | Error ex) {
			logger.error("Whether messages arrive could not be checked and is tried again", ex);
		}
	}

	private static boolean isWaitedFor(LocalLock lock) {
		synchronized (lock) {
			return lock.contenders().stream().anyMatch(Contender::isWaiting);
		}
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
				grant.warnOfLeak();
			}
		}
	}

	/**
	 * Runs a task elsewhere; if that fails, its signs count as not answered.
	 */
	private void execute(String node, Runnable task, List<Due> due) {
		try {
			this.renewals.execute(node, task);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Renewal of " + due.size() + " lock(s) could not start and is tried again", ex);
			due.forEach(this::unsigned);
		}
	}

	/**
	 * Sends each server its own, so that one that does not answer delays no other.
	 */
	private void send(List<Due> due) {
		Topology topology = this.locks.server.topology();
		if (!topology.isKnown()) {
			// Not here: it may need a connection.
			execute(Topology.ONLY_NODE, () -> sendAfterLook(due), due);
			return;
		}
		Map<String, List<Due>> byNode = due.stream()
			.collect(Collectors.groupingBy((each) -> topology.nodeOf(each.key())));
		byNode.forEach((node, all) -> {
			for (int from = 0; from < all.size(); from += BATCH) {
				List<Due> batch = all.subList(from, Math.min(from + BATCH, all.size()));
				execute(node, () -> renew(batch), batch);
			}
		});
	}

	private void sendAfterLook(List<Due> due) {
		try {
			this.locks.server.topology().refresh();
		}
		catch (LockServerException ex) {
			failed(due, ex);
			return;
		}
		send(due);
	}

	private void renew(List<Due> batch) {
		List<List<Due>> groups = this.locks.server.topology().group(batch, Due::key);
		List<Outcome<List<LockReply>>> outcomes = this.locks.server
			.renewEach(groups.stream().map((group) -> group.stream().map(Due::sign).toList()).toList());
		List<Due> failed = new ArrayList<>();
		LockServerException failure = null;
		for (int i = 0; i < groups.size(); i++) {
			List<Due> group = groups.get(i);
			List<LockReply> standings = outcomes.get(i).value();
			if (standings != null) {
				signed(group, standings);
				continue;
			}
			LockServerException reason = Objects.requireNonNull(outcomes.get(i).failure());
			if (group.size() > 1 && RedisErrors.mayPassAlone(reason)) {
				group.forEach((each) -> renew(List.of(each)));
			}
			else {
				failed.addAll(group);
				failure = reason;
			}
		}
		if (failure != null) {
			failed(failed, failure);
			lookAgain();
		}
	}

	/**
	 * Perhaps the locks are on other servers by now.
	 */
	private void lookAgain() {
		try {
			this.locks.server.topology().refresh();
		}
		catch (LockServerException ex) {
			logger.debug("The servers of the cluster are not known anew", ex);
		}
	}

	private void failed(List<Due> batch, LockServerException ex) {
		logger.warn("Renewal of " + batch.size() + " lock(s) failed and is tried again until their leases end: "
				+ ex.getMessage());
		batch.forEach(this::unsigned);
	}

	private void signed(List<Due> group, List<LockReply> standings) {
		for (int i = 0; i < group.size(); i++) {
			signed(group.get(i), standings.get(i));
		}
	}

	private void signed(Due due, LockReply standing) {
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
		for (String node : this.locks.leftovers.nodes(this.locks.server.topology())) {
			if (!this.clearing.add(node)) {
				continue;
			}
			try {
				this.errands.execute(node, () -> clearLeftovers(node));
			}
			catch (RuntimeException | Error ex) {
				this.clearing.remove(node);
				logger.error("Requests of unknown outcome could not be released and are tried again", ex);
			}
		}
	}

	private void clearLeftovers(String node) {
		try {
			if (!this.locks.server.topology().isKnown()) {
				lookAgain();
			}
			this.locks.leftovers.release(this.locks.server, node);
		}
		finally {
			this.clearing.remove(node);
		}
	}

	private record Due(Contender contender, Renewal sign) {

		String key() {
			return this.sign.key();
		}

	}

}
