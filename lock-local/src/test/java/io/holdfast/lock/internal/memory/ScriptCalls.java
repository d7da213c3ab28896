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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;

import io.holdfast.lock.LockMode;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Wish;
import io.holdfast.lock.internal.redis.LockHash;
import io.holdfast.lock.testing.Fuzz;

/**
 * Random calls as clients make them: some new, some that were made before and arrive
 * again.
 */
final class ScriptCalls {

	enum Kind {

		REQUEST, RENEW, DOWNGRADE, EVICT

	}

	private static final int LATEST = 12;

	private static final int LIMIT = 5;

	private final Random random;

	private final IntFunction<LockHash> stored;

	private final List<String> keys;

	/** Which kinds are asked for: some runs have one only. */
	private final List<LockMode.Kind> kinds;

	private final List<Call> made = new ArrayList<>();

	private final List<Known> known = new ArrayList<>();

	/**
	 * Requests that their client has begun to release, and so does not ask for again.
	 */
	private final Set<String> given = new HashSet<>();

	private final Map<String, Long> stamps = new HashMap<>();

	private int ids = 1000;

	ScriptCalls(Random random, IntFunction<LockHash> stored, List<String> keys) {
		this.random = random;
		this.stored = stored;
		this.keys = keys;
		this.kinds = switch (random.nextInt(6)) {
			case 0 -> List.of(LockMode.Kind.EXCLUSIVE);
			case 1 -> List.of(LockMode.Kind.PERMITS);
			case 2, 3 -> List.of(LockMode.Kind.SHARED, LockMode.Kind.SHARED, LockMode.Kind.EXCLUSIVE);
			default -> List.of(LockMode.Kind.SHARED, LockMode.Kind.PERMITS, LockMode.Kind.EXCLUSIVE);
		};
	}

	Call next(long now) {
		Call call = null;
		if (!this.made.isEmpty() && this.random.nextInt(6) == 0) {
			call = this.made.get(this.made.size() - 1 - this.random.nextInt(Math.min(this.made.size(), LATEST)));
		}
		if (call == null || !mayComeAgain(call, now)) {
			call = create(now);
			this.made.add(call);
		}
		return call;
	}

	/**
	 * Whether a call may arrive once more. What a request takes that was released and
	 * forgotten, its client releases again: pending releases do that.
	 */
	private boolean mayComeAgain(Call call, long now) {
		return call.asks()
			.stream()
			.allMatch((ask) -> ask.takes().isEmpty() || !this.given.contains(ask.takes()) || ask.notAfter() < now
					|| (call.asks().size() == 1 && isRemembered(ask.lock(), ask.takes())));
	}

	private boolean isRemembered(int lock, String id) {
		return this.stored.apply(lock).released().contains(id);
	}

	private Call create(long now) {
		String client = Fuzz.oneOf(this.random, "one@a/1", "two@b/2", "three %s@c/3");
		Kind kind = switch (this.random.nextInt(40)) {
			case 0 -> Kind.EVICT;
			case 1, 2, 3 -> Kind.DOWNGRADE;
			case 4, 5, 6, 7, 8, 9 -> Kind.RENEW;
			default -> Kind.REQUEST;
		};
		boolean many = (kind == Kind.RENEW || kind == Kind.REQUEST) && this.random.nextInt(3) == 0;
		// A lock is renewed once in a call: those that take the quick way come first.
		int most = (kind == Kind.RENEW) ? this.keys.size() : 4;
		int count = many ? 1 + this.random.nextInt(most) : 1;
		int first = this.random.nextInt(this.keys.size());
		List<Ask> asks = new ArrayList<>();
		while (asks.size() < count) {
			int lock = (kind == Kind.RENEW) ? (first + asks.size()) % this.keys.size()
					: this.random.nextInt(this.keys.size());
			Ask ask = switch (kind) {
				case EVICT -> evict(lock);
				case RENEW -> renew(lock, client);
				case DOWNGRADE -> downgrade(lock, client);
				case REQUEST ->
					(this.random.nextInt(5) < 3) ? acquire(lock, client, now, count == 1) : release(lock, client, now);
			};
			asks.add(ask);
		}
		return new Call(kind, client, asks, "call-" + this.ids);
	}

	private Ask evict(int lock) {
		List<String> which = new ArrayList<>();
		for (LockHash.Hold hold : this.stored.apply(lock).holds()) {
			switch (this.random.nextInt(3)) {
				case 0 -> which.add(hold.id());
				case 1 -> which.add(Long.toString(hold.token()));
				default -> {
				}
			}
		}
		return new Ask(lock, "", "", -1, "evict " + String.join(" ", which), (model) -> model.evict(which));
	}

	/**
	 * Of what holds the lock: a request that waits is never downgraded.
	 */
	private Ask downgrade(int lock, String client) {
		List<LockHash.Hold> held = this.stored.apply(lock).holds();
		String id = held.isEmpty() ? "3:none" : held.get(this.random.nextInt(held.size())).id();
		Command command = new Command.Downgrade(this.keys.get(lock), id);
		return new Ask(lock, id, "", -1, "downgrade " + id, (model) -> model.execute(client, command));
	}

	private Ask renew(int lock, String client) {
		String id = (this.random.nextInt(3) == 0) ? holderOr(lock, client) : known(lock, client).id();
		long lease = lease();
		int block = Fuzz.oneOf(this.random, 0, 0, 0, 1, 1000);
		long owned = Fuzz.oneOf(this.random, 0, 0, 0, 1, 3000);
		int callers = this.random.nextInt(12);
		Command command = new Command.Renew(this.keys.get(lock), id, lease, block, callers, owned, "");
		String extras = (block + owned > 0) ? " " + block + " " + owned : "";
		return new Ask(lock, id, "", -1, "renew " + id + " " + lease + " " + callers + extras,
				(model) -> model.execute("", command));
	}

