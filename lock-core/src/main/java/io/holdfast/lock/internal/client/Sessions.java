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

package io.holdfast.lock.internal.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.MessageChannel;

/**
 * Shows the server four times in a grace that this client lives, while it uses locks, and
 * looks as often after the owners of those for which it waits. Nothing is known of a
 * server that does not answer: then owners here become unsure after the grace, and nobody
 * takes anything over. If connections died unnoticed, new ones are mostly there when half
 * of the grace is over. The other half is to get a session and tie what is held to it.
 */
final class Sessions {

	/** In place of a node: other questions may hang on connections that are dead. */
	private static final String OWN_SESSION = "own session";

	/** Longer than any look takes. */
	private static final long UNDER_WAY_NANOS = TimeUnit.HOURS.toNanos(1);

	private final LimitedLog logger = new LimitedLog(Sessions.class);

	private final LockRuntime runtime;

	private final long graceNanos;

	private final long quarterNanos;

	private final AtomicBoolean asking = new AtomicBoolean();

	/**
	 * When to look after the owners of a lock next, by its name, while somebody waits.
	 */
	private final Map<String, Long> looks = new ConcurrentHashMap<>();

	private volatile long askedNanos;

	private long subscriptions;

	/** Since when the client has the session that it has. */
	private volatile long sinceNanos;

	Sessions(LockRuntime runtime) {
		this.runtime = runtime;
		this.graceNanos = (runtime.channels.size() == 1) ? runtime.settings.takeoverAfter().toNanos() : 0;
		this.quarterNanos = this.graceNanos / 4;
		this.askedNanos = runtime.now() - this.graceNanos;
	}

	/**
	 * The server has said that a request waits.
	 */
	void waitsFor(String name) {
		if (this.graceNanos > 0) {
			this.looks.putIfAbsent(name, this.runtime.now() + this.quarterNanos);
		}
	}

	/**
	 * Does what is due, at each look of the watchdog.
	 */
	void look() {
		if (this.graceNanos == 0) {
			return;
		}
		MessageChannel channel = this.runtime.channels.get(0);
		long now = this.runtime.now();
		long made = channel.subscriptions();
		boolean used = !this.runtime.table.all().isEmpty() && now - this.askedNanos >= this.quarterNanos;
		if ((used || made != this.subscriptions) && this.asking.compareAndSet(false, true)) {
			this.subscriptions = made;
			this.askedNanos = now;
			execute(OWN_SESSION, () -> ask(channel), this::asked);
		}
		lookAfterOwners(channel, now);
	}

	private void asked() {
		this.asking.set(false);
		this.runtime.watchdog.dueAt(this.askedNanos + this.quarterNanos);
	}

	/**
	 * When the next look is due.
	 */
	long nextNanos(long latest) {
		long due = this.askedNanos + this.quarterNanos;
		boolean asks = this.graceNanos > 0 && !this.asking.get() && !this.runtime.table.all().isEmpty();
		long next = (asks && due - latest < 0) ? due : latest;
		for (long look : this.looks.values()) {
			next = (look - next < 0) ? look : next;
		}
		return next;
	}

	/**
	 * Not where renewals run: a look asks the server of each session, which may hang.
	 */
	private void execute(String node, Runnable task, Runnable last) {
		try {
			this.runtime.workers.questions.execute(node, () -> {
				try {
					task.run();
				}
				catch (LockServerException ex) {
					this.logger.debug("The server does not tell of sessions", ex);
				}
				finally {
					last.run();
				}
			});
		}
		catch (RuntimeException | Error ex) {
			last.run();
			throw ex;
		}
	}

	private void ask(MessageChannel channel) {
		long sent = this.runtime.now();
		if (this.runtime.context.session(channel.session(), sent)) {
			this.sinceNanos = this.runtime.now();
			for (LockState state : this.runtime.table.all()) {
				this.runtime.performer.tell(state, LockState::missedMessages);
			}
		}
	}

	/**
	 * Who has just lost its own session accuses nobody: maybe all have, and come back.
	 */
	private void lookAfterOwners(MessageChannel channel, long now) {
		// Not all locks, of which there may be many. None is forgotten: who puts a name
		// in waits already.
		boolean settled = this.runtime.context.session() != null && now - this.sinceNanos >= 2 * this.graceNanos;
		for (String name : this.looks.keySet()) {
			Long due = this.looks.computeIfPresent(name,
					(unused, at) -> !isWaitedFor(name) ? null : settled ? at : Long.valueOf(now + this.quarterNanos));
			if (due != null && now - due >= 0) {
				look(channel, name, now);
			}
		}
	}

	private boolean isWaitedFor(String name) {
		LockState state = this.runtime.table.find(name);
		return state != null && state.isWaitedFor();
	}

	private void look(MessageChannel channel, String name, long now) {
		// One at a time.
		this.looks.put(name, now + UNDER_WAY_NANOS);
		String key = this.runtime.settings.keys().lock(name);
		AtomicLong pause = new AtomicLong(this.quarterNanos);
		execute(this.runtime.server.nodeOf(key), () -> pause.set(TimeUnit.MILLISECONDS.toNanos(channel.look(key))),
				() -> {
					this.looks.put(name, this.runtime.now() + pause.get());
					this.runtime.watchdog.wake();
				});
	}

}
