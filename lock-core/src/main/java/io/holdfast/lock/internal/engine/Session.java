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

package io.holdfast.lock.internal.engine;

/**
 * A subscription of this client, by which others see that the client is alive. Once it is
 * gone it never comes back.
 * <p>
 * A hold that is tied to it may end when the session has been gone, and nothing was heard
 * of the hold, for the grace, by the clock of the server. So its owner believes in it for
 * no longer than the grace after the latest moment at which it knows that the server saw
 * the session, or carried out a command of the hold. Only this session's own moments
 * count: a hold may be tied to an earlier one that was gone before.
 */
public final class Session {

	/** What follows the client where a hold is tied to it. */
	final String name;

	final long graceNanos;

	private volatile long aliveNanos;

	Session(String name, long graceNanos, long aliveNanos) {
		this.name = name;
		this.graceNanos = graceNanos;
		this.aliveNanos = aliveNanos;
	}

	/**
	 * The server has seen it.
	 * @param sentNanos when it was asked
	 */
	void alive(long sentNanos) {
		this.aliveNanos = Context.later(this.aliveNanos, sentNanos);
	}

	/**
	 * Until when owners of holds that are tied to it may believe.
	 * @param heardNanos when the latest command of the hold was sent that was answered
	 */
	long sureNanos(long heardNanos) {
		return Context.later(this.aliveNanos, heardNanos) + this.graceNanos - this.graceNanos / 1000 - 1_000_000;
	}

}
