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

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.server.ClientId;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.LockPage;
import io.holdfast.lock.internal.server.WaiterInfo;
import org.jspecify.annotations.Nullable;

/**
 * Reads the locks of all clients from Redis, and adds what only this client knows of its
 * own.
 */
final class ServerLockDirectory implements LockDirectory {

	private final LockRuntime runtime;

	ServerLockDirectory(LockRuntime runtime) {
		this.runtime = runtime;
	}

	@Override
	public Page list(@Nullable String cursor, int limit) {
		checkLimit(limit);
		this.runtime.checkOpen();
		LockPage found = this.runtime.server().list((cursor != null) ? cursor : "0", limit);
		List<HeldLock> held = found.keys().isEmpty() ? List.of()
				: this.runtime.server().describe(found.keys(), false).stream().map(this::describe).toList();
		return new Page(held, "0".equals(found.next()) ? null : found.next());
	}

	@Override
	public Optional<HeldLock> find(String name) {
		return held(name).map(this::describe);
	}

	@Override
	public List<QueuedWaiter> queue(String name, int limit) {
		checkLimit(limit);
		String key = this.runtime.keys().lock(name);
		this.runtime.checkOpen(name);
		List<QueuedWaiter> waiters = new ArrayList<>();
		for (WaiterInfo queued : this.runtime.server().waiters(key, limit)) {
			ClientId client = ClientId.parse(queued.client());
			waiters.add(new QueuedWaiter(waiters.size() + 1, queued.type(), client.text(), client.application(),
					client.host(), queued.alive()));
		}
		return waiters;
	}

	@Override
	public Optional<HeldLock> forceUnlock(String name) {
		// Only the hold that is told of: a later one is not what the operator saw.
		Optional<HeldLock> ended = held(name).map((held) -> Map.entry(held, describe(held)))
			.filter((each) -> this.runtime.server().evict(each.getKey().key(), each.getKey().id()))
			.map(Map.Entry::getValue);
		ended.ifPresent((lock) -> this.runtime.observers().forced(lock.name()));
		return ended;
	}

	private Optional<HoldInfo> held(String name) {
		String key = this.runtime.keys().lock(name);
		this.runtime.checkOpen(name);
		return this.runtime.server().describe(List.of(key), true).stream().findFirst();
	}

	private HeldLock describe(HoldInfo held) {
		String name = this.runtime.keys().nameOf(held.key());
		ClientId client = ClientId.parse(held.client());
		Grant own = this.runtime.engine().view().grant(held.key(), held.id());
		return new HeldLock(name, held.type(), client.text(), client.application(), client.host(),
				(own != null) ? own.threadName() : null, (own != null) ? own.token() : held.token(),
				Instant.ofEpochMilli(held.sinceMillis()), Duration.ofMillis(held.leftMillis()),
				(own != null) ? this.runtime.engine().view().countOf(own) : 1, held.waiters(),
				client.text().equals(this.runtime.settings().clientId()));
	}

	private static void checkLimit(int limit) {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new IllegalArgumentException("Limit must be between 1 and " + MAX_LIMIT + ": " + limit);
		}
	}

}
