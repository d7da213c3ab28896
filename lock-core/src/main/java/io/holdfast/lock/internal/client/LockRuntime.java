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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.holdfast.lock.internal.engine.EngineHost;
import io.holdfast.lock.internal.engine.LockEngine;
import io.holdfast.lock.internal.engine.LossNotice;
import io.holdfast.lock.internal.engine.PendingReleases;
import io.holdfast.lock.internal.server.LimitedLog;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.LogQueue;
import io.holdfast.lock.internal.server.MessageChannel;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a client at work: the engine, the server, and the threads between them.
 */
public final class LockRuntime implements EngineHost {

	/**
	 * How much longer the end of a client may take than two calls. Half of it is for what
	 * comes after the releases.
	 */
	private static final long EXTRA_NANOS = TimeUnit.SECONDS.toNanos(2);

	private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final ClientSettings settings;

	private final PendingReleases pending;

	private final LockEngine engine;

	private final LockServer server;

	private final List<MessageChannel> channels;

	private final Releaser releaser;

	private final CallErrors errors = new CallErrors(this);

	private final LossNotifier notifier;

	private final Observers observers;

	private final RuntimeState state = new RuntimeState(this);

	private final RenewalSender renewals;

	private final PendingReleaseSender pendingReleases;

	/**
	 * Whether it has the thread that logs.
	 */
	private final AtomicBoolean logs = new AtomicBoolean();

	private final HealthMonitor health;

	private final LimitedLog failures = new LimitedLog(LockRuntime.class);

	private final AtomicReference<@Nullable Thread> closer = new AtomicReference<>();

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Watchdog watchdog;

	/**
	 * Create the runtime, and what it needs.
	 * @param servers makes the server
	 * @param channels makes the channels through which the server tells of messages
	 */
	public LockRuntime(ClientSettings settings, Function<LockRuntime, LockServer> servers,
			Function<LockRuntime, List<MessageChannel>> channels) {
		this.settings = settings;
		this.observers = new Observers(settings.observers());
		this.notifier = new LossNotifier(this.observers);
		this.pending = new PendingReleases(settings.nanoTime(), this::nodeOf);
		this.engine = new LockEngine(settings.engine(), settings.keys(), this.pending, this);
		this.server = servers.apply(this);
		this.channels = channels.apply(this);
		this.health = new HealthMonitor(this);
		this.releaser = new Releaser(this);
		this.renewals = new RenewalSender(this);
		this.pendingReleases = new PendingReleaseSender(this.pending, this.server);
		this.watchdog = new Watchdog(this, this.renewals, this.pendingReleases);
		this.pending.onAdd(this::wakeWatchdog);
	}

	private String nodeOf(String key) {
		return this.server.topology().nodeOf(key);
	}

	@Override
	public long nanoTime() {
		return this.settings.nanoTime().getAsLong();
	}

	@Override
	public boolean hearsMessages() {
		return this.channels.stream().allMatch(MessageChannel::hears);
	}

	@Override
	public void lost(LossNotice notice) {
		this.notifier.lost(notice);
	}

	@Override
	public void failed(Throwable thrown) {
		this.health.failed(thrown);
		this.failures.error("The lock client met an unexpected error, which ends the lock or the call that it hit"
				+ ((this.engine.broken() != null) ? ", and the client" : "")
				+ ". Look at the stack for what it lacks, mostly memory, stack or threads", thrown);
	}

	@Override
	public void wakeWatchdog() {
		this.watchdog.wake();
	}

	/**
	 * Starts its threads.
	 */
	public void start() {
		LogQueue.open();
		this.logs.set(true);
		try {
			this.notifier.start();
			this.observers.start();
			this.observers.started(this.state);
			this.channels.forEach(MessageChannel::open);
			this.watchdog.start();
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	ClientSettings settings() {
		return this.settings;
	}

	LockKeys keys() {
		return this.settings.keys();
	}

	/**
	 * The engine.
	 */
	public LockEngine engine() {
		return this.engine;
	}

	/**
	 * Where releases go that have to wait.
	 */
	public PendingReleases pendingReleases() {
		return this.pending;
	}

	/**
	 * The server.
	 */
	public LockServer server() {
		return this.server;
	}

	List<MessageChannel> channels() {
		return this.channels;
	}

	Observers observers() {
		return this.observers;
	}

	HealthMonitor health() {
		return this.health;
	}

	/**
	 * Who is told of messages.
	 */
	public LockMessages messages() {
		return this.engine.messages();
	}

	/**
	 * Runs a task that calls a server and for which nobody waits, where renewals run.
	 * Throws whatever keeps a thread from starting.
	 * @param node the server that it calls
	 */
	void executeInBackground(String node, Runnable task) {
		this.renewals.execute(node, task);
	}

	CallErrors errors() {
		return this.errors;
	}

	Releaser releaser() {
		return this.releaser;
	}

	/**
	 * Refuses a call if the client is closed.
	 * @param name the lock; empty if it is for no certain one
	 */
	void checkOpen(String name) {
		if (this.engine.isClosed()) {
			throw this.errors.closed(name);
		}
	}

	/**
	 * Ends it, once. A thread that closes while it closes, as an observer may, does not
	 * wait for itself.
	 */
	void close() {
		if (this.closer.compareAndSet(null, Thread.currentThread())) {
			try {
				end();
			}
			finally {
				this.closed.countDown();
			}
		}
		else if (this.closer.get() != Thread.currentThread()) {
			try {
				this.closed.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Releases everything and ends the threads, in a bounded time. A caller whose command
	 * is on its way gives up what the answer brings, which this waits for. Observers are
	 * told of what was lost.
	 */
	private void end() {
		long end = System.nanoTime() + 2 * this.server.longestRequest().toNanos() + EXTRA_NANOS;
		this.observers.stopped(this.state);
		this.watchdog.stop();
		this.engine.close();
		await(end - EXTRA_NANOS / 2, () -> {
			this.pendingReleases.sendAll();
			return this.engine.view().isQuiet() && this.pending.isDone();
		});
		this.pendingReleases.close();
		this.renewals.close();
		this.notifier.close();
		this.channels.forEach(MessageChannel::close);
		this.server.close();
		this.observers.look();
		await(end, () -> LogQueue.isDone() && this.observers.isDone());
		this.observers.close();
		if (this.logs.getAndSet(false)) {
			LogQueue.close();
		}
	}

	/**
	 * Sends what an owner has given back that was at work when the client was closed,
	 * through the application's connections once those of the client are gone. To get one
	 * may take any time, so a thread of its own does that, for which the owner waits as
	 * long as two calls take. Another thread may have what is to be sent to the same
	 * server, so it goes on until nothing is left to send.
	 */
	void releaseLate() {
		if (!this.engine.isClosed()) {
			return;
		}
		this.pending.close();
		long end = System.nanoTime() + 2 * this.server.longestRequest().toNanos();
		Thread sender = new Thread(() -> await(end, () -> {
			this.pendingReleases.sendNow();
			return this.pending.isDone();
		}), "holdfast-late-release");
		sender.setDaemon(true);
		sender.start();
		await(end, () -> !sender.isAlive());
	}

	private void await(long untilNanos, BooleanSupplier condition) {
		boolean interrupted = false;
		while (!condition.getAsBoolean() && System.nanoTime() - untilNanos < 0) {
			LockSupport.parkNanos(this, LOOK_NANOS);
			interrupted |= Thread.interrupted();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
