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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.holdfast.lock.LockDirectory;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LocalWaiters;
import io.holdfast.lock.internal.engine.LocalWaiters.Place;
import io.holdfast.lock.internal.server.ClientId;
import io.holdfast.lock.internal.server.HoldInfo;
import io.holdfast.lock.internal.server.WaiterInfo;
import org.jspecify.annotations.Nullable;

/**
 * Reads the locks of all clients from Redis, and adds what only this client knows of its
 * own.
 */
final class ServerLockDirectory implements LockDirectory {

	/*
	 * Why a release by force under a token ends the hold of that owner or none. The
	 * server ends a hold by the id of its request, and inside a client one request may
	 * serve several owners, one after another. So the request is pinned before the token
	 * is compared: from then on its hold is not passed on inside this client, and an
	 * owner that releases it gives it back to the server, after which the id ends
	 * nothing.
	 *
	 * What remains: a hold of another client may be passed on there meanwhile. Which of
	 * the tokens of its hold its owner has is not known here.
	 */

	private final LockRuntime runtime;

	ServerLockDirectory(LockRuntime runtime) {
		this.runtime = runtime;
	}

	@Override
	public Page list(@Nullable String cursor, int limit, Filter filter) {
		checkLimit(limit);
		this.runtime.checkOpen("");
		LockListing listing = new LockListing(this.runtime, this::describe, filter, limit);
		return ask(() -> listing.from((cursor != null) ? cursor : "0"));
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
		List<WaiterInfo> places = ask(() -> this.runtime.server().waiters(key, limit));
		Map<String, LocalWaiters> own = new LinkedHashMap<>();
		this.runtime.engine().view().waiting(name, limit).forEach((each) -> own.put(each.id(), each));
		List<QueuedWaiter> waiters = new ArrayList<>();
		// One that has gone from the queue to a hold meanwhile is told of once.
		Set<String> placed = places.stream().map(WaiterInfo::id).collect(Collectors.toSet());
		Predicate<LocalWaiters> notPlaced = (each) -> !placed.contains(each.id());
		addOwn(waiters, own, notPlaced.and((each) -> each.place() == Place.HOLD));
		places.forEach((each) -> add(waiters, each, own.get(each.id())));
		addOwn(waiters, own, notPlaced.and((each) -> each.place() == Place.NONE));
		return List.copyOf(waiters.subList(0, Math.min(limit, waiters.size())));
	}

	private void addOwn(List<QueuedWaiter> waiters, Map<String, LocalWaiters> own, Predicate<LocalWaiters> condition) {
		String client = this.runtime.settings().clientId();
		own.values()
			.stream()
			.filter(condition)
			.forEach((each) -> add(waiters, new WaiterInfo(true, each.type(), client, each.id()), each));
	}

	private static void add(List<QueuedWaiter> waiters, WaiterInfo queued, @Nullable LocalWaiters own) {
		ClientId client = ClientId.parse(queued.client());
		waiters
			.add(new QueuedWaiter(waiters.size() + 1, queued.type(), client.text(), client.application(), client.host(),
					queued.alive(), (own != null) ? own.count() : 1, (own != null) ? own.threads() : List.of()));
	}

	@Override
	public Optional<HeldLock> forceUnlock(String name) {
		return held(name).flatMap(this::evict);
	}

	@Override
	public Optional<HeldLock> forceUnlock(String name, long token) {
		return held(name).flatMap((held) -> evict(held, token));
	}

	private Optional<HeldLock> evict(HoldInfo held, long token) {
		// Else its owner could pass it on meanwhile, and another thread would lose it.
		this.runtime.engine().pin(held.id());
		try {
			return isUnder(token, held) ? evict(held) : Optional.empty();
		}
		finally {
			this.runtime.engine().unpin(held.id());
		}
	}

	/**
	 * Whether the owner has this token. Of a hold of another client it is not known which
	 * of its tokens that is. One of this client that has no owner now, but had one, will
	 * have one with another token.
	 */
	private boolean isUnder(long token, HoldInfo held) {
		Grant own = grant(held);
		if (own != null) {
			return own.token() == token;
		}
		return held.token() <= token && token <= held.lastToken()
				&& !this.runtime.engine().view().hadOwner(held.key(), held.id());
	}

	/**
	 * Ends the hold that is told of, and no later one: that is not what the operator saw.
	 */
	private Optional<HeldLock> evict(HoldInfo held) {
		HeldLock seen = describe(held);
		if (!ask(() -> this.runtime.server().evict(held.key(), held.id()))) {
			return Optional.empty();
		}
		this.runtime.observers().forced(seen.name());
		return Optional.of(seen);
	}

	private Optional<HoldInfo> held(String name) {
		String key = this.runtime.keys().lock(name);
		this.runtime.checkOpen(name);
		return ask(() -> this.runtime.server().describe(List.of(key), true)).stream().findFirst();
	}

	private <T> T ask(Supplier<T> question) {
		try {
			return question.get();
		}
		catch (LockServerException ex) {
			throw this.runtime.errors().notAnswered(ex);
		}
	}

	private HeldLock describe(HoldInfo held) {
		String name = this.runtime.keys().nameOf(held.key());
		ClientId client = ClientId.parse(held.client());
		Grant own = grant(held);
		long serverMillis = held.sinceMillis() + held.ageMillis();
		long age = (own != null) ? TimeUnit.NANOSECONDS.toMillis(this.runtime.nanoTime() - own.sinceNanos())
				: held.ageMillis();
		long clientAge = Math.max(age, serverMillis - TimeUnit.MICROSECONDS.toMillis(held.token()));
		return new HeldLock(name, held.type(), client.text(), client.application(), client.host(),
				(own != null) ? own.threadName() : null, (own != null) ? own.token() : held.token(),
				Instant.ofEpochMilli(serverMillis - age), Duration.ofMillis(age), Duration.ofMillis(clientAge),
				Duration.ofMillis(held.leftMillis()), (own != null) ? this.runtime.engine().view().countOf(own) : 1,
				held.waiters() + withoutPlace(name), client.text().equals(this.runtime.settings().clientId()));
	}

	private @Nullable Grant grant(HoldInfo held) {
		return this.runtime.engine().view().grant(held.key(), held.id());
	}

	/**
	 * How many callers of this client wait that the queue of the server does not count.
	 */
	private long withoutPlace(String name) {
		return this.runtime.engine()
			.view()
			.waiting(name, 0)
			.stream()
			.mapToLong((each) -> (each.place() == Place.QUEUE) ? each.count() - 1 : each.count())
			.sum();
	}

	private static void checkLimit(int limit) {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new IllegalArgumentException("Limit must be between 1 and " + MAX_LIMIT + ": " + limit);
		}
	}

}
