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
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.holdfast.lock.LockType;
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

	private final ServerClock clock = new ServerClock();

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
			return Standing.of(answer, learn(answer.number()), sent);
		};
		return question.unhurried() ? this.requests.sendUnhurried(key, request, interruptible, reader)
				: this.requests.send(key, request, interruptible, reader);
	}

	private long notAfter(String key, boolean waits, long deadlineNanos, boolean interruptible) {
		if (!this.clock.isKnown()) {
			this.clock.learn(this.scripts.serverMillis(key, interruptible), this.nanoTime.getAsLong());
		}
		long now = this.nanoTime.getAsLong();
		long validMillis = REQUEST_VALIDITY_MILLIS;
		if (waits) {
			// Even a wait that is nearly over leaves the request the time to arrive.
			long untilDeadline = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - now);
			validMillis = Math.max(MIN_VALIDITY_MILLIS, Math.min(validMillis, untilDeadline));
		}
		return this.clock.millisAt(now) + validMillis;
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
					boolean had = Ending.valueOf(answer.word()) != Ending.GONE;
					return new Released(had, (next != null) ? Standing.of(answer, learn(answer.number()), sent) : null);
				});
	}

	/**
	 * Gives up what a request has.
	 */
	void release(String key, String id) {
		release(key, new Departure(id, 0, "", null));
	}

	/**
	 * Says for many requests that their client lives.
	 * @return how each stands, in the same order
	 */
	List<Standing> renew(List<Sign> signs) {
		List<String> keys = new ArrayList<>(signs.size());
		Object[] args = new Object[3 + 3 * signs.size()];
		int at = 0;
		args[at++] = this.waiterTimeout;
		args[at++] = this.tokenRetention;
		args[at++] = this.channels;
		for (Sign sign : signs) {
			keys.add(sign.key());
			args[at++] = sign.id();
			args[at++] = Long.toString(sign.leaseMillis());
			args[at++] = Integer.toString(sign.block());
		}
		long sent = this.nanoTime.getAsLong();
		return this.scripts.run(LockScript.RENEW, keys, false, (answer) -> {
			long serverMillis = learn((Long) answer.get(0));
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
	 * Reads the answer of {@code mutex-list.lua}.
	 */
	<T> T list(String cursor, int count, Function<List<?>, T> reader) {
		return this.scripts.run(LockScript.LIST, List.of(), false, reader, cursor, this.settings.keys().lockPattern(),
				Integer.toString(count));
	}

	/**
	 * Reads the answer of {@code mutex-describe.lua}.
	 */
	<T> T describe(List<String> keys, Function<List<?>, T> reader) {
		return this.scripts.run(LockScript.DESCRIBE, keys, false, reader);
	}

	/**
	 * Reads the answer of {@code mutex-waiters.lua}.
	 */
	<T> T waiters(String key, int limit, Function<List<?>, T> reader) {
		return this.scripts.run(LockScript.WAITERS, List.of(key), false, reader, Integer.toString(limit));
	}

	/**
	 * Whether a script can take keys of any locks at once.
	 */
	boolean takesManyKeys() {
		return this.scripts.takesManyKeys();
	}

	private long learn(long serverMillis) {
		this.clock.learn(serverMillis, this.nanoTime.getAsLong());
		return serverMillis;
	}

	private enum Ending {

		RELEASED, LEFT, GONE

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
