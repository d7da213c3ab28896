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

import java.util.ArrayDeque;

import io.holdfast.lock.internal.protocol.Command;

/**
 * What an input wants done, in order, outside of the monitor.
 */
public final class Effects extends ArrayDeque<Effects.Effect> {

	/**
	 * Create none; mostly there are one or two.
	 */
	public Effects() {
		super(2);
	}

	/**
	 * One of them.
	 */
	public sealed interface Effect {

	}

	/**
	 * A command is to be sent, and the outcome told to the lock.
	 *
	 * @param state the lock
	 * @param command the command
	 */
	public record Send(LockState state, Command command) implements Effect {
	}

	/**
	 * A waiter has its result.
	 *
	 * @param waiter the waiter
	 */
	public record Wake(Waiter waiter) implements Effect {
	}

	/**
	 * The owner of a grant is gone: it is not renewed any more.
	 *
	 * @param grant the grant
	 */
	public record Orphaned(Grant grant) implements Effect {
	}

	/**
	 * Something unexpected was thrown, and the state of a lock is discarded.
	 *
	 * @param state the lock
	 * @param cause what
	 */
	public record Discarded(LockState state, Throwable cause) implements Effect {
	}

}
