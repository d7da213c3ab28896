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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.LockMessages;
import io.holdfast.lock.internal.protocol.LockPage;
import io.holdfast.lock.internal.protocol.LockServer;
import io.holdfast.lock.internal.protocol.Reply;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import io.holdfast.lock.internal.protocol.ServerSettings;
import io.holdfast.lock.internal.protocol.WaiterInfo;

/**
 * What one client asks of a {@link LockMemory}. It never fails, and has answered when a
 * method returns.
 */
public final class MemoryLockServer implements LockServer, ServerDirectory {

	private static final String ENDS = "0";

	private final LockMemory memory;

	private final ServerSettings settings;

	private final LongSupplier nanoTime;

	/**
	 * Create the server of a client.
	 * @param nanoTime the client's monotonic clock
	 * @param messages who is told of what concerns the client, on the thread of whoever
	 * causes it; its methods return at once and throw nothing
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
	public CompletableFuture<Reply> send(Command command) {
		return CompletableFuture.completedFuture(call(command.key(), (lock, call) -> lock.execute(call, command)));
	}

	@Override
	public List<CompletableFuture<Reply>> sendTogether(List<? extends Command> commands) {
		return commands.stream().map(this::send).toList();
	}

	@Override
	public Duration commandTimeout() {
		return Duration.ofSeconds(1);
	}

	@Override
	public ServerDirectory directory() {
		return this;
	}

	@Override
	public void close() {
		this.memory.unregister(this.settings.clientId());
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
		return keys.stream().flatMap((key) -> call(key, (lock, call) -> lock.describe(call)).stream()).toList();
	}

	@Override
	public List<WaiterInfo> waiters(String key, int limit) {
		return call(key, (lock, call) -> lock.waiters(call, limit));
	}

	@Override
	public int evict(String key, List<String> ids) {
		return call(key, (lock, call) -> lock.evict(call, ids));
	}

}
