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

import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.DataType;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Redis as the lock client sees it: a typed method for each script. Every method throws
 * {@link LockServerException} and nothing else if the server fails.
 * <p>
 * A thread that is interrupted while it waits for an answer asks the same again, because
 * every script may run twice, and has its interrupt status set afterwards. Only an
 * interruptible acquisition gives up instead, with an unknown outcome.
 */
final class LockServer {

	/**
	 * How long after it was sent a new request may still take effect. Longer than an
	 * answer takes, short enough that a request which its caller has given up is
	 * harmless.
	 */
	static final long REQUEST_VALIDITY_MILLIS = 5000;

	private static final SecureRandom RANDOM = new SecureRandom();

	private static final int ID_LENGTH = 13;

	private final StringRedisTemplate template;

	private final Settings settings;

	private final LongSupplier nanoTime;

	private final ServerClock clock = new ServerClock();

	private final String waiterTimeout;

	private final String tokenRetention;

	private final String channels;

	LockServer(RedisConnectionFactory connectionFactory, Settings settings, LongSupplier nanoTime) {
		this.template = new StringRedisTemplate(connectionFactory);
		this.settings = settings;
		this.nanoTime = nanoTime;
		this.waiterTimeout = Long.toString(settings.waiterTimeout().toMillis());
		this.tokenRetention = Long.toString(settings.tokenRetention().toMillis());
		this.channels = settings.keys().channelPrefix();
	}

	/**
	 * A new request id. Drawn for each acquisition, so that even two clones of one
	 * machine never act for each other.
	 */
	static String newId() {
		String id = Long.toUnsignedString(RANDOM.nextLong(), Character.MAX_RADIX);
		return "0".repeat(ID_LENGTH - id.length()) + id;
	}

	/**
	 * Asks for the lock. The answer {@code NONE} means that it is held by another and
	 * that this request does not wait for it.
	 * @param waits whether to join the queue
	 * @param deadlineNanos local time after which the caller has no use for the lock
	 * @param interruptible whether to give up if the thread is interrupted
	 */
	Standing acquire(String key, String id, Wish wish, boolean waits, long deadlineNanos, boolean interruptible) {
		learnClock(key, interruptible);
		long sent = this.nanoTime.getAsLong();
		long validMillis = REQUEST_VALIDITY_MILLIS;
		if (waits) {
			validMillis = Math.min(validMillis, TimeUnit.NANOSECONDS.toMillis(deadlineNanos - sent));
		}
		List<?> answer = call(LockScript.ACQUIRE, key, interruptible, id, this.settings.clientId(), wish.typeText(),
				wish.leaseText(), wish.blockText(), waits ? "1" : "0",
				Long.toString(this.clock.millisAt(sent) + validMillis), this.waiterTimeout, this.tokenRetention,
				this.channels);
		return Standing.of(answer, 1, learn(answer), sent);
	}

	/**
	 * Gives up what a request has and, for waiting threads of this client, joins the
	 * queue with another one.
	 * @param nextId the new request, or empty for none
	 * @param next what the new request wants
	 */
	Released release(String key, String id, String nextId, Wish next) {
		long sent = this.nanoTime.getAsLong();
		List<?> answer = nextId.isEmpty()
				? call(LockScript.RELEASE, key, false, id, this.waiterTimeout, this.tokenRetention, this.channels, "")
				: call(LockScript.RELEASE, key, false, id, this.waiterTimeout, this.tokenRetention, this.channels,
						nextId, this.settings.clientId(), next.typeText(), next.leaseText(), next.blockText());
		long serverMillis = learn(answer);
		return new Released(!"GONE".equals(answer.get(1)), Standing.of(answer, 2, serverMillis, sent));
	}

	Released release(String key, String id) {
		return release(key, id, "", Wish.NOTHING);
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
		List<?> answer = call(LockScript.RENEW, keys, false, args);
		long serverMillis = learn(answer);
		List<Standing> standings = new ArrayList<>(signs.size());
		for (int i = 0; i < signs.size(); i++) {
			standings.add(Standing.of(answer, 1 + i * Standing.VALUES, serverMillis, sent));
		}
		return standings;
	}

	/**
	 * Takes the lock from whoever holds it.
	 * @param id the hold to end, or empty for any
	 * @return whether it was held
	 */
	boolean evict(String key, String id) {
		List<?> answer = call(LockScript.EVICT, key, false, id, this.waiterTimeout, this.tokenRetention, this.channels);
		return Standing.number(answer, 1) == 1;
	}

