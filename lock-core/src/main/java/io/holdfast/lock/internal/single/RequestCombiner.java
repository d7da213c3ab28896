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
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockKeys;
import io.holdfast.lock.internal.server.RedisErrors;
import io.holdfast.lock.internal.single.CombinedRequest.Single;
import io.holdfast.lock.internal.single.CombinedRequest.State;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of all threads of a client; those that meet travel together.
 */
final class RequestCombiner {

	// @formatter:off
	/*
	 * Algorithm: flat combining (Hendler, Incze, Shavit and Tzafrir, 2010) with a few combiners.
	 * While MAX_CALLS calls are under way, a further request waits in a queue. Whoever ends a call
	 * wakes the first one there, and that thread sends all that wait, its own among them, in one
	 * call. So one round trip and one run of the script serve many threads. Once several have
	 * met in a call there may be only CROWD_CALLS, so that more meet: fewer and larger calls cost
	 * both sides less. Where few threads ask at a time, each sends its own request.
	 *
	 * Why no request waits indefinitely. It is added to the queue before that thread looks for a free
	 * place for a call, and a place is freed before its thread looks into the queue, so one of the
	 * two sees the other. A call that hangs with its connection does not hold up the rest: after
	 * PATIENCE its place is free for another. The first one in the queue looks for that; whoever
	 * makes another one the first wakes it.
	 *
	 * Why no request suffers from another. If a call is refused, be it because of one request, in
	 * the middle of them, each thread sends its own request again by itself: requests may run
	 * twice. If the server gave no answer, it
	 * gave none to anybody.
	 *
	 * A cluster takes no keys of different slots in one call, so there each request goes alone.
	 */
	// @formatter:on

	private static final int MAX_CALLS = 4;

	private static final int CROWD_CALLS = 2;

	/**
	 * So few that the server is not busy with one call for long.
	 */
	static final int MAX_REQUESTS = 32;

	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * How long those behind the first one sleep at most, if nobody wakes them.
	 */
	private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Scripts scripts;

	private final LockKeys keys;

	private final List<String> settings;

	private final AtomicReferenceArray<@Nullable Call> calls;

	private final Queue<CombinedRequest<?>> queue = new ConcurrentLinkedQueue<>();

	/**
	 * Whether several requests met in the latest call.
	 */
	private volatile boolean crowded;

	private volatile @Nullable Boolean combines;

	/**
	 * Create the sender.
	 * @param settings the arguments of the script before those of the requests
	 */
	RequestCombiner(Scripts scripts, LockKeys keys, List<String> settings) {
		this(scripts, keys, settings, MAX_CALLS);
	}

	RequestCombiner(Scripts scripts, LockKeys keys, List<String> settings, int maxCalls) {
		this.calls = new AtomicReferenceArray<>(maxCalls);
		this.scripts = scripts;
		this.keys = keys;
		this.settings = settings;
	}

	/**
	 * Sends a request of this thread and waits for its answer.
	 */
	<T> T send(CombinedRequest<T> request) {
		if (!combines(request)) {
			return sendAlone(request);
		}
		Call call = begin();
		if (call == null || !this.queue.isEmpty()) {
			this.queue.add(request);
			if (call != null) {
				sendWaiting(call);
			}
			return await(request);
		}
		this.crowded = false;
		try {
			return sendAlone(request);
		}
		finally {
			end(call);
		}
	}

	private boolean combines(CombinedRequest<?> request) {
		Boolean known = this.combines;
		if (known == null) {
			known = this.scripts.takesManyKeys(request.key);
			this.combines = known;
		}
		return known;
	}

	/**
	 * Takes a place for a call.
	 * @return the call, or {@code null} if there is no free place
	 */
	private @Nullable Call begin() {
		Call call = new Call(System.nanoTime());
		int places = this.crowded ? Math.min(CROWD_CALLS, this.calls.length()) : this.calls.length();
		for (int place = 0; place < places; place++) {
			Call other = this.calls.get(place);
			boolean free = other == null || call.startNanos - other.startNanos >= PATIENCE_NANOS;
			if (free && this.calls.compareAndSet(place, other, call)) {
				return call;
			}
		}
		return null;
	}

	private void end(Call call) {
		for (int place = 0; place < this.calls.length(); place++) {
			if (this.calls.get(place) == call) {
				this.calls.compareAndSet(place, call, null);
			}
		}
		wakeFirst();
	}

