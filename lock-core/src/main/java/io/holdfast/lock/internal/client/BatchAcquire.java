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

package io.holdfast.lock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.holdfast.lock.LockClientClosedException;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockObserver.Failure;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LeaseSpec;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks that are free by one call of the server. Waits for none of them.
 *
 * @param <T> what there is of a lock that was acquired
 */
final class BatchAcquire<T> implements AllOrNothing.Batch<T> {

	/*
	 * Algorithm. Each lock has a request and a waiter of its own in the engine, which
	 * does not wait, as if it were asked for alone. Only the questions travel together,
	 * in a script that grants all or none. So whatever the engine does about an answer
	 * that is lost, a message that is faster, a client that is closed, a thread that dies
	 * or callers that queue up behind, it does for each of them.
	 *
	 * Why nothing stays behind. Every call that has entered finishes or gives up, also if
	 * another one fails. Without an answer each request may hold its lock, now or later:
	 * as each of them gives up, each is released in the background, for as long as it may
	 * take effect. An answer of which some hold and some do not, as a call gives that is
	 * repeated after a forced release, is none: those that hold are released.
	 *
	 * Why no lock suffers from another. A call that is refused, perhaps because of one of
	 * its keys, is no failure of any lock: callers that wait behind one of the questions
	 * ask themselves. As the driver may have sent it twice, it may have had an effect all
	 * the same. So the questions stay without an answer, and each is released before the
	 * locks are acquired one by one.
	 *
	 * Why nobody waits in a circle. All that this waits for is the server. No question is
	 * begun before all have joined: one that is begun and not sent would be released.
	 *
	 * Why nobody is overtaken. The script grants nothing where anybody waits. In this
	 * client the attempt is refused, before anything is sent, where another holds a lock
	 * or is known to wait; it may overtake one whose first question is on its way, as
	 * every attempt may that does not wait.
	 *
	 * What observers are told. That each lock is wanted, before the first one joins: they
	 * may take their time, and the waiters of a lock would wait for them. That it was
	 * acquired, when all are. Otherwise the attempt is not over: whoever acquires the
	 * locks one by one goes on with it. What is left in the end, as another lock was
	 * refused or something was thrown, failed with that.
	 *
	 * Races that remain. If an interrupt breaks off the call, the driver sends it again.
	 * If the first one arrives after the answer to the second one was "none", its holds
	 * end with their lease; the same is so for a single lock. Replicas acknowledge one
	 * lock after the other: if one of them fails, all are given back.
	 */

	private final LockRuntime runtime;

	private final @Nullable String declaredName;

	private final LockType type;

	private final Supplier<?> owners;

	private final LeaseSpec lease;

	private final boolean interruptible;

	private final Function<Grant, T> result;

	/**
	 * These are made before there is anything to give back: later there may be no memory
	 * for them.
	 */
	private final Consumer<Grant> release;

	private final Consumer<BlockingAcquire> giveUp = BlockingAcquire::giveUp;

	/**
	 * The locks of the latest call, in order, and who is to be told what comes of each;
	 * {@code null} where that is told, or left to another.
	 */
	private List<String> names = List.of();

	private LockObserver.@Nullable Attempt[] attempts = {};

	/** How long that call took. */
	private long tookNanos;

	/**
	 * Prepare to acquire.
	 * @param declaredName what the locks are called in metrics
	 * @param owners names who will own the next grant
	 * @param interruptible whether an interrupt ends the acquisition
	 * @param result what to make of a grant
	 */
	BatchAcquire(LockRuntime runtime, @Nullable String declaredName, LockType type, Supplier<?> owners, LeaseSpec lease,
			boolean interruptible, Function<Grant, T> result) {
		this.runtime = runtime;
		this.declaredName = declaredName;
		this.type = type;
		this.owners = owners;
		this.lease = lease;
		this.interruptible = interruptible;
		this.result = result;
		this.release = runtime.releaser()::releaseQuietly;
	}

	@Override
	public int batchSize(List<String> names) {
		return this.runtime.server().batchSize(keys(names));
	}

	@Override
	public List<T> acquire(List<String> names, Duration maxWait) throws InterruptedException {
		if (this.interruptible && Thread.currentThread().isInterrupted()) {
			// The single acquisition that follows throws.
			return List.of();
		}
		StackReserve.check();
		List<BlockingAcquire> calls = calls(names);
		if (calls.isEmpty()) {
			return List.of();
		}
		List<Grant> grants = new ArrayList<>(names.size());
		List<T> acquired = new ArrayList<>(names.size());
		long start = this.runtime.engine().now();
		observe(names);
		try {
			if (calls.stream().allMatch(BlockingAcquire::join)) {
				List<AcquireCommand> questions = questions(calls);
				if (questions.size() == names.size() && ask(names, calls, questions, maxWait)) {
					finish(calls, grants, acquired);
				}
			}
		}
		finally {
			if (acquired.size() < names.size()) {
				giveBack(calls, grants);
			}
			this.tookNanos = this.runtime.engine().now() - start;
		}
		if (acquired.size() < names.size()) {
			return List.of();
		}
		for (int i = 0; i < calls.size(); i++) {
			calls.get(i).tellAcquired(takeAttempt(names.get(i)), grants.get(i));
		}
		return acquired;
	}

