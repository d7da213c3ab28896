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

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What a client knows of its own state, without asking the server for it.
 *
 * @param status how it is
 * @param held how many locks its callers hold; one that several of them read, or have
 * permits of, counts for each
 * @param unsure how many of these the client is not sure of, as it has not heard from the
 * server for a while
 * @param subscriptionDownFor for how long no message of the server has reached the
 * client; {@code null} while they do
 * @param unavailableFor for how long every acquisition has failed at the server;
 * {@code null} while none does, once one was answered or a server that did not answer was
 * reached again, and a minute after the latest failure
 * @param failure why the latest of these failed, without the name of a lock; else
 * {@code null}
 */
public record LockClientHealth(Status status, int held, int unsure, @Nullable Duration subscriptionDownFor,
		@Nullable Duration unavailableFor, @Nullable String failure) {

	/**
	 * How a client is. If several apply, the most severe (last) one is reported.
	 */
	public enum Status {

		/**
		 * All is well, as far as is known.
		 */
		UP,

		/**
		 * Messages have not reached the client for three seconds, of a quorum those of
		 * most servers. Locks work, and those who wait ask again by themselves, ten times
		 * a second; on a quorum they always do.
		 */
		SUBSCRIPTION_DOWN,

		/**
		 * Held locks should have been renewed by now. They are still held, and lost if
		 * that goes on.
		 */
		RENEWALS_LATE,

		/**
		 * Locks cannot be acquired: for five seconds or more every acquisition has failed
		 * at the server, or the client is closed.
		 */
		OUT_OF_SERVICE

	}

}
