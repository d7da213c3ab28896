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

import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.server.AcquireCommand;
import io.holdfast.lock.internal.server.LockRequest;
import io.holdfast.lock.internal.server.ReleaseCommand;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.core.script.RedisScript;

/**
 * A request of a thread to {@code mutex-request.lua}, or to a faster script for one
 * request, on its way through {@link RequestCombiner}.
 *
 * @param <T> what becomes of the answer
 */
final class CombinedRequest<T> {

	enum State {

		/** Is in the queue, or will be. */
		WAITS,

		/** Another thread, or its own, has begun to send it. */
		SENT,

		/** Has an answer, or failed for want of one. */
		ANSWERED,

		/** Was sent in vain: its thread shall send it alone. */
		ALONE

	}

	final Thread thread = Thread.currentThread();

	final String key;

	final String text;

	final @Nullable Single single;

	final Function<String, T> reader;

	private volatile State state = State.WAITS;

	private @Nullable T value;

	private @Nullable LockServerException failure;

	private boolean sent;

	private @Nullable LockServerException refusal;

	CombinedRequest(String key, String text, Function<String, T> reader) {
		this(key, text, null, reader);
	}

	/**
	 * Create a request.
	 * @param text what it asks of the script for many requests
	 * @param single how it is asked alone; {@code null} if in the same way
	 */
	CombinedRequest(String key, String text, @Nullable Single single, Function<String, T> reader) {
		this.key = key;
		this.text = text;
		this.single = single;
		this.reader = reader;
	}

	/**
	 * An acquisition as the script reads it.
	 * @param waits whether to join the queue
	 * @param notAfter the server's time after which it must not take effect, or 0
	 */
	static String text(AcquireCommand command, boolean waits, long notAfter) {
		LockRequest request = command.request();
		return "acquire " + command.id() + ' ' + text(request) + ' ' + (waits ? 1 : 0) + ' ' + notAfter;
	}

	/**
	 * A release as the script reads it, with the request that takes its place.
	 */
	static String text(ReleaseCommand command) {
		LockRequest next = command.next();
		String release = "release " + command.id() + ' ' + command.token();
		return (next != null) ? release + ' ' + command.nextId() + ' ' + text(next) : release;
	}

	private static String text(LockRequest request) {
		return request.mode() + ' ' + request.leaseMillis() + ' ' + request.block();
	}

	State state() {
		return this.state;
	}

	boolean isOver() {
		return this.state == State.ANSWERED || this.state == State.ALONE;
	}

	void sent() {
		this.state = State.SENT;
		this.sent = true;
	}

	/**
	 * Whether it was on its way with others.
	 */
	boolean wasSent() {
		return this.sent;
	}

	void read(String answer) {
		this.value = this.reader.apply(answer);
	}

	void fail(LockServerException because) {
		this.failure = because;
	}

	/**
	 * Takes in that the call was refused, be it because of this request or another.
	 */
	void refuse(LockServerException because) {
		this.refusal = because;
	}

	/**
	 * Why the call was refused; {@code null} if it was not, or was sent before.
	 */
	@Nullable LockServerException refusal() {
		return this.refusal;
	}

	/**
	 * Ends the call in which it was sent, and wakes its thread.
	 */
	void end() {
		this.state = (this.value != null || this.failure != null) ? State.ANSWERED : State.ALONE;
		LockSupport.unpark(this.thread);
	}

	/**
	 * What its thread was waiting for.
	 * @throws LockServerException if the server did not answer
	 */
	T result() {
		if (this.failure != null) {
			throw this.failure;
		}
		return Objects.requireNonNull(this.value);
	}

	/**
	 * The same request to a script that takes no other.
	 *
	 * @param script the script
	 * @param args what it asks
	 */
	record Single(RedisScript<String> script, List<String> args) {
	}

}
