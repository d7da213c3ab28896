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

package io.holdfast.lock.chaos;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import io.holdfast.lock.chaos.Servers.Copy;
import io.holdfast.lock.chaos.Session.Hold;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Looks what the servers know: when locks that were wanted once were granted, and when
 * all threads have stopped, whether anything is left of them.
 */
final class ServerInspector {

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final Set<String> QUEUE_ENDS = Set.of("head", "tail");

	private final Servers servers;

	private final Recorder recorder;

	ServerInspector(Servers servers, Recorder recorder) {
		this.servers = servers;
		this.recorder = recorder;
	}

	private static String key(String name) {
		return HoldfastSession.PREFIX + "lock:" + name;
	}

	/**
	 * Records how each lock for one call was granted last: a fencing token is the
	 * server's time.
	 */
	void recordLastGrants() {
		try {
			this.servers.forEachHash(key(LockNumbers.singlePattern()), this::recordLastGrant);
		}
		catch (JedisException ex) {
			// Next time.
		}
	}

	private void recordLastGrant(String key, Map<String, String> lock) {
		long now = System.nanoTime();
		String micros = lock.get("token");
		if (micros != null) {
			long token = Long.parseLong(micros);
			Duration ago = Duration.between(Instant.EPOCH.plus(token, ChronoUnit.MICROS), Instant.now());
			this.recorder.lastGrant(LockNumbers.number(key), token, now - ago.toNanos(), isHeld(lock), now);
		}
	}

	private static boolean isHeld(Map<String, String> lock) {
		// The layout stands before the moment.
		return Long.parseLong(lock.getOrDefault("until", "3:0").substring(2)) > System.currentTimeMillis();
	}

	/**
	 * Records what is left of each lock, and whether it can be had.
	 * @param session a client of its own
	 * @param locks how many
	 * @param describes whether this knows what the library leaves in the server
	 * @param stopped ids of the clients that have ended what they did, and were not
	 * killed
	 */
	void recordRemains(Session session, int locks, boolean describes, Set<String> stopped) throws InterruptedException {
		Hold first = acquire(session, "warm-up-0");
		if (first != null) {
			first.release();
		}
		for (int lock = 0; lock < locks; lock++) {
			String name = LockNumbers.name(lock);
			long residue = describes ? count(name, (copy) -> residue(copy, stopped)) : 0;
			long start = System.nanoTime();
			Hold hold = acquire(session, name);
			long end = System.nanoTime();
			if (hold != null) {
				hold.release();
				residue += describes ? count(name, (copy) -> queue(copy).count()) : 0;
			}
			this.recorder.remains(lock, (hold != null) ? end - start : -1, residue, end);
		}
	}

	private static @Nullable Hold acquire(Session session, String name) throws InterruptedException {
		try {
			return session.acquire(LockRequest.renewed(name, PATIENCE));
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	private long count(String name, ToLongFunction<Copy> things) {
		return this.servers.copies(key(name)).stream().mapToLong(things).sum();
	}

	/**
	 * Counts what should not be there when nobody wants a lock any more: a hold, a key
	 * that stays for ever, places in the queue. The place of a client that was killed may
	 * stay until the next acquisition, or as long as the key, if it does not count any
	 * more.
	 */
	static long residue(Copy copy, Set<String> stopped) {
		// The moment of a place and its client stand at its end.
		long places = queue(copy).filter((field) -> field.startsWith("w:"))
			.map((field) -> copy.fields().getOrDefault(field, "").split(" "))
			.filter((place) -> stopped.contains(place[place.length - 1])
					|| Long.parseLong(place[place.length - 2]) > System.currentTimeMillis())
			.count();
		return places + (isHeld(copy.fields()) ? 1 : 0) + ((copy.lifetime() == -1) ? 1 : 0);
	}

	/**
	 * The fields of the queue.
	 */
	private static Stream<String> queue(Copy copy) {
		return copy.fields().keySet().stream().filter((field) -> field.startsWith("w:") || QUEUE_ENDS.contains(field));
	}

}
