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

package io.holdfast.lock.interceptor;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.holdfast.lock.Lease;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * The locked calls of an application that are under way, and the transactions that keep
 * locks. Its end waits for them, for as long as
 * {@code spring.lifecycle.timeout-per-shutdown-phase} says, before it closes its clients.
 * A thread that ends the application within such a call or a transaction, by closing the
 * context or by {@link System#exit}, is not waited for; others are. A call whose result
 * comes later is waited for all the same if it exits, or closes the context after its
 * method has returned. What is held for longer than its call is released then.
 */
final class RunningCalls implements SmartLifecycle {

	/** Clients are closed in the phase below. */
	static final int PHASE = 101;

	/*
	 * Why the callback runs once, and when no call is left: who stops sets it before it
	 * looks for calls, and a call is taken out before it looks for the callback.
	 */

	/** How many are under way of each owner. A lease that is forgotten is given back. */
	private final Map<Object, Integer> calls = Collections.synchronizedMap(new WeakHashMap<>());

	private final AtomicReference<@Nullable Runnable> whenNone = new AtomicReference<>();

	/**
	 * What is held for longer than its call, until a future completes.
	 */
	private final Map<Lease, CompletableFuture<Void>> kept = new ConcurrentHashMap<>();

	private volatile boolean running;

	private volatile boolean stopped;

	/** The thread that closes the application, and the leases under which it does. */
	private volatile Set<Object> closing = Set.of();

	/**
	 * Counts a call.
	 * @param owner the thread that is in it, or the lease if its result comes later
	 */
	void begin(Object owner) {
		this.calls.merge(owner, 1, Integer::sum);
	}

	void end(Object owner) {
		this.calls.computeIfPresent(owner, (same, count) -> (count > 1) ? count - 1 : null);
		tellIfNone();
	}

	/**
	 * Keeps a lock for the rest of its time, or until the application ends.
	 */
	void keep(Lease lease, long nanos) {
		begin(lease);
		CompletableFuture<Void> end = new CompletableFuture<>();
		this.kept.put(lease, end);
		CompletableFuture<?> unused = end.thenCompose((none) -> lease.closeAsync()).whenComplete((none, thrown) -> {
			this.kept.remove(lease);
			end(lease);
		});
		end.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
		if (this.stopped) {
			end.complete(null);
		}
	}

	private void tellIfNone() {
		if (this.whenNone.get() == null) {
			return;
		}
		synchronized (this.calls) {
			if (!this.calls.keySet().stream().allMatch(this::endsTheApplication)) {
				return;
			}
		}
		Runnable callback = this.whenNone.getAndSet(null);
		if (callback != null) {
			callback.run();
		}
	}

	private boolean endsTheApplication(Object owner) {
		return this.closing.contains(owner) || (owner instanceof Thread thread && Stream.of(thread.getStackTrace())
			.anyMatch((at) -> at.getClassName().equals(Runtime.class.getName()) && at.getMethodName().equals("exit")));
	}

	@Override
	public void start() {
		this.running = true;
		this.stopped = false;
	}

	@Override
	public void stop() {
		this.running = false;
		this.stopped = true;
		this.kept.values().forEach((end) -> end.complete(null));
	}

	@Override
	public void stop(Runnable callback) {
		stop();
		this.closing = Stream.concat(Stream.of(Thread.currentThread()), Held.all().stream().map(Held::lease))
			.collect(Collectors.toSet());
		this.whenNone.set(callback);
		tellIfNone();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
