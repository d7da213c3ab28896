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

package io.holdfast.lock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockType;
import io.holdfast.lock.redis.ScriptRunner.Call;
import io.holdfast.lock.redis.ScriptRunner.Outcome;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Redis as the lock client sees it: a typed method for each script. Every method throws
 * {@link io.holdfast.lock.LockServerException} and nothing else if the server fails.
 */
final class LockServer {

	/**
	 * How long after it was sent a new request may still take effect at most. Longer than
	 * an answer takes, short enough that a request which its caller has given up is
	 * harmless.
	 */
	static final long REQUEST_VALIDITY_MILLIS = 5000;

	private static final long MIN_VALIDITY_MILLIS = 1000;

	private final ScriptRunner scripts;

	private final Requests requests;

	private final Settings settings;

	private final LongSupplier nanoTime;

	private final Nodes nodes;

	private final ConcurrentMap<String, ServerClock> clocks = new ConcurrentHashMap<>();

	private final String waiterTimeout;

	private final String tokenRetention;

	private final String channels;

	LockServer(RedisConnectionFactory connectionFactory, Settings settings, LongSupplier nanoTime) {
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.waiterTimeout = Long.toString(settings.waiterTimeout().toMillis());
		this.tokenRetention = Long.toString(settings.tokenRetention().toMillis());
		this.channels = settings.keys().channelPrefix();
		this.scripts = new ScriptRunner(connectionFactory, settings.keys());
		this.nodes = new Nodes(this.scripts);
		this.requests = new Requests(this.scripts, settings.keys(),
				List.of(settings.clientId(), this.waiterTimeout, this.tokenRetention, this.channels));
	}

	/**
	 * Asks for the lock. The answer {@code NONE} means that it is held by another and
	 * that this request does not wait for it.
	 * @param waits whether to join the queue
	 * @param deadlineNanos local time after which the caller has no use for the lock
	 * @param interruptible whether to give up if the thread is interrupted
	 */
	Standing acquire(String key, Question question, boolean waits, long deadlineNanos, boolean interruptible) {
		long notAfter = question.again() ? 0 : notAfter(key, waits, deadlineNanos, interruptible);
		String request = "acquire " + question.id() + ' ' + question.wish() + (waits ? " 1 " : " 0 ") + notAfter;
		long sent = this.nanoTime.getAsLong();
		Function<String, Standing> reader = (line) -> {
			Answer answer = new Answer(line, question.id());
			return Standing.of(answer, learn(key, answer.number()), sent);
		};
		return question.unhurried() ? this.requests.sendUnhurried(key, request, interruptible, reader)
				: this.requests.send(key, request, interruptible, reader);
	}

