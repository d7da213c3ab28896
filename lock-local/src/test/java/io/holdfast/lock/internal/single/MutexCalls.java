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

package io.holdfast.lock.internal.single;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

import io.holdfast.lock.internal.single.MutexState.Place;
import io.holdfast.lock.testing.Fuzz;

/**
 * Random calls as clients make them: some new, some that were made before and arrive
 * again.
 */
final class MutexCalls {

	enum Kind {

		REQUEST, RENEW, EVICT

	}

	private static final int LATEST = 12;

	private final Random random;

	private final List<MemoryMutex> models;

	private final List<Call> made = new ArrayList<>();

	private final List<Known> known = new ArrayList<>();

	/**
	 * Requests that their client has begun to release, and so does not ask for again.
	 */
	private final Set<String> given = new HashSet<>();

	private final Map<String, Long> tokens = new HashMap<>();

	private int ids = 1000;

	MutexCalls(Random random, List<MemoryMutex> models) {
		this.random = random;
		this.models = models;
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
			.allMatch((ask) -> !this.given.contains(ask.id()) || ask.notAfter() < now
					|| (call.asks().size() == 1 && isRemembered(ask.lock(), ask.id())));
	}

	private boolean isRemembered(int lock, String id) {
		MutexState state = this.models.get(lock).state();
		return id.equals(state.hold()) || state.released().contains(id);
	}

	private Call create(long now) {
		String client = Fuzz.oneOf(this.random, "one@a/1", "two@b/2", "three@c/3");
		Kind kind = switch (this.random.nextInt(20)) {
			case 0 -> Kind.EVICT;
			case 1, 2, 3 -> Kind.RENEW;
			default -> Kind.REQUEST;
		};
		List<Ask> asks = new ArrayList<>();
		int count = (kind == Kind.EVICT || this.random.nextInt(3) != 0) ? 1 : 1 + this.random.nextInt(4);
		while (asks.size() < count) {
			int lock = this.random.nextInt(this.models.size());
			Ask ask = switch (kind) {
				case EVICT -> evict(lock);
				case RENEW -> renew(lock, client);
				case REQUEST ->
					(this.random.nextInt(5) < 3) ? acquire(lock, client, now, count == 1) : release(lock, client);
			};
			asks.add(ask);
		}
		return new Call(kind, client, asks);
	}

	private Ask evict(int lock) {
		String hold = this.models.get(lock).state().hold();
		String id = (hold == null || this.random.nextInt(5) == 0) ? "none" : hold;
		return new Ask(lock, id, -1, "evict " + id, (model) -> model.evict(id) ? "1" : "0");
	}

	private Ask renew(int lock, String client) {
		String id = known(lock, client).id();
		long lease = lease();
		int block = Fuzz.oneOf(this.random, 0, 0, 1, 1000);
		long owned = Fuzz.oneOf(this.random, 0, 0, 1, 3000);
		String extras = block + " " + owned;
		return new Ask(lock, id, -1, "renew " + id + " " + lease + " " + (extras.equals("0 0") ? "0" : extras),
				(model) -> model.renew(id, lease, block, owned));
	}

	private Ask acquire(int lock, String client, long now, boolean alone) {
		Known request = (this.random.nextInt(3) == 0) ? known(lock, client) : create(lock, client);
		if (this.given.contains(request.id()) && !(alone && isRemembered(lock, request.id()))) {
			request = create(lock, client);
		}
		Place wish = wish(request);
		boolean waits = this.random.nextInt(4) != 0;
		long notAfter = Fuzz.oneOf(this.random, now + 5000, now + 5000, now + 5000, now, now - 1, 0L);
		return new Ask(lock, wish.id(), notAfter, "acquire " + words(wish) + " " + (waits ? 1 : 0) + " " + notAfter,
				(model) -> model.acquire(wish, waits, notAfter));
	}

	private Ask release(int lock, String client) {
		String holder = this.models.get(lock).state().hold();
		Known request = this.known.stream()
			.filter((each) -> each.id().equals(holder) && each.client().equals(client))
			.findFirst()
			.filter((each) -> this.random.nextInt(3) != 0)
			.orElseGet(() -> known(lock, client));
		String id = request.id();
		this.given.add(id);
		long token = this.random.nextBoolean() ? this.tokens.getOrDefault(id, 0L) : 0;
		Place next = (this.random.nextInt(3) == 0) ? wish(create(lock, client)) : null;
		return new Ask(lock, id, -1, "release " + id + " " + token + ((next != null) ? " " + words(next) : ""),
				(model) -> model.release(client, id, token, next));
	}

	private Place wish(Known request) {
		return new Place(request.id(), 0, lease(), Fuzz.oneOf(this.random, 1, 1, 1, 7, 1000), 0, request.mode(),
				request.client());
	}

	private long lease() {
		return Fuzz.oneOf(this.random, 1L, 10L, 500L, 5000L, 30_000L, 60_000L, 400_000L);
	}

	private static String words(Place wish) {
		return wish.id() + " " + wish.mode() + " " + wish.lease() + " " + wish.block();
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
		Known created = new Known(lock, "2:id" + this.ids++, client, Fuzz.oneOf(this.random, "xf", "xr"));
		this.known.add(created);
		return created;
	}

	/**
	 * Learns the tokens of holds.
	 */
	void answered(Call call, List<String> answers) {
		for (int i = 0; i < answers.size(); i++) {
			String[] words = answers.get(i).split(" ", -1);
			if (call.kind() == Kind.REQUEST && words.length > 4 && words[2].equals("HOLDS")) {
				this.tokens.put(words[0], Long.valueOf(words[4]));
			}
		}
	}

	private record Known(int lock, String id, String client, String mode) {
	}

	/**
	 * A call of a script.
	 */
	record Call(Kind kind, String client, List<Ask> asks) {

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
	 * @param notAfter until when it may be granted something new, or -1 if never
	 * @param text as the script gets it
	 * @param model the same, asked of the model
	 */
	record Ask(int lock, String id, long notAfter, String text, Function<MemoryMutex, String> model) {

		@Override
		public String toString() {
			return this.lock + ": " + this.text;
		}

	}

}
