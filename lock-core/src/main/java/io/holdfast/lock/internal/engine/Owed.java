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

package io.holdfast.lock.internal.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Command.Ask;
import io.holdfast.lock.internal.protocol.Command.Release;
import org.jspecify.annotations.Nullable;

/**
 * What this client still has to give back. A request is owed before anything about it is
 * sent, and crossed off by the answer to a release that was sent when no question of that
 * request could still run. Ids are never used twice and a release may run any number of
 * times, so it does not matter who sends it. Thread-safe.
 */
public final class Owed {

	/** For how long it is tried at least, however soon the hold ends. */
	private static final long LEAST_NANOS = 120_000_000_000L;

	private final Context context;

	/** Guarded by the monitor of this object. */
	private final Map<String, Entry> entries = new HashMap<>();

	Owed(Context context) {
		this.context = context;
	}

	/**
	 * Owes what a request may have. Whoever calls this sends the release; if no answer is
	 * told, a worker does so once more.
	 * @param doubtfulUntil until when a question may still run
	 * @param doubtfulBefore the same without the one that is under way
	 */
	synchronized void add(Release release, long until, long doubtfulUntil, long doubtfulBefore, boolean underWay,
			long now) {
		Entry entry = new Entry(release);
		entry.until = Context.later(until, now + LEAST_NANOS);
		entry.doubtfulUntil = doubtfulUntil;
		entry.doubtfulBefore = doubtfulBefore;
		entry.underWay = underWay;
		entry.due = now + 2 * this.context.settings.commandNanos();
		this.entries.put(release.id(), entry);
	}

	/**
	 * A release was answered.
	 * @param sentNanos when it was sent
	 */
	synchronized void answered(String id, long sentNanos) {
		Entry entry = this.entries.get(id);
		if (entry == null || (entry.outcome != Context.NEVER && sentNanos - entry.outcome < 0)) {
			// What crossed the question is sent again.
			return;
		}
		entry.answered = true;
		if (entry.doubtfulUntil != Context.NEVER && sentNanos - entry.doubtfulUntil < 0) {
			entry.due = entry.doubtfulUntil;
		}
		else {
			this.entries.remove(id);
		}
	}

	/**
	 * A command was not answered, or refused: a release, or maybe a question of a request
	 * that was given up.
	 */
	synchronized void failed(Command command, long now) {
		Entry entry = this.entries.get(command.id());
		if (entry != null && command instanceof Release) {
			entry.retry = Math.min(Math.max(2 * entry.retry, Context.Settings.RETRY_NANOS), LEAST_NANOS / 12);
			entry.due = now + entry.retry;
		}
		else if (entry != null) {
			entry.underWay = false;
		}
	}

	/**
	 * A question of a request that was given up was answered.
	 * @param has whether the request has something now
	 * @return the release that gives it back, to be sent at once
	 */
	synchronized @Nullable Release answered(Ask asked, boolean has, long now) {
		if (has && !this.entries.containsKey(asked.id())) {
			add(new Release(asked.key(), asked.id(), 0, null),
					now + this.context.settings.unheardNanos(asked.leaseMillis()), Context.NEVER, Context.NEVER, false,
					now);
		}
		Entry entry = this.entries.get(asked.id());
		if (entry == null) {
			return null;
		}
		entry.underWay = false;
		if (asked.notAfterNanos() == entry.doubtfulUntil) {
			entry.doubtfulUntil = entry.doubtfulBefore;
		}
		if (has) {
			entry.outcome = now;
			entry.answered = false;
			entry.retry = 0;
			return release(entry, now);
		}
		if (entry.answered && entry.doubtfulUntil == Context.NEVER) {
			this.entries.remove(asked.id());
		}
		return null;
	}

	private Release release(Entry entry, long now) {
		entry.due = now + 2 * this.context.settings.commandNanos();
		return entry.release;
	}

	/**
	 * Has all that was not answered sent once more, as the client is being closed.
	 */
	public synchronized void hurry(long now) {
		this.entries.values().stream().filter((entry) -> !entry.answered).forEach((entry) -> {
			entry.due = now;
			entry.retry = 0;
		});
	}

	/**
	 * Whether nothing is under way, or may be. What has failed twice is not waited for.
	 */
	public synchronized boolean isQuiet() {
		return this.entries.values()
			.stream()
			.noneMatch((entry) -> entry.underWay || entry.answered || entry.retry <= Context.Settings.RETRY_NANOS);
	}

	/**
	 * Takes what is due. Each is due again if it is not answered.
	 */
	public synchronized List<Release> due(long now, int most) {
		List<Release> due = new ArrayList<>();
		for (var all = this.entries.values().iterator(); all.hasNext() && due.size() < most;) {
			Entry entry = all.next();
			if (Context.isReached(entry.until, now)) {
				all.remove();
			}
			else if (Context.isReached(entry.due, now)) {
				due.add(release(entry, now));
			}
		}
		return due;
	}

	/**
	 * When something is due.
	 */
	public synchronized long nextNanos(long latest) {
		long next = latest;
		for (Entry entry : this.entries.values()) {
			next = (entry.due - next < 0) ? entry.due : next;
		}
		return next;
	}

	/**
	 * How many releases were not answered, or refused, and are tried again.
	 */
	public synchronized int failed() {
		return (int) this.entries.values().stream().filter((entry) -> entry.retry > 0 && !entry.answered).count();
	}

	public synchronized int size() {
		return this.entries.size();
	}

	/**
	 * What is owed for one request. Guarded by the monitor of {@link Owed}.
	 */
	static final class Entry {

		private final Release release;

		private long until;

		private long doubtfulUntil;

		private long doubtfulBefore;

		private long due;

		private long retry;

		private boolean underWay;

		/** When its question was answered, if that was after it was given up. */
		private long outcome = Context.NEVER;

		private boolean answered;

		Entry(Release release) {
			this.release = release;
		}

	}

}