	private long notAfter(String key, boolean waits, long deadlineNanos, boolean interruptible) {
		ServerClock clock = clockOf(key);
		if (!clock.isKnown()) {
			clock.learn(serverMillis(key, interruptible), this.nanoTime.getAsLong());
		}
		long now = this.nanoTime.getAsLong();
		long validMillis = REQUEST_VALIDITY_MILLIS;
		if (waits) {
			// Even a wait that is nearly over leaves the request the time to arrive.
			long untilDeadline = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - now);
			validMillis = Math.max(MIN_VALIDITY_MILLIS, Math.min(validMillis, untilDeadline));
		}
		return clock.millisAt(now) + validMillis;
	}

	/**
	 * Gives up what a request has and, for waiting threads of this client, joins the
	 * queue with another one.
	 */
	Released release(String key, Departure departure) {
		Wish next = departure.next();
		String request = "release " + departure.id() + ' ' + departure.token();
		long sent = this.nanoTime.getAsLong();
		return this.requests.send(key, (next != null) ? request + ' ' + departure.nextId() + ' ' + next : request,
				false, (line) -> {
					Answer answer = new Answer(line, departure.id());
					boolean had = !answer.word().equals("GONE");
					return new Released(had,
							(next != null) ? Standing.of(answer, learn(key, answer.number()), sent) : null);
				});
	}

	/**
	 * Gives up what a request has.
	 */
	void release(String key, String id) {
		release(key, new Departure(id, 0, "", null));
	}

	/**
	 * The time of the server that has the lock. A command without a key goes to any
	 * server of a cluster, a script does not.
	 */
	private long serverMillis(String key, boolean interruptible) {
		return takesManyKeys() ? this.scripts.serverMillis(key, interruptible)
				: this.scripts.run(LockScript.DESCRIBE, List.of(key), interruptible, (answer) -> (Long) answer.get(0));
	}

	/**
	 * Says for many requests that their client lives.
	 * @return how each stands, in the same order
	 */
	List<Standing> renew(List<Sign> signs) {
		Call<List<?>, List<Standing>> call = renewal(signs);
		return this.scripts.run(LockScript.RENEW, call.keys(), false, call.reader(), call.args().toArray());
	}

	/**
	 * Says for many requests, whose locks are on one server, that their client lives.
	 * @param groups each of which one script takes, see {@link Nodes#together}
	 * @return for each group how each of its requests stands, in the same order
	 */
	List<Outcome<List<Standing>>> renewEach(List<List<Sign>> groups) {
		return this.scripts.runEach(LockScript.RENEW, groups.stream().map(this::renewal).toList());
	}

	private Call<List<?>, List<Standing>> renewal(List<Sign> signs) {
		List<String> keys = new ArrayList<>(signs.size());
		List<String> args = new ArrayList<>(List.of(this.waiterTimeout, this.tokenRetention, this.channels));
		for (Sign sign : signs) {
			keys.add(sign.key());
			args.addAll(List.of(sign.id(), Long.toString(sign.leaseMillis()), Integer.toString(sign.block())));
		}
		long sent = this.nanoTime.getAsLong();
		return new Call<>(keys, (answer) -> {
			long serverMillis = learn(keys.get(0), (Long) answer.get(0));
			List<Standing> standings = new ArrayList<>(signs.size());
			for (int i = 0; i < signs.size(); i++) {
				Answer sign = new Answer((String) answer.get(i + 1), signs.get(i).id());
				standings.add(Standing.of(sign, serverMillis, sent));
			}
			return standings;
		}, args);
	}

	/**
	 * Takes the lock from whoever holds it.
	 * @param id the hold to end, or empty for any
	 * @return whether it was held
	 */
	boolean evict(String key, String id) {
		return this.scripts.run(LockScript.EVICT, List.of(key), false, (answer) -> answer.get(1).equals(1L), id,
				this.waiterTimeout, this.tokenRetention, this.channels);
	}

	/**
	 * The raw answer of {@code mutex-list.lua}.
	 * @param route a key that tells which server of a cluster, or {@code null} if there
	 * is but one
	 */
	List<?> list(@Nullable String route, String cursor, int count) {
		List<String> keys = (route != null) ? List.of(route) : List.of();
		return this.scripts.run(LockScript.LIST, keys, false, List::copyOf, cursor, this.settings.keys().lockPattern(),
				Integer.toString(count));
	}

	/**
	 * The raw answers of {@code mutex-describe.lua}.
	 * @param groups keys, see {@link Nodes#together}
	 */
	List<List<?>> describe(List<List<String>> groups) {
		List<Call<List<?>, List<?>>> calls = groups.stream()
			.map((keys) -> new Call<List<?>, List<?>>(keys, List::copyOf, List.of()))
			.toList();
		List<List<?>> answers = new ArrayList<>();
		for (Outcome<List<?>> outcome : this.scripts.runEach(LockScript.DESCRIBE, calls)) {
			if (outcome.failure() != null) {
				throw outcome.failure();
			}
			answers.add(Objects.requireNonNull(outcome.value()));
		}
		return answers;
	}

	/**
	 * The raw answer of {@code mutex-waiters.lua}.
	 */
	List<?> waiters(String key, int limit) {
		return this.scripts.run(LockScript.WAITERS, List.of(key), false, List::copyOf, Integer.toString(limit));
	}

	/**
	 * Whether a script can take keys of any locks at once.
	 */
	boolean takesManyKeys() {
		return this.scripts.takesManyKeys();
	}

	/**
	 * Which server has which lock.
	 */
	Nodes nodes() {
		return this.nodes;
	}

	/**
	 * Has the server of a lock send this client a message.
	 * @return whether it did
	 */
	boolean echo(String key) {
		return this.scripts.run(LockScript.ECHO, List.of(key), false, (answer) -> answer.get(0).equals(1L),
				this.channels + this.settings.clientId());
	}

	private long learn(String key, long serverMillis) {
		clockOf(key).learn(serverMillis, this.nanoTime.getAsLong());
		return serverMillis;
	}

	private ServerClock clockOf(String key) {
		return this.clocks.computeIfAbsent(this.nodes.of(key), (node) -> new ServerClock());
	}

	/**
	 * What a request wants.
	 *
	 * @param type the order among waiters
	 * @param leaseMillis how long the hold shall last
	 * @param block how many tokens the client can use
	 */
	record Wish(LockType type, long leaseMillis, int block) {

		@Override
		public String toString() {
			return ((this.type == LockType.FAIR) ? "fair " : "reentrant ") + this.leaseMillis + ' ' + this.block;
		}

	}

	/**
	 * A question to the server.
	 *
	 * @param id the request
	 * @param wish what it wants
	 * @param again whether it waits already
	 * @param unhurried whether it may wait a moment to go along with another request
	 */
	record Question(String id, Wish wish, boolean again, boolean unhurried) {
	}

	/**
	 * A request that is given up, and the one that takes its place.
	 *
	 * @param id the request to release
	 * @param token the fencing token under which its owner ran, or 0 if none did
	 * @param nextId the new request, or empty if nobody waits
	 * @param next what the new request wants
	 */
	record Departure(String id, long token, String nextId, @Nullable Wish next) {
	}

	/**
	 * A sign of life for one request.
	 *
	 * @param key the lock
	 * @param id the request
	 * @param leaseMillis the lease from now on, if it holds
	 * @param block how many more tokens the client can use, or 0
	 */
	record Sign(String key, String id, long leaseMillis, int block) {
	}

	/**
	 * The answer to a release.
	 *
	 * @param had whether the request had something to give up, now or when this ran first
	 * @param next how the next request stands, or {@code null} if there is none
	 */
	record Released(boolean had, @Nullable Standing next) {
	}

}