	private void observe(List<String> names) {
		// Allocate first: once an observer knows of an attempt, it must also learn how it
		// ended.
		this.attempts = new LockObserver.Attempt[names.size()];
		this.names = names;
		for (int i = 0; i < this.attempts.length; i++) {
			this.attempts[i] = this.runtime.observers().wanted(names.get(i), this.declaredName, this.type);
		}
	}

	/**
	 * Leaves an attempt at one of the locks to the caller: the one that this has begun,
	 * or else a new one.
	 * @return who is to be told what comes of it
	 */
	LockObserver.Attempt takeAttempt(String name) {
		int index = Collections.binarySearch(this.names, name);
		LockObserver.Attempt begun = (index >= 0) ? this.attempts[index] : null;
		if (begun == null) {
			return this.runtime.observers().wanted(name, this.declaredName, this.type);
		}
		this.attempts[index] = null;
		return begun;
	}

	@Override
	public void end(@Nullable Throwable thrown) {
		LockServerException reason = (thrown instanceof LockServerException failure) ? failure : null;
		for (int i = 0; i < this.attempts.length; i++) {
			LockObserver.Attempt left = this.attempts[i];
			if (left != null) {
				this.attempts[i] = null;
				this.runtime.observers().failed(left, failure(thrown), this.tookNanos, reason);
			}
		}
	}

	private static Failure failure(@Nullable Throwable thrown) {
		if (thrown == null) {
			return Failure.REFUSED;
		}
		if (thrown instanceof LockServerException) {
			return Failure.SERVER;
		}
		if (thrown instanceof InterruptedException) {
			return Failure.INTERRUPTED;
		}
		return (thrown instanceof LockClientClosedException) ? Failure.CLOSED : Failure.ERROR;
	}

	private List<String> keys(List<String> names) {
		return names.stream().map(this.runtime.keys()::lock).toList();
	}

	/**
	 * A call for each lock, none of which has begun.
	 * @return none if the owner has one of the locks: re-entry needs no call
	 */
	private List<BlockingAcquire> calls(List<String> names) {
		List<BlockingAcquire> calls = new ArrayList<>(names.size());
		for (String name : names) {
			Object owner = this.owners.get();
			if (this.runtime.engine().grant(name, owner) != null) {
				return List.of();
			}
			calls.add(new BlockingAcquire(this.runtime, name, this.type, owner, this.lease, 0, this.interruptible,
					() -> LockObserver.Attempt.UNOBSERVED));
		}
		return calls;
	}

	/**
	 * What each has to ask; fewer than all if one of them has nothing to ask.
	 */
	private static List<AcquireCommand> questions(List<BlockingAcquire> calls) {
		List<AcquireCommand> questions = new ArrayList<>(calls.size());
		for (BlockingAcquire call : calls) {
			AcquireCommand question = call.question();
			if (question == null) {
				return questions;
			}
			questions.add(question);
		}
		return questions;
	}

	/**
	 * Sends the questions.
	 * @return whether to finish: all hold, or there was no answer, which the first one
	 * says when it finishes
	 * @throws LockServerException if the server refused, and nobody says what came of the
	 * questions
	 */
	private boolean ask(List<String> names, List<BlockingAcquire> calls, List<AcquireCommand> questions,
			Duration maxWait) {
		List<LockReply> replies;
		try {
			long deadline = this.runtime.engine().now() + DefaultLockClient.nanos(maxWait);
			replies = this.runtime.server().acquireAll(keys(names), questions, !maxWait.isZero(), deadline);
		}
		catch (Throwable ex) {
			LockServerException failure = RedisErrors.classify(names.get(0), ex);
			if (RedisErrors.mayPassAlone(failure)) {
				throw failure;
			}
			for (int i = 0; i < names.size(); i++) {
				calls.get(i).failed(questions.get(i), RedisErrors.alsoOf(names.get(i), failure));
			}
			return true;
		}
		for (int i = 0; i < names.size(); i++) {
			calls.get(i).replied(questions.get(i), replies.get(i));
		}
		return replies.stream().allMatch(LockReply::holds);
	}

	private void finish(List<BlockingAcquire> calls, List<Grant> grants, List<T> acquired) throws InterruptedException {
		for (BlockingAcquire call : calls) {
			Grant grant = call.finish();
			if (grant == null) {
				return;
			}
			grants.add(grant);
			acquired.add(this.result.apply(grant));
		}
	}

	/**
	 * Has all leave that have not left, and releases what the others have.
	 */
	private void giveBack(List<BlockingAcquire> calls, List<Grant> grants) {
		try {
			AllOrNothing.giveBackAll(calls, this.giveUp);
		}
		finally {
			AllOrNothing.giveBackAll(grants, this.release);
		}
	}

}
