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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.redis.Request.State;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * Sends the requests of all threads of a client; those that meet travel together.
 */
final class Requests {

	// @formatter:off
	/*
	 * Algorithm: flat combining (Hendler, Incze, Shavit and Tzafrir, 2010) with a few combiners.
	 * While MAX_CALLS calls are under way, a further request waits in a queue. Whoever ends a call
	 * wakes the first one there, and that thread sends all that wait, its own among them, in one
	 * call. So one round trip and one run of the script serve many threads. Where few threads ask
	 * at a time, each sends its own request.
	 *
	 * Why no request waits for ever. It is added to the queue before its thread looks for a free
	 * place for a call, and a place is freed before its thread looks into the queue, so one of the
	 * two sees the other. A call that hangs with its connection does not hold up the rest: after
	 * PATIENCE its place is free for another. The first one in the queue looks for that; whoever
	 * makes another one the first wakes it.
	 *
	 * Why no request suffers from another. If a call is refused, be it because of one request, in
	 * the middle of them, or because the thread that sends it was interrupted, each thread sends
	 * its own request again by itself: requests may run twice. If the server gave no answer, it
	 * gave none to anybody.
	 *
	 * An unhurried request goes along with whatever its client sends next. It goes by itself when
	 * nothing was sent for UNHURRIED.
	 *
	 * A cluster takes no keys of different slots in one call, so there each sends its own.
	 */
	// @formatter:on

	private static final int MAX_CALLS = 4;

	/**
	 * So few that the server is not busy with one call for long.
	 */
	private static final int MAX_REQUESTS = 32;

	private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long UNHURRIED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * How long those behind the first one sleep at most, if nobody wakes them.
	 */
	private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Scripts scripts;

	private final LockKeys keys;

	private final List<String> settings;

	private final AtomicReferenceArray<@Nullable Call> calls;

	private final Queue<Request<?>> queue = new ConcurrentLinkedQueue<>();

	private volatile @Nullable Boolean combines;

	/**
	 * Create the sender.
	 * @param settings the arguments of the script before those of the requests
	 */
	Requests(Scripts scripts, LockKeys keys, List<String> settings) {
		this(scripts, keys, settings, MAX_CALLS);
	}

	Requests(Scripts scripts, LockKeys keys, List<String> settings, int maxCalls) {
		this.calls = new AtomicReferenceArray<>(maxCalls);
		this.scripts = scripts;
		this.keys = keys;
		this.settings = settings;
	}

	/**
	 * Sends a request and waits for its answer.
	 * @param interruptible whether to fail if the thread is interrupted meanwhile
	 * @param reader what becomes of the answer; throws {@link IllegalArgumentException}
	 * if it is none
	 */
	<T> T send(String key, String text, boolean interruptible, Function<String, T> reader) {
		return send(new Request<>(key, text, interruptible, false, reader));
	}

	/**
	 * Sends a request with the next call of another thread, or after a moment, and waits
	 * for its answer.
	 */
	<T> T sendUnhurried(String key, String text, boolean interruptible, Function<String, T> reader) {
		return send(new Request<>(key, text, interruptible, true, reader));
	}

	private <T> T send(Request<T> request) {
		if (!combines(request)) {
			return sendAlone(request);
		}
		Call call = request.isUnhurried() ? null : begin();
		if (call == null) {
			this.queue.add(request);
		}
		else if (!this.queue.isEmpty()) {
			request.send();
			sendWaiting(call, request);
		}
		else {
			try {
				return sendAlone(request);
			}
			finally {
				end(call);
			}
		}
		return await(request);
	}