	/**
	 * The raw answer of {@code mutex-list.lua}.
	 */
	List<?> list(String cursor, int count) {
		return call(LockScript.LIST, List.of(), false, cursor, this.settings.keys().lockPattern(),
				Integer.toString(count));
	}

	/**
	 * The raw answer of {@code mutex-describe.lua}.
	 */
	List<?> describe(List<String> keys) {
		return call(LockScript.DESCRIBE, keys, false);
	}

	/**
	 * The raw answer of {@code mutex-waiters.lua}.
	 */
	List<?> waiters(String key, int limit) {
		return call(LockScript.WAITERS, key, false, Integer.toString(limit));
	}

	/**
	 * Whether a script can take keys of any locks at once.
	 */
	boolean takesManyKeys() {
		Boolean cluster = this.template.execute((RedisCallback<Boolean>) RedisClusterConnection.class::isInstance);
		return !Boolean.TRUE.equals(cluster);
	}

	private List<?> call(LockScript script, String key, boolean interruptible, Object... args) {
		return call(script, List.of(key), interruptible, args);
	}

	private List<?> call(LockScript script, List<String> keys, boolean interruptible, Object... args) {
		List<?> answer = ask(keys, interruptible, () -> this.template.execute(script.script(), keys, args));
		for (Object value : answer) {
			// Lettuce puts the answer to a replay behind what it had read of the first.
			if (value instanceof List) {
				String name = this.settings.keys().nameOf(keyOf(keys));
				throw new LockServerException(name, Reason.TIMED_OUT,
						"Lock '" + name + "': the connection broke within the answer of Redis", null);
			}
		}
		return answer;
	}

	private <T> T ask(List<String> keys, boolean interruptible, Supplier<@Nullable T> question) {
		boolean interrupted = !interruptible && Thread.interrupted();
		try {
			while (true) {
				try {
					return Objects.requireNonNull(question.get());
				}
				catch (RuntimeException ex) {
					if (!ServerFailures.isInterrupt(ex)) {
						throw failure(keys, ex);
					}
					if (interruptible) {
						// Some of those who throw this have cleared the status.
						Thread.currentThread().interrupt();
						throw failure(keys, ex);
					}
					interrupted = true;
					// Clears the status, or the next attempt would fail as well.
					Thread.interrupted();
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private String keyOf(List<String> keys) {
		return keys.isEmpty() ? this.settings.keys().lockPrefix() : keys.get(0);
	}

	private LockServerException failure(List<String> keys, RuntimeException thrown) {
		String key = keyOf(keys);
		LockServerException failure = ServerFailures.sort(this.settings.keys().nameOf(key), thrown);
		String message = String.valueOf(failure.getMessage());
		if (failure.reason() != Reason.REFUSED || !message.contains("WRONGTYPE")) {
			return failure;
		}
		return new LockServerException(failure.lockName(), Reason.REFUSED,
				"Lock '" + failure.lockName() + "': the key '" + key + "' is not a lock but a " + typeOf(key)
						+ ", which nothing of Holdfast wrote; rename that key, or set another key prefix",
				thrown);
	}

	private String typeOf(String key) {
		try {
			DataType type = this.template.type(key);
			return (type != null) ? type.code() : "key of unknown type";
		}
		catch (RuntimeException ex) {
			return "key of unknown type";
		}
	}

	private void learnClock(String key, boolean interruptible) {
		if (!this.clock.isKnown()) {
			long millis = ask(List.of(key), interruptible, () -> this.template.execute(
					(RedisCallback<Long>) (connection) -> connection.serverCommands().time(TimeUnit.MILLISECONDS)));
			this.clock.learn(millis, this.nanoTime.getAsLong());
		}
	}

	private long learn(List<?> answer) {
		long serverMillis = Standing.number(answer, 0);
		this.clock.learn(serverMillis, this.nanoTime.getAsLong());
		return serverMillis;
	}

	/**
	 * What a request wants.
	 *
	 * @param type the order among waiters
	 * @param leaseMillis how long the hold shall last
	 * @param block how many tokens the client can use
	 */
	record Wish(LockType type, long leaseMillis, int block) {

		static final Wish NOTHING = new Wish(LockType.REENTRANT, 0, 0);

		String typeText() {
			return (this.type == LockType.FAIR) ? "fair" : "reentrant";
		}

		String leaseText() {
			return Long.toString(this.leaseMillis);
		}

		String blockText() {
			return Integer.toString(this.block);
		}

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
	 * @param next how the next request stands
	 */
	record Released(boolean had, Standing next) {
	}

}
