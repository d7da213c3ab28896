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

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.single.RedisLockServer;

/**
 * A question about a lock, and what the servers of a quorum answer to it, as it comes in.
 * The one who asked takes what is there when that is enough, or when the time is over;
 * answers that come later do not count. Thread-safe.
 *
 * @param <T> an answer
 */
final class QuorumCall<T> {

	private final QuorumMembers members;

	private final String key;

	private final long sinceNanos = System.nanoTime();

	private final Map<RedisLockServer, T> answers = new LinkedHashMap<>();

	private final Map<RedisLockServer, LockServerException> failures = new LinkedHashMap<>();

	/**
	 * Has a permit for each answer or failure that came in since the last look.
	 */
	private final Semaphore changed = new Semaphore(0);

	private int asked;

	private boolean closed;

	/**
	 * Prepare a question.
	 * @param key the lock
	 */
	QuorumCall(QuorumMembers members, String key) {
		this.members = members;
		this.key = key;
	}

	/**
	 * Asks some servers, without waiting for them.
	 * @param onContention what to do where one did not answer
	 */
	QuorumCall<T> send(Predicate<RedisLockServer> whom, Function<RedisLockServer, T> question,
			BiConsumer<RedisLockServer, LockServerException> onContention) {
		this.asked = (int) this.members.servers().stream().filter(whom).count();
		this.members.tell(this.key, whom, (server) -> {
			if (System.nanoTime() - this.sinceNanos > this.members.timeoutNanos()) {
				throw this.members.failure(this.key, Reason.UNREACHABLE, "one of the Redis servers is too slow", null);
			}
			answer(server, question.apply(server));
		}, (server, ex) -> {
			onContention.accept(server, ex);
			fail(server, ex);
		});
		return this;
	}

	private synchronized void answer(RedisLockServer server, T answer) {
		if (!this.closed) {
			this.answers.put(server, answer);
			this.changed.release();
		}
	}

	private synchronized void fail(RedisLockServer server, LockServerException failure) {
		this.failures.put(server, failure);
		this.changed.release();
	}

	/**
	 * Waits until it is decided, all servers have answered or failed, or the time is
	 * over.
	 */
	QuorumCall<T> await(Predicate<QuorumCall<T>> isDecided) {
		await(isDecided, 0);
		return this;
	}

	/**
	 * Waits for all servers that answer in time, but not much longer than it takes to
	 * have enough answers.
	 */
	QuorumCall<T> awaitAll(Predicate<QuorumCall<T>> isEnough) {
		await(isEnough, this.members.timeoutNanos() / 4);
		return this;
	}

	/**
	 * Waits until it is decided, all servers have answered or failed, or the time since
	 * it was asked is over. The status of a thread that is interrupted meanwhile is set
	 * afterwards.
	 * @param lingerNanos how long to wait for the other servers when it is decided
	 */
	private void await(Predicate<QuorumCall<T>> isDecided, long lingerNanos) {
		long end = this.sinceNanos + this.members.timeoutNanos();
		boolean decided = false;
		boolean interrupted = false;
		try {
			while (isOpen()) {
				if (!decided && is(isDecided)) {
					decided = true;
					end = Math.min(end - this.sinceNanos, System.nanoTime() - this.sinceNanos + lingerNanos)
							+ this.sinceNanos;
				}
				long left = end - System.nanoTime();
				if (left <= 0) {
					return;
				}
				try {
					// Outside the monitor: a virtual thread would pin its carrier.
					this.changed.tryAcquire(left, TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			close();
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Whether something is so of all that is known at one moment.
	 */
	private synchronized boolean is(Predicate<QuorumCall<T>> condition) {
		return condition.test(this);
	}

	private synchronized boolean isOpen() {
		return this.answers.size() + this.failures.size() < this.asked;
	}

	private synchronized void close() {
		this.closed = true;
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

	/**
	 * Makes sure that a majority has answered.
	 * @throws LockServerException if not
	 */
	QuorumCall<T> requireMajority() {
		if (answers().size() < this.members.majority()) {
			throw tooFew(0);
		}
		return this;
	}

	/**
	 * That too few servers have answered.
	 * @param starting how many of those that did may have forgotten who holds the lock
	 */
	synchronized LockServerException tooFew(int starting) {
		return this.members.tooFew(this.key, List.copyOf(this.failures.values()), starting);
	}

}
