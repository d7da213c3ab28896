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

package io.holdfast.lock.internal.quorum;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.single.RedisLockServer;

/**
 * What the servers of a quorum answer to one question, as it comes in. The one who asked
 * takes what is there when that is enough, or when the time is over; answers that come
 * later do not count. Thread-safe.
 *
 * @param <T> an answer
 */
final class QuorumCall<T> {

	private final int servers;

	private final long sinceNanos = System.nanoTime();

	private final Map<RedisLockServer, T> answers = new LinkedHashMap<>();

	private final Map<RedisLockServer, LockServerException> failures = new LinkedHashMap<>();

	private boolean closed;

	QuorumCall(int servers) {
		this.servers = servers;
	}

	boolean isOlderThan(Duration age) {
		return System.nanoTime() - this.sinceNanos > age.toNanos();
	}

	synchronized void answer(RedisLockServer server, T answer) {
		if (!this.closed) {
			this.answers.put(server, answer);
			notifyAll();
		}
	}

	synchronized void fail(RedisLockServer server, LockServerException failure) {
		this.failures.put(server, failure);
		notifyAll();
	}

	/**
	 * Waits until it is decided, all servers have answered or failed, or the time since
	 * it was asked is over. The status of a thread that is interrupted meanwhile is set
	 * afterwards.
	 * @param lingerNanos how long to wait for the other servers when it is decided
	 */
	synchronized void await(Predicate<QuorumCall<T>> isDecided, long timeoutNanos, long lingerNanos) {
		long end = this.sinceNanos + timeoutNanos;
		boolean decided = false;
		boolean interrupted = false;
		try {
			while (this.answers.size() + this.failures.size() < this.servers) {
				if (!decided && isDecided.test(this)) {
					decided = true;
					end = Math.min(end - this.sinceNanos, System.nanoTime() - this.sinceNanos + lingerNanos)
							+ this.sinceNanos;
				}
				long left = end - System.nanoTime();
				if (left <= 0) {
					return;
				}
				try {
					// No shorter than a millisecond, which zero would make endless.
					wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			this.closed = true;
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * How many answers match.
	 */
	synchronized int count(Predicate<? super T> answer) {
		return (int) this.answers.values().stream().filter(answer).count();
	}

	synchronized int failed() {
		return this.failures.size();
	}

	synchronized List<T> answers() {
		return List.copyOf(this.answers.values());
	}

	synchronized boolean hasAnswer(RedisLockServer server, Predicate<? super T> answer) {
		T given = this.answers.get(server);
		return given != null && answer.test(given);
	}

	synchronized boolean isUnreachable(RedisLockServer server) {
		LockServerException failure = this.failures.get(server);
		return failure != null && failure.reason() == Reason.UNREACHABLE;
	}

	synchronized List<LockServerException> failures() {
		return List.copyOf(this.failures.values());
	}

}