	private boolean combines(Request<?> first) {
		Boolean known = this.combines;
		if (known == null) {
			known = this.scripts.takesManyKeys(first.key, first.interruptible);
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
		for (int place = 0; place < this.calls.length(); place++) {
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
		for (Request<?> next : this.queue) {
			if (!next.isUnhurried()) {
				LockSupport.unpark(next.thread);
				return;
			}
		}
	}

	private <T> T await(Request<T> request) {
		long start = System.nanoTime();
		boolean interrupted = false;
		try {
			while (!request.isOver()) {
				interrupted |= Thread.interrupted();
				if (interrupted && request.interruptible) {
					this.queue.remove(request);
					wakeFirst();
					throw ServerFailures.sort(this.keys.nameOf(request.key), new InterruptedException());
				}
				long left = UNHURRIED_NANOS - (System.nanoTime() - start);
				if (request.isUnhurried() && left > 0) {
					LockSupport.parkNanos(this, left);
					continue;
				}
				request.hurry();
				Call call = (request.state() == State.WAITS) ? begin() : null;
				if (call != null) {
					sendWaiting(call, null);
				}
				else {
					LockSupport.parkNanos(this, request.equals(this.queue.peek()) ? PATIENCE_NANOS : REST_NANOS);
				}
			}
			return (request.state() == State.ANSWERED) ? request.result() : sendAlone(request);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private <T> T sendAlone(Request<T> request) {
		return this.scripts.run(LockScript.REQUEST, List.of(request.key), request.interruptible, request.reader,
				args(List.of(request)));
	}

	/**
	 * Sends all that wait in a call that has begun, and ends it.
	 * @param first one that goes with them, if any
	 */
	private void sendWaiting(Call call, @Nullable Request<?> first) {
		List<Request<?>> together = new ArrayList<>();
		try {
			if (first != null) {
				together.add(first);
			}
			Request<?> next = this.queue.poll();
			while (next != null) {
				next.send();
				together.add(next);
				next = (together.size() < MAX_REQUESTS) ? this.queue.poll() : null;
			}
			if (together.size() == MAX_REQUESTS) {
				wakeFirst();
			}
			if (!together.isEmpty()) {
				send(together);
			}
		}
		finally {
			end(call);
			together.forEach(Request::end);
		}
	}

	private void send(List<Request<?>> together) {
		// The calling thread gives up if it is among those who do when they are
		// interrupted.
		boolean interruptible = together.stream()
			.anyMatch((each) -> each.interruptible && each.thread.equals(Thread.currentThread()));
		List<String> lockKeys = together.stream().map((each) -> each.key).toList();
		try {
			if (together.size() == 1) {
				this.scripts.run(LockScript.REQUEST, lockKeys, interruptible,
						(answer) -> read(together, List.of(answer)), args(together));
			}
			else {
				this.scripts.run(LockScript.REQUESTS, lockKeys, interruptible, (answers) -> read(together, answers),
						args(together));
			}
		}
		catch (LockServerException ex) {
			if (ex.reason() != Reason.REFUSED && !ServerFailures.isInterrupt(ex)) {
				Throwable cause = Objects.requireNonNullElse(ex.getCause(), ex);
				together.forEach((each) -> each.fail(ServerFailures.sort(this.keys.nameOf(each.key), cause)));
			}
		}
	}

	private Object[] args(List<Request<?>> together) {
		List<String> args = new ArrayList<>(this.settings);
		together.forEach((each) -> args.add(each.text));
		return args.toArray();
	}

	/**
	 * Reads all answers before anybody may act on one: if one of them is not what was
	 * asked for, none is.
	 */
	private static boolean read(List<Request<?>> together, List<?> answers) {
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

		<A, T> T run(RedisScript<A> script, List<String> lockKeys, boolean interruptible, Function<A, T> reader,
				Object... args);

		/**
		 * Whether a script can take keys of any locks at once.
		 * @param lockKey the lock for which that is asked
		 */
		boolean takesManyKeys(String lockKey, boolean interruptible);

	}

	/**
	 * A call under way: itself, not its value, is what stands in a place.
	 */
	private static final class Call {

		private final long startNanos;

		Call(long startNanos) {
			this.startNanos = startNanos;
		}

	}

}
