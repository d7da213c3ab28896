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

package io.holdfast.lock.internal.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockMessages;
import io.holdfast.lock.internal.server.LockPage;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.LockServer;
import io.holdfast.lock.internal.server.Outcome;
import io.holdfast.lock.internal.server.ReleaseCommand;
import io.holdfast.lock.internal.server.ReleaseReply;
import io.holdfast.lock.internal.server.Renewal;
import io.holdfast.lock.internal.server.ServerSettings;
import io.holdfast.lock.internal.server.Topology;
import io.holdfast.lock.internal.server.WaiterInfo;

/**
 * What one client asks of a {@link LockMemory}. It never fails.
 */
public final class MemoryLockServer implements LockServer {

	private static final String ENDS = "0";

	private final LockMemory memory;

	private final ServerSettings settings;

	private final LongSupplier nanoTime;

	/**
	 * Create the server of a client.
	 * @param nanoTime the client's monotonic clock
	 * @param messages who is told of what concerns the client; its methods return at once
	 * and throw nothing
	 */
	public MemoryLockServer(LockMemory memory, ServerSettings settings, LongSupplier nanoTime, LockMessages messages) {
		this.memory = memory;
		this.settings = settings;
		this.nanoTime = nanoTime;
		memory.register(settings.clientId(), messages);
	}

	private <T> T call(String key, BiFunction<MemoryLock, MemoryCall, T> task) {
		return this.memory.call(key, this.settings, this.nanoTime.getAsLong(), task);
	}

	@Override
	public LockReply acquire(String key, AcquireCommand command, boolean waits, long deadlineNanos) {
		// It arrives at once.
		return acquireBefore(key, command, waits, Long.MAX_VALUE);
	}

	/**
	 * Asks for the lock by a command that was on its way for a while.
	 * @param notAfterMillis server time after which nothing new may be done
	 */
	public LockReply acquireBefore(String key, AcquireCommand command, boolean waits, long notAfterMillis) {
		long notAfter = command.again() ? 0 : notAfterMillis;
		return call(key, (lock, call) -> lock.acquire(call, command, waits, notAfter));
	}

	@Override
	public ReleaseReply release(String key, ReleaseCommand command) {
		return call(key, (lock, call) -> lock.release(call, command));
	}

	@Override
	public List<LockReply> renew(List<Renewal> renewals) {
		return renewals.stream().map((each) -> call(each.key(), (lock, call) -> lock.renew(call, each))).toList();
	}

	@Override
	public List<Outcome<List<LockReply>>> renewEach(List<List<Renewal>> groups) {
		List<Outcome<List<LockReply>>> outcomes = new ArrayList<>(groups.size());
		groups.forEach((group) -> outcomes.add(new Outcome<>(renew(group), null)));
		return outcomes;
	}

	@Override
	public boolean evict(String key, String id) {
		return call(key, (lock, call) -> lock.evict(call, id));
	}

	/**
	 * Goes through the keys in order: the cursor is the last one of a page.
	 */
	@Override
	public LockPage list(String cursor, int count, String namePrefix) {
		String prefix = this.settings.keys().lockPrefix() + namePrefix;
		if (!ENDS.equals(cursor) && !cursor.startsWith(prefix)) {
			throw new IllegalArgumentException("Not a cursor of a page: " + cursor);
		}
		List<String> found = this.memory.keys(prefix, ENDS.equals(cursor) ? null : cursor, count);
		return new LockPage((found.size() < count) ? ENDS : found.get(count - 1), found);
	}

	@Override
	public List<HoldInfo> describe(List<String> keys, boolean strict) {
		return keys.stream()
			.map((key) -> call(key, (lock, call) -> Optional.ofNullable(lock.describe(call))))
			.flatMap(Optional::stream)
			.toList();
	}

	@Override
	public List<WaiterInfo> waiters(String key, int limit) {
		return call(key, (lock, call) -> lock.waiters(call, limit));
	}

	/**
	 * Sends nothing: what this client is told arrives.
	 */
	@Override
	public boolean echo(String key) {
		return true;
	}

	@Override
	public Topology topology() {
		return Topology.ONE_NODE;
	}

	@Override
	public void close() {
		this.memory.unregister(this.settings.clientId());
	}

}
