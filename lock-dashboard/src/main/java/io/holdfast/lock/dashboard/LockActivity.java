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

package io.holdfast.lock.dashboard;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockMode;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.actuate.LocksEndpoint;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.context.ApplicationListener;

/**
 * Remembers what happened to the locks of this process in the last five minutes, as far
 * as an operator wants to know: which were waited for, which were lost. However many
 * there are, it needs little memory: of locks with waits it keeps {@value #MAX_NAMES},
 * and forgets those that nobody waits for. Thread-safe.
 * <p>
 * The auto-configuration makes one for the operator page. An application creates one only
 * to register it, as an observer, with a client that it builds itself.
 */
public final class LockActivity implements LockObserver, ApplicationListener<AuditApplicationEvent> {

	/*
	 * The monitor guards the waits and the incidents. Nobody waits or calls others while
	 * having it. Who gets a lock at once, as most do, does not need it. The set of
	 * attempts under way has one for each caller that waits.
	 *
	 * A newcomer takes the place and the rank of the coldest lock (Space-Saving:
	 * Metwally, Agrawal and El Abbadi, 2005). So each lock is there that has had more
	 * than a hundredth of all waiting, and what is shown of it lacks only what was before
	 * it took its place.
	 */

	static final int MAX_NAMES = 100;

	static final int MAX_INCIDENTS = 100;

	private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final LongSupplier nanoTime;

	private final long startedNanos;

	/** Guarded by the monitor. */
	private final Map<String, LockWaits> waits = new HashMap<>();

	/** The latest one first. Guarded by the monitor. */
	private final Deque<Incident> incidents = new ArrayDeque<>();

	/** Attempts that have not ended. */
	private final Set<RememberedAttempt> underWay = ConcurrentHashMap.newKeySet();

	private final LockTrend trend;

	/**
	 * Create one that remembers nothing yet.
	 */
	public LockActivity() {
		this(System::nanoTime);
	}

	LockActivity(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.trend = new LockTrend(nanoTime);
		this.startedNanos = nanoTime.getAsLong();
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, boolean fair, LockMode mode) {
		RememberedAttempt attempt = new RememberedAttempt(name, now());
		this.underWay.add(attempt);
		return attempt;
	}

	@Override
	public void lost(LockLoss loss, Attempt attempt) {
		add(new Incident(loss.at(), loss.cause().name().toLowerCase(Locale.ROOT), List.of(loss.name()), loss.token(),
				null));
	}

	/**
	 * Takes note of a lock that was released by force through this application, if this
	 * is a bean.
	 */
	@Override
	public void onApplicationEvent(AuditApplicationEvent event) {
		AuditEvent audited = event.getAuditEvent();
		if (LocksEndpoint.FORCED_EVENT.equals(audited.getType())) {
			Map<String, Object> data = audited.getData();
			String user = audited.getPrincipal().isEmpty() ? "a user who is not known" : audited.getPrincipal();
			add(new Incident(audited.getTimestamp(), "released", List.of(String.valueOf(data.get("lock"))),
					(data.get("token") instanceof Number token) ? token.longValue() : null, user));
		}
	}

	@Override
	public void deadlocked(List<String> names) {
		add(new Incident(Instant.now(), "deadlock", List.copyOf(names), null, null));
	}

	@Override
	public void started(ClientState client) {
		this.trend.add(client);
	}

	@Override
	public void stopped(ClientState client) {
		this.trend.remove(client);
	}

	private synchronized void add(Incident incident) {
		this.incidents.addFirst(incident);
		if (this.incidents.size() > MAX_INCIDENTS) {
			this.incidents.removeLast();
		}
	}

	private synchronized void addWait(String name, long nanos, boolean inVain) {
		long now = now();
		LockWaits found = this.waits.get(name);
		if (found == null) {
			found = addLock(name, now);
			this.waits.put(name, found);
		}
		found.add(now, nanos, inVain);
	}

	private LockWaits addLock(String name, long now) {
		if (this.waits.size() >= MAX_NAMES) {
			forgetIdle(now);
		}
		if (this.waits.size() < MAX_NAMES) {
			return new LockWaits(name);
		}
		LockWaits coldest = Collections.min(this.waits.values(), Comparator.comparingLong(LockWaits::rankedNanos));
		this.waits.remove(coldest.name());
		return new LockWaits(name, coldest);
	}

	private void forgetIdle(long now) {
		this.waits.values().removeIf((each) -> each.isIdle(now));
	}

	/**
	 * Returns the locks that were or are waited for, the one with the longest waits
	 * first. Waits that go on count from their first second.
	 * @param limit how many at most
	 */
	List<LockWaits.Snapshot> hottest(int limit) {
		long now = now();
		Map<String, LockWaits> copies = new HashMap<>();
		synchronized (this) {
			forgetIdle(now);
			this.waits.forEach((name, each) -> copies.put(name, new LockWaits(each)));
		}
		List<RememberedAttempt> lasting = this.underWay.stream()
			.filter((each) -> now - each.since >= SECOND_NANOS)
			.toList();
		lasting.stream()
			.collect(Collectors.groupingBy((each) -> each.name,
					Collectors.summingLong((each) -> Math.min(now - each.since, LockWaits.REACH_NANOS))))
			.entrySet()
			.stream()
			.sorted(Map.Entry.<String, Long>comparingByValue().reversed())
			.limit(MAX_NAMES)
			.forEach((each) -> copies.computeIfAbsent(each.getKey(), LockWaits::new));
		for (RememberedAttempt each : lasting) {
			LockWaits found = copies.get(each.name);
			if (found != null) {
				found.addUnderWay(now, now - each.since);
			}
		}
		return copies.values()
			.stream()
			.sorted(Comparator.comparingLong(LockWaits::totalNanos).reversed())
			.limit(limit)
			.map(LockWaits::snapshot)
			.toList();
	}

	synchronized List<Incident> incidents() {
		return new ArrayList<>(this.incidents);
	}

	/**
	 * Whether a client tells of what it does.
	 */
	boolean isObserved(String clientId) {
		return this.trend.knows(clientId);
	}

	/**
	 * How many locks this process held, and how many callers waited.
	 */
	LockTrend.Values trend() {
		return this.trend.values();
	}

	private long now() {
		return this.nanoTime.getAsLong() - this.startedNanos;
	}

	/**
	 * A lost lock, a release by force or a deadlock.
	 *
	 * @param at when
	 * @param what the cause of a loss, in lower case, {@code released} or
	 * {@code deadlock}
	 * @param names the names of the locks
	 * @param token the fencing token that was lost, if one was
	 * @param by who released it by force through this application
	 */
	record Incident(Instant at, String what, List<String> names, @Nullable Long token, @Nullable String by) {
	}

	private final class RememberedAttempt implements Attempt {

		private final String name;

		private final long since;

		RememberedAttempt(String name, long since) {
			this.name = name;
			this.since = since;
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			LockActivity.this.underWay.remove(this);
			if (how != Acquisition.FIRST_ATTEMPT) {
				addWait(this.name, waitedNanos, false);
			}
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			LockActivity.this.underWay.remove(this);
			if (why != Failure.REFUSED) {
				addWait(this.name, waitedNanos, true);
			}
		}

	}

}