	private Ask acquire(int lock, String client, long now, boolean alone) {
		Known request = (this.random.nextInt(3) == 0) ? known(lock, client) : create(lock, client);
		if (this.given.contains(request.id()) && !(alone && isRemembered(lock, request.id()))) {
			request = create(lock, client);
		}
		Command.Ask ask = ask(lock, request, now);
		String most = (ask.wish().maxWaiters() > 0) ? Integer.toString(ask.wish().maxWaiters()) : "";
		return new Ask(lock, ask.id(), ask.id(), notAfter(ask), "acquire" + most + " " + words(ask),
				(model) -> model.execute(client, ask));
	}

	private Ask release(int lock, String client, long now) {
		String id = (this.random.nextInt(3) != 0) ? holderOr(lock, client) : known(lock, client).id();
		this.given.add(id);
		long stamp = this.random.nextBoolean() ? this.stamps.getOrDefault(id, 0L) : 0;
		Command.Ask next = (this.random.nextInt(3) == 0) ? ask(lock, create(lock, client), now) : null;
		Command command = new Command.Release(this.keys.get(lock), id, stamp, next);
		return new Ask(lock, id, (next != null) ? next.id() : "", (next != null) ? notAfter(next) : -1,
				"release " + id + " " + stamp + ((next != null) ? " " + words(next) : ""),
				(model) -> model.execute(client, command));
	}

	private Command.Ask ask(int lock, Known request, long now) {
		long notAfter = Fuzz.oneOf(this.random, now + 5000, now + 5000, now + 5000, now, now - 1, 0L);
		return new Command.Ask(this.keys.get(lock), request.id(), request.wish(), lease(),
				Fuzz.oneOf(this.random, 1, 1, 1, 7, 1000), Fuzz.oneOf(this.random, 0, 1, 1, 2, 13),
				MemoryTexts.nanosOf(notAfter), "");
	}

	private static long notAfter(Command.Ask ask) {
		return ask.notAfterNanos() / MemoryTexts.nanosOf(1);
	}

	private long lease() {
		return Fuzz.oneOf(this.random, 1L, 10L, 500L, 5000L, 30_000L, 60_000L, 400_000L);
	}

	private static String words(Command.Ask ask) {
		return ask.id() + " " + MemoryTexts.mode(ask.wish()) + " " + ask.leaseMillis() + " " + ask.wish().units() + " "
				+ ask.wish().limit() + " " + ask.block() + " " + ask.callers() + " " + notAfter(ask);
	}

	/**
	 * A request of a client that holds a lock, or another one of it.
	 */
	private String holderOr(int lock, String client) {
		List<String> held = this.stored.apply(lock)
			.holds()
			.stream()
			.filter((each) -> each.client().equals(client))
			.map(LockHash.Hold::id)
			.toList();
		return held.isEmpty() ? known(lock, client).id() : held.get(this.random.nextInt(held.size()));
	}

	/**
	 * One of the latest requests of a client for a lock.
	 */
	private Known known(int lock, String client) {
		List<Known> own = this.known.stream()
			.filter((each) -> each.lock() == lock && each.client().equals(client))
			.toList();
		return own.isEmpty() ? create(lock, client)
				: own.get(own.size() - 1 - this.random.nextInt(Math.min(own.size(), LATEST)));
	}

	private Known create(int lock, String client) {
		boolean fair = this.random.nextInt(4) == 0;
		Wish wish = switch (this.kinds.get(this.random.nextInt(this.kinds.size()))) {
			case EXCLUSIVE -> Wish.exclusive(fair);
			case SHARED -> Wish.shared(fair);
			case PERMITS -> {
				int limit = (this.random.nextInt(5) == 0) ? 3 : LIMIT;
				yield Wish.of(LockMode.permits(1 + this.random.nextInt(limit), limit), fair);
			}
		};
		Known created = new Known(lock, "3:id" + this.ids++, client,
				new Wish(wish.mode(), wish.fair(), Fuzz.oneOf(this.random, 0, 0, 1, 2, 5, 30)));
		this.known.add(created);
		return created;
	}

	/**
	 * Learns the stamps of holds.
	 */
	void answered(Call call, List<String> answers) {
		for (int i = 0; i < answers.size(); i++) {
			String[] words = answers.get(i).split(" ", -1);
			if (call.kind() == Kind.REQUEST && words.length > 5 && words[2].equals("HOLDS")) {
				boolean shared = call.asks().get(i).text().matches("acquire\\d* \\S+ s.*");
				this.stamps.put(words[0], Long.valueOf(words[shared ? 5 : 4]));
			}
		}
	}

	private record Known(int lock, String id, String client, Wish wish) {
	}

	/**
	 * A call of a script.
	 *
	 * @param name its own
	 */
	record Call(Kind kind, String client, List<Ask> asks, String name) {

		@Override
		public String toString() {
			return this.client + " " + this.asks;
		}

	}

	/**
	 * What a call asks for one lock.
	 *
	 * @param lock its number
	 * @param id the request
	 * @param takes the request that may be granted something new, or ""
	 * @param notAfter until when it may, or -1 if never
	 * @param text as the script gets it
	 * @param model the same, asked of the model
	 */
	record Ask(int lock, String id, String takes, long notAfter, String text, Function<MemoryTexts, String> model) {

		@Override
		public String toString() {
			return this.lock + ": " + this.text;
		}

	}

}
