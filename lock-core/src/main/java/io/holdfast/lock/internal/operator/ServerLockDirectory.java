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

package io.holdfast.lock.internal.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LockState;
import io.holdfast.lock.internal.engine.LockView;
import io.holdfast.lock.internal.engine.LockView.Held;
import io.holdfast.lock.internal.engine.Waiter;
import io.holdfast.lock.internal.protocol.ClientId;
import io.holdfast.lock.internal.protocol.HoldInfo;
import io.holdfast.lock.internal.protocol.LockKeys;
import io.holdfast.lock.internal.protocol.ServerDirectory;
import io.holdfast.lock.internal.protocol.WaiterInfo;
import org.jspecify.annotations.Nullable;

/**
 * Reads the locks of all clients from the server, and adds what only this client knows of
 * its own.
 *
 * @param view what this client knows
 * @param server what operators ask
 * @param keys how names become keys
 * @param clientId this client
 * @param open throws if the client is closed, and gets the name of the lock
 * @param forced is told which lock was released by force
 */
public record ServerLockDirectory(EngineView view, ServerDirectory server, LockKeys keys, String clientId,
		Consumer<String> open, Consumer<String> forced) implements LockDirectory {

	/*
	 * Why a release by force under a token ends the hold of that owner or none. The
	 * server ends a hold by the id of its request, and inside a client one request may
	 * serve several owners, one after another. So the request is pinned before the token
	 * is compared: from then on its hold is never passed on inside this client, and an
	 * owner that releases it gives it back to the server, after which the id ends
	 * nothing, however late the server comes to it. Readers that hold together share
	 * their token, and end together.
	 *
	 * What remains: a hold of another client may be passed on there meanwhile. Which of
	 * the tokens of its hold its owner has is not known here.
	 */

	@Override
	public Page list(@Nullable String cursor, int limit, Filter filter) {
		checkLimit(limit);
		this.open.accept("");
		return new LockListing(this.server, this.view.nanoTime(), this::describe).page(cursor, limit, filter);
	}

	@Override
	public List<HeldLock> holders(String name) {
		return describe(held(name));
	}

	@Override
	public List<QueuedWaiter> queue(String name, int limit) {
		checkLimit(limit);
		String key = this.keys.lock(name);
		this.open.accept(name);
		List<WaiterInfo> queued = this.server.waiters(key, limit);
		// One that has gone from the queue to a hold meanwhile is told of once.
		Set<String> placed = queued.stream().map(WaiterInfo::id).collect(Collectors.toSet());
		List<WaiterInfo> waiters = new ArrayList<>();
		Map<String, LockView.Queue> own = new HashMap<>();
		for (LockView.Queue each : this.view.lock(name).queues()) {
			own.put(each.id(), each);
			if (!each.queued() && !placed.contains(each.id())) {
				waiters.add(new WaiterInfo(true, each.wish(), this.clientId, each.id()));
			}
		}
		waiters.addAll(queued);
		return IntStream.range(0, Math.min(limit, waiters.size()))
			.mapToObj((i) -> describe(i + 1, waiters.get(i), own.get(waiters.get(i).id()), limit))
			.toList();
	}

	private static QueuedWaiter describe(int position, WaiterInfo queued, LockView.@Nullable Queue own, int threads) {
		ClientId client = new ClientId(queued.client());
		List<Waiter> waiters = (own != null) ? own.waiters() : List.of();
		return new QueuedWaiter(position, queued.wish().fair(), queued.wish().mode(), client.text(),
				client.application(), client.host(), queued.alive(), Math.max(1, waiters.size()),
				waiters.stream().limit(threads).map(Waiter::threadName).toList());
	}

	@Override
	public Optional<HeldLock> forceUnlock(String name) {
		List<HoldInfo> holds = held(name);
		boolean all = holds.stream().allMatch((each) -> each.holders() == holds.size());
		return evict(holds, all ? holds.stream().map(HoldInfo::id).toList() : List.of());
	}

	@Override
	public Optional<HeldLock> forceUnlock(String name, long token) {
		List<HoldInfo> holds = held(name).stream().filter((each) -> mayHave(token, each)).toList();
		if (holds.isEmpty() || holds.get(0).wish().isShared()) {
			return evict(holds, List.of(Long.toString(token)));
		}
		String id = holds.get(0).id();
		LockState state = this.view.table().find(name);
		if (state == null) {
			return evict(holds, List.of(id));
		}
		// Else its owner could pass it on, and another one would lose it. The server may
		// come to that late, so this is never undone.
		state.pin(id);
		Grant own = grants(state.view(), id).map(Held::grant).findFirst().orElse(null);
		return (own == null || own.token() == token) ? evict(holds, List.of(id)) : Optional.empty();
	}

	private static boolean mayHave(long token, HoldInfo held) {
		return held.token() == token || (!held.wish().isShared() && held.token() < token && token <= held.lastToken());
	}

	/**
	 * Ends the holds that are told of, and no later ones: those are not what the operator
	 * saw.
	 */
	private Optional<HeldLock> evict(List<HoldInfo> holds, List<String> which) {
		Optional<HeldLock> seen = describe(holds).stream().findFirst();
		if (seen.isEmpty() || this.server.evict(holds.get(0).key(), which) == 0) {
			return Optional.empty();
		}
		this.forced.accept(seen.get().name());
		return seen;
	}

	private List<HoldInfo> held(String name) {
		String key = this.keys.lock(name);
		this.open.accept(name);
		return this.server.describe(List.of(key), true);
	}

	private List<HeldLock> describe(List<HoldInfo> holds) {
		return holds.stream().map(this::describe).sorted(Comparator.comparing(HeldLock::since)).toList();
	}

	private HeldLock describe(HoldInfo held) {
		String name = this.keys.nameOf(held.key());
		ClientId client = new ClientId(held.client());
		LockView local = this.view.lock(name);
		Held own = grants(local, held.id()).findFirst().orElse(null);
		Grant grant = (own != null) ? own.grant() : null;
		long serverMillis = held.sinceMillis() + held.ageMillis();
		long age = (grant != null) ? TimeUnit.NANOSECONDS.toMillis(this.view.now() - grant.sinceNanos())
				: held.ageMillis();
		// The token of readers is that of the first of them, of whatever client.
		long first = held.wish().isShared() ? held.sinceMillis() : TimeUnit.MICROSECONDS.toMillis(held.token());
		return new HeldLock(name, held.wish().fair(), held.wish().mode(), client.text(), client.application(),
				client.host(), (grant != null) ? grant.threadName() : null,
				(grant != null) ? grant.token() : held.token(), Instant.ofEpochMilli(serverMillis - age),
				Duration.ofMillis(age), Duration.ofMillis(Math.max(age, serverMillis - first)),
				Duration.ofMillis(held.leftMillis()),
				(held.renewedMillis() > 0) ? Duration.ofMillis(held.renewedMillis()) : null,
				(own != null) ? own.count() : 1, held.waiters() + withoutPlace(local), held.holders(),
				held.unitsInUse(), client.text().equals(this.clientId));
	}

	/**
	 * What owners of this client have of a hold: of readers those who have it for the
	 * longest come first.
	 */
	private static Stream<Held> grants(LockView lock, String id) {
		return lock.holds().stream().filter((each) -> each.grant().requestId().equals(id));
	}

	/**
	 * How many callers of this client wait that the queue of the server does not count.
	 */
	private static long withoutPlace(LockView lock) {
		return lock.queues()
			.stream()
			.mapToLong((each) -> each.queued() ? each.waiters().size() - 1 : each.waiters().size())
			.sum();
	}

	private static void checkLimit(int limit) {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new IllegalArgumentException("Limit must be between 1 and " + MAX_LIMIT + ": " + limit);
		}
	}

}
