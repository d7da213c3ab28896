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

import java.util.List;
import java.util.concurrent.TimeUnit;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockLoss.Cause;
import io.holdfast.lock.LockLostException;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockServerException.Reason;
import io.holdfast.lock.internal.server.LockReply;
import io.holdfast.lock.internal.server.Renewal;
import org.jspecify.annotations.Nullable;

/**
 * Acquires again what its owner holds already. Asks the server only if the inner
 * acquisition wants a longer lease than is left, or the watchdog where the outer one did
 * not.
 */
final class Reentry {

	private final Locks locks;

	private final LeaseSpec lease;

	Reentry(Locks locks, LeaseSpec lease) {
		this.locks = locks;
		this.lease = lease;
	}

	/**
	 * Re-enters a grant whose acquisition was counted already.
	 * @throws LockLostException if it is lost; then it does not count
	 */
	Grant enter(Grant held) {
		try {
			Renewal sign = sign(held);
			if (sign != null) {
				prolong(held, sign);
			}
			return held;
		}
		catch (LockServerException | LockLostException ex) {
			synchronized (held.lock) {
				held.count--;
			}
			throw ex;
		}
	}

	/**
	 * What the server has to be told, if anything.
	 */
	private @Nullable Renewal sign(Grant held) {
		synchronized (held.lock) {
			throwIfLost(held);
			long left = held.deadlineNanos() - this.locks.now();
			boolean longer = this.lease.watched() ? !held.watched
					: left < TimeUnit.MILLISECONDS.toNanos(this.lease.millis());
			return longer ? new Renewal(held.lock.key, held.contender.id(), this.lease.millis(), 0) : null;
		}
	}

	private void prolong(Grant held, Renewal sign) {
		LockReply standing = this.locks.server.renew(List.of(sign)).get(0);
		synchronized (held.lock) {
			// The answer may have come after the deadline. If the hold was lost
			// meanwhile, the contender may be at work for another owner.
			this.locks.expire(held.contender, this.locks.now());
			throwIfLost(held);
			if (standing.state() == LockReply.State.UNKNOWN) {
				throw new LockServerException(held.lock.name, Reason.TIMED_OUT,
						"Lock '" + held.lock.name + "': too few servers answered to prolong its lease", null);
			}
			if (standing.state() != LockReply.State.HOLDS) {
				this.locks.lose(held.contender, Cause.GONE, this.locks.now());
				throwIfLost(held);
			}
			held.contender.renewed(held, standing);
			held.watched |= this.lease.watched();
		}
	}

	static void throwIfLost(Grant held) {
		LockLoss loss = held.loss();
		if (loss != null) {
			throw new LockLostException(loss);
		}
	}

}
