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

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.internal.engine.Context;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.LockTable;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.notice.Observers;
import io.holdfast.lock.internal.operator.EngineView;
import io.holdfast.lock.internal.operator.HealthMonitor;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.MessageChannel;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.RequestIds;

/**
 * The parts of a client at work: the engine, the server, and the threads between them.
 */
public final class LockRuntime implements LockMessages {

	/**
	 * How long after it was sent a question may take effect: two command timeouts, within
	 * these bounds.
	 */
	private static final long LEAST_VALIDITY_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final long MOST_VALIDITY_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** Pauses between attempts where there is no queue. */
	private static final long LEAST_JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long MOST_JITTER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final String FAILED = "The lock client met an unexpected error, which ends the lock or the call that "
			+ "it hit. Look at the stack for what it lacks, mostly memory, stack or threads";

	final ClientSettings settings;

	final LockServer server;

	final Context context;

	final LockTable table;

	final List<MessageChannel> channels;

	final CallErrors errors = new CallErrors(this);

	final HoldTimes holdTimes = new HoldTimes();

	final Releaser releaser = new Releaser(this);

	final Losses losses = new Losses(this);

	final Performer performer = new Performer(this);

	final Observers observers;

	final EngineView view;

	final HealthMonitor health;

	final Outages outages = new Outages(this);

	final Workers workers;

	/** Sends for futures, and closes leases, where that blocks. */
	final Executor io = NodeExecutors.forFutures("holdfast-io-");

	/** Runs what users do when futures complete. */
	final Executor callbacks = NodeExecutors.forFutures("holdfast-callback-");

	final LookLog lookLog;

	final Sessions sessions;

	final Watchdog watchdog;

	private final LimitedLog failures = new LimitedLog(LockRuntime.class);

	final Shutdown shutdown = new Shutdown(this);

	/**
	 * Create the runtime, and what it needs.
	 * @param servers makes the server
	 * @param channels makes the channels through which the server tells of messages
	 */
	public LockRuntime(ClientSettings settings, Function<LockRuntime, LockServer> servers,
			Function<LockRuntime, List<MessageChannel>> channels) {
		this.settings = settings;
		this.observers = new Observers(settings.observers());
		this.server = servers.apply(this);
		long commandNanos = this.server.commandTimeout().toNanos();
		// No longer than close() waits for what may still come.
		long validityNanos = Math.max(LEAST_VALIDITY_NANOS, Math.min(2 * commandNanos, MOST_VALIDITY_NANOS));
		Context.Settings engine = new Context.Settings(settings.watchdogTimeout().toMillis(),
				settings.waiterTimeout().toNanos(), commandNanos, validityNanos, settings.maxLocalHandoffs(),
				this.server.queues(), settings.takeoverAfter().toNanos());
		this.context = new Context(engine, settings.keys()::lock, RequestIds::next,
				() -> ThreadLocalRandom.current().nextLong(LEAST_JITTER_NANOS, MOST_JITTER_NANOS));
		this.table = new LockTable(this.context);
		this.channels = channels.apply(this);
		this.view = new EngineView(settings.clientId(), this.context, this.table, this.channels, settings.nanoTime());
		this.health = new HealthMonitor(this.view, this.server::nodeOf);
		this.workers = new Workers(this);
		this.lookLog = new LookLog(this, this.view);
		this.sessions = new Sessions(this);
		this.watchdog = new Watchdog(this);
	}

	/** Starts its threads. */
	public void start() {
		try {
			this.observers.started(this.view);
			this.channels.forEach(MessageChannel::open);
			this.watchdog.start();
		}
		catch (RuntimeException | Error ex) {
			this.shutdown.close();
			throw ex;
		}
	}

	long now() {
		return this.settings.nanoTime().getAsLong();
	}

	LockState stateOf(String key) {
		return this.table.of(this.settings.keys().nameOf(key));
	}

	/** Of a quorum each server tells all, so a majority is enough. */
	boolean hearsMessages() {
		long deaf = this.channels.stream().filter((channel) -> !channel.hears()).count();
		return deaf == 0 || 2 * deaf < this.channels.size();
	}

	// What happens

	@Override
	public void granted(String key, String id, long leftMillis, long token, long last, boolean awaited) {
		Reply message = new Reply(Reply.Word.HOLDS, leftMillis, token, last, awaited, 0, null);
		this.performer.tell(stateOf(key), (state, now) -> state.granted(id, message, now));
	}

	@Override
	public void awaited(String key, String id) {
		this.performer.tell(stateOf(key), (state, now) -> state.awaited(id, now));
	}

	@Override
	public void forced(String key, String id) {
		this.performer.tell(stateOf(key), (state, now) -> state.forced(id, now));
	}

	@Override
	public void missedMessages() {
		this.watchdog.missedMessages();
	}

	/** Never throws: who calls it has to go on, and there may be no memory to tell. */
	void failed(Throwable thrown) {
		try {
			this.failures.error(FAILED, thrown);
		}
		catch (Throwable ex) {
			// The next one is told, too.
		}
	}

	/**
	 * Sees that calls are taken.
	 * @throws LockClientClosedException if they are not
	 */
	void checkOpen(String name) {
		if (this.context.isClosed()) {
			throw new LockClientClosedException(name);
		}
	}

}