	private void wakeFirst() {
		CombinedRequest<?> first = this.queue.peek();
		if (first != null) {
			LockSupport.unpark(first.thread);
		}
	}

	/**
	 * Waits for the answer to a request of this thread that is in the queue, or that
	 * another thread sends.
	 */
	private <T> T await(CombinedRequest<T> request) {
		boolean interrupted = false;
		try {
			while (!request.isOver()) {
				interrupted |= Thread.interrupted();
				Call call = (request.state() == State.WAITS) ? begin() : null;
				if (call == null || !sendWaiting(call)) {
					LockSupport.parkNanos(this, request.equals(this.queue.peek()) ? PATIENCE_NANOS : REST_NANOS);
				}
			}
			return (request.state() == State.ANSWERED) ? request.result() : sendAgain(request);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private <T> T sendAgain(CombinedRequest<T> request) {
		try {
			return sendAlone(request);
		}
		catch (LockServerException ex) {
			// If others were at fault the first time, it may have been carried out
			// before.
			boolean undone = !request.wasSent() || RedisErrors.isSameRefusal(request.refusal(), ex);
			throw undone ? ex : RedisErrors.ofRepeated(ex);
		}
	}

	private <T> T sendAlone(CombinedRequest<T> request) {
		return run(List.of(request), (answers) -> request.reader.apply((String) answers.get(0)));
	}

	/**
	 * Sends all that wait in a call that has begun, and ends it.
	 * @return whether there were any
	 */
	private boolean sendWaiting(Call call) {
		// Large enough for all: who is taken out of the queue must be among them.
		List<CombinedRequest<?>> together = new ArrayList<>(MAX_REQUESTS);
		CombinedRequest<?> next = this.queue.poll();
		while (next != null) {
			next.sent();
			together.add(next);
			next = (together.size() < MAX_REQUESTS) ? this.queue.poll() : null;
		}
		if (together.size() == MAX_REQUESTS) {
			wakeFirst();
		}
		this.crowded = together.size() > 1;
		try {
			if (!together.isEmpty()) {
				send(together);
			}
			return !together.isEmpty();
		}
		finally {
			end(call);
			together.forEach(CombinedRequest::end);
		}
	}

	private void send(List<CombinedRequest<?>> together) {
		try {
			run(together, (answers) -> read(together, answers));
		}
		catch (LockServerException ex) {
			if (ex.reason() == Reason.REFUSED) {
				together.forEach((each) -> each.refuse(ex));
			}
			else if (!RedisErrors.isRepeatedAndRefused(ex)) {
				together.forEach((each) -> each.fail(RedisErrors.alsoOf(this.keys.nameOf(each.key), ex)));
			}
		}
	}

	/**
	 * Runs a script: that for many requests, or a faster one for a single request that
	 * has such a form.
	 */
	private <T> T run(List<CombinedRequest<?>> together, Function<List<?>, T> reader) {
		List<String> lockKeys = together.stream().map((each) -> each.key).toList();
		Single single = (together.size() == 1) ? together.get(0).single : null;
		if (single == null) {
			return this.scripts.run(new ScriptRunner.Call<>(LockScript.REQUESTS, lockKeys, reader, args(together)));
		}
		return this.scripts.run(new ScriptRunner.Call<>(single.script(), lockKeys,
				(answer) -> reader.apply(List.of(answer)), single.args()));
	}

	private List<String> args(List<CombinedRequest<?>> together) {
		List<String> args = new ArrayList<>(this.settings);
		together.forEach((each) -> args.add(each.text));
		return args;
	}

	/**
	 * Reads all answers before anybody may act on one: if one of them is not what was
	 * asked for, none is.
	 */
	private static boolean read(List<CombinedRequest<?>> together, List<?> answers) {
		if (answers.size() != together.size()) {
			throw new IllegalArgumentException(answers.size() + " answers came instead of " + together.size());
		}
		for (int i = 0; i < answers.size(); i++) {
			together.get(i).read((String) answers.get(i));
		}
		return true;
	}

	/**
	 * How scripts are run.
	 */
	interface Scripts {

		/**
		 * Runs a script.
		 */
		<T> T run(ScriptRunner.Call<?, T> call);

		/**
		 * Whether a script can take keys of any locks at once.
		 * @param lockKey the lock for which that is asked
		 */
		boolean takesManyKeys(String lockKey);

	}

	/**
	 * A call under way: compared by identity.
	 */
	private static final class Call {

		private final long startNanos;

		Call(long startNanos) {
			this.startNanos = startNanos;
		}

	}

}
