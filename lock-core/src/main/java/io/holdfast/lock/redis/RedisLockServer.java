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

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * One Redis, be it a single server or one with replicas, or a cluster: a typed method for
 * each script.
 */
final class RedisLockServer implements LockServer {

	private static final long MIN_VALIDITY_MILLIS = 1000;

	private final ScriptRunner scripts;

	private final Requests requests;

	private final Settings settings;

	private final LongSupplier nanoTime;

	private final ServerClock clock = new ServerClock();

	private final String waiterTimeout;

	private final String tokenRetention;

	private final String channels;

	RedisLockServer(RedisConnectionFactory connectionFactory, Settings settings, LongSupplier nanoTime) {
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.waiterTimeout = Long.toString(settings.waiterTimeout().toMillis());
		this.tokenRetention = Long.toString(settings.tokenRetention().toMillis());
		this.channels = settings.keys().channelPrefix();
		this.scripts = new ScriptRunner(connectionFactory, settings.keys());
		this.requests = new Requests(this.scripts, settings.keys(),
				List.of(settings.clientId(), this.waiterTimeout, this.tokenRetention, this.channels));
	}

	@Override
	public Standing acquire(String key, Question question, boolean waits, long deadlineNanos, boolean interruptible) {
		long notAfter = question.again() ? 0 : notAfter(key, waits, deadlineNanos, interruptible);
		String request = "acquire " + question.id() + ' ' + question.wish() + (waits ? " 1 " : " 0 ") + notAfter;
		long sent = this.nanoTime.getAsLong();
		Function<String, Standing> reader = (line) -> standing(line, question.id(), sent);
		return question.unhurried() ? this.requests.sendUnhurried(key, request, interruptible, reader)
				: this.requests.send(key, request, interruptible, reader);
	}

	/**
	 * Asks for the lock as one of several servers.
	 * @param guardSeconds for how long after its start the server does not grant anything
	 */
	Standing vote(String key, String id, Wish wish, long guardSeconds) {
		long notAfter = notAfter(key, false, 0, false);
		long sent = this.nanoTime.getAsLong();
		return this.scripts.run(LockScript.VOTE, List.of(key), false, (line) -> standing(line, id, sent),
				this.settings.clientId(), this.waiterTimeout, this.tokenRetention, this.channels, id, "reentrant",
				Long.toString(wish.leaseMillis()), Long.toString(guardSeconds), Long.toString(notAfter));
	}

	/**
	 * Raises the fencing tokens of a hold to those given, if they are lower.
	 */
	Standing raise(String key, String id, long token, long last) {
		long sent = this.nanoTime.getAsLong();
		return this.scripts.run(LockScript.RAISE, List.of(key), false, (line) -> standing(line, id, sent),
				this.waiterTimeout, this.tokenRetention, this.channels, id, Long.toString(token), Long.toString(last));
	}

	private Standing standing(String line, String id, long sentNanos) {
		Answer answer = new Answer(line, id);
		return Standing.of(answer, learn(answer.number()), sentNanos);
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

	@Override
	public Released release(String key, Departure departure) {
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

	@Override
	public void release(String key, String id) {
		release(key, new Departure(id, 0, "", null));
	}

	@Override
	public List<Standing> renew(List<Sign> signs) {
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

	@Override
	public boolean evict(String key, String id) {
		return this.scripts.run(LockScript.EVICT, List.of(key), false, (answer) -> answer.get(1).equals(1L), id,
				this.waiterTimeout, this.tokenRetention, this.channels);
	}

	@Override
	public Found list(String cursor, int count) {
		return this.scripts.run(LockScript.LIST, List.of(), false, this::readFound, cursor,
				this.settings.keys().lockPattern(), Integer.toString(count));
	}

	private Found readFound(List<?> answer) {
		List<String> keys = answer.stream().skip(1).map(String.class::cast).toList();
		keys.forEach(this.settings.keys()::nameOf);
		String next = (String) answer.get(0);
		if (!next.matches("\\d{1,20}")) {
			throw new IllegalArgumentException("Not a cursor: " + next);
		}
		return new Found(next, keys);
	}

	@Override
	public List<Held> describe(List<String> keys) {
		return this.scripts.run(LockScript.DESCRIBE, keys, false, (List<?> answer) -> {
			List<Held> held = new ArrayList<>();
			int at = 1;
			for (String key : keys) {
				String id = (String) answer.get(at);
				if (!id.isEmpty()) {
					held.add(new Held(key, id, (String) answer.get(at + 1), typeOf(answer.get(at + 2)),
							(Long) answer.get(at + 3), (Long) answer.get(at + 4), (Long) answer.get(at + 5),
							(Long) answer.get(at + 6)));
				}
				at += 7;
			}
			return held;
		});
	}

	@Override
	public List<Queued> waiters(String key, int limit) {
		return this.scripts.run(LockScript.WAITERS, List.of(key), false, (List<?> answer) -> {
			List<Queued> waiters = new ArrayList<>();
			for (int at = 1; at < answer.size(); at += 3) {
				waiters.add(
						new Queued(answer.get(at).equals(1L), typeOf(answer.get(at + 1)), (String) answer.get(at + 2)));
			}
			return waiters;
		}, Integer.toString(limit));
	}

	private static LockType typeOf(Object text) {
		return "fair".equals(text) ? LockType.FAIR : LockType.REENTRANT;
	}

	@Override
	public void close() {
		// Has nothing of its own.
	}

	@Override
	public boolean takesManyKeys() {
		return this.scripts.takesManyKeys();
	}

	private long learn(long serverMillis) {
		this.clock.learn(serverMillis, this.nanoTime.getAsLong());
		return serverMillis;
	}

	private enum Ending {

		RELEASED, LEFT, GONE

	}

}
