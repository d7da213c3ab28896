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

package io.holdfast.lock.jdbc;

import java.time.Duration;
import java.time.Instant;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.interceptor.LockFence.Grant;

/**
 * The database has seen a later owner of the lock, so this one is refused: before its
 * method begins, or at its commit, which rolls back. Nothing of it was written. Redis may
 * not have told this owner of its loss.
 */
public final class SupersededException extends LockLostException {

	private final long newerToken;

	private final String newerHolder;

	SupersededException(Grant grant, String name, FenceTable.Row newer, String consequence) {
		super(loss(grant, name),
				"Lock '" + name + "' with fencing token " + grant.lease().token(name) + " of " + grant.client().id()
						+ " is superseded: this database has seen token " + newer.token() + " of " + newer.holder()
						+ ". " + consequence + ", and may be done again. If that goes on, the clock of Redis was set "
						+ "back: tokens will be larger when it has caught up");
		this.newerToken = newer.token();
		this.newerHolder = newer.holder();
	}

	private static LockLoss loss(Grant grant, String name) {
		Instant now = Instant.now();
		return new LockLoss(name, grant.options().fair(), grant.lease().token(name), now, LockLoss.Cause.GONE,
				Duration.between(grant.since(), now));
	}

	/**
	 * Returns the fencing token of the later owner.
	 * @return the token; it may equal that of this one if two masters granted both
	 */
	public long newerToken() {
		return this.newerToken;
	}

	/**
	 * Returns who the later owner is.
	 * @return the id of its client, as {@link io.holdfast.lock.LockClient#id()
	 * LockClient.id()} has it
	 */
	public String newerHolder() {
		return this.newerHolder;
	}

}
