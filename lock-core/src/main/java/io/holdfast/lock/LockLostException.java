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

package io.holdfast.lock;

import io.holdfast.lock.internal.text.DurationText;

/**
 * The calling thread or handle held the lock, but the hold ended before it was released.
 * Another holder may have been at work since.
 * <p>
 * Not an {@link IllegalMonitorStateException}, which says that the thread does not hold
 * the lock: code that ignores that must not ignore a loss.
 */
public class LockLostException extends LockException {

	private final LockLoss loss;

	/**
	 * Create the exception.
	 * @param loss what was lost
	 */
	public LockLostException(LockLoss loss) {
		super(loss.name(),
				"Lock '" + loss.name() + "' with fencing token " + loss.token() + " was lost at " + loss.at() + " ("
						+ loss.cause() + "), after " + DurationText.millisOf(loss.held())
						+ "; another holder may have been at work since then. " + reason(loss)
						+ ". Check what was written under it, or have it rolled back",
				null);
		this.loss = loss;
	}

	/**
	 * Create an exception that another resource than Redis gives rise to.
	 * @param loss what was lost
	 * @param message what happened, and what to do
	 */
	protected LockLostException(LockLoss loss, String message) {
		super(loss.name(), message, null);
		this.loss = loss;
	}

	private static String reason(LockLoss loss) {
		return switch (loss.cause()) {
			case EXPIRED -> "Its lease ended first: the work took longer than its lease time, this process was paused, "
					+ "or Redis did not answer";
			case GONE ->
				"Redis no longer knows the hold: its data was lost (restart, failover, eviction), the key was deleted, "
						+ "or the lease ended by Redis' clock";
			case FORCED -> "An operator released it";
			case MAX_HOLD -> "Its owner had it for as long as max-hold allows";
			case ERROR -> "An unexpected error hit what the lock client knew of it (see the log)";
			case CLOSED -> "The lock client was closed while the work went on";
		};
	}

	/**
	 * Returns what was lost: the fencing token, when and why.
	 * @return the loss
	 */
	public LockLoss loss() {
		return this.loss;
	}

}
