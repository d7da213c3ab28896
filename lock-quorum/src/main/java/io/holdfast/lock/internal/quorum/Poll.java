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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.redis.RedisLockServer;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of a quorum answer to a question about a lock, as it comes in. It is
 * over when enough is known, all have answered or failed, or the time is up; answers that
 * come later do not count. Thread-safe.
 *
 * @param <T> an answer
 */
final class Poll<T> {

	private final QuorumMembers members;

	private final String key;

	private final Predicate<Poll<T>> enough;

	final long timeoutNanos;

	private final long lingerNanos;

	private final Map<RedisLockServer, T> answers = new LinkedHashMap<>();

	private final Map<RedisLockServer, LockServerException> failures = new LinkedHashMap<>();

	/** Completes when it is over, with nothing but this. */
	final CompletableFuture<Poll<T>> over = new CompletableFuture<>();

	private boolean lingers;

	/**
	 * Begin to listen.
	 * @param key the lock
	 * @param lingers whether to wait, for a while, for the other servers when enough is
	 * known
	 * @param enough when that is
	 */
	Poll(QuorumMembers members, String key, boolean lingers, Predicate<Poll<T>> enough) {
		this.members = members;
		this.key = key;
		this.enough = enough;
		this.timeoutNanos = members.timeoutNanos();
		this.lingerNanos = lingers ? this.timeoutNanos / 4 : 0;
		this.over.completeOnTimeout(this, this.timeoutNanos, TimeUnit.NANOSECONDS);
	}

	/**
	 * A server has answered, or failed to. Its first word counts.
	 */
	void add(RedisLockServer server, @Nullable T answer, @Nullable LockServerException failure) {
		long pause = -1;
		synchronized (this) {
			if (this.over.isDone() || this.answers.containsKey(server) || this.failures.containsKey(server)) {
				return;
			}
			if (answer != null) {
				this.answers.put(server, answer);
				this.members.answered(this.answers.size());
			}
			else if (failure != null) {
				this.failures.put(server, failure);
			}
			if (this.answers.size() + this.failures.size() == this.members.servers.size()) {
				pause = 0;
			}
			else if (!this.lingers && this.enough.test(this)) {
				this.lingers = true;
				pause = this.lingerNanos;
			}
		}
		if (pause == 0) {
			this.over.complete(this);
		}
		else if (pause > 0) {
			this.over.completeOnTimeout(this, pause, TimeUnit.NANOSECONDS);
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

	synchronized @Nullable T answer(RedisLockServer server) {
		return this.answers.get(server);
	}

	synchronized boolean isUnreachable(RedisLockServer server) {
		LockServerException failure = this.failures.get(server);
		return failure != null && failure.reason() == Reason.UNREACHABLE;
	}

	/**
	 * Makes sure that a majority has answered.
	 * @throws LockServerException if not
	 */
	Poll<T> requireMajority() {
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
		return this.members.tooFew(this.key, List.copyOf(this.failures.values()), starting, this.timeoutNanos);
	}

}
