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

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.protocol.Command;
import io.holdfast.lock.internal.protocol.Reply;

/**
 * The stage of a request that holds the lock, where too little is left of that for an
 * owner to begin: a renewal is to prove it.
 *
 * @param hold what it has
 */
record Unproven(Hold hold) implements Stage {

	/**
	 * Only its own renewal proves it: one that is still under way when an owner begins
	 * would make the lease longer than that one wanted.
	 */
	@Override
	public void holds(Request request, Command command, Reply reply, long now, Effects out) {
		if (command instanceof Command.Renew proof && proof.leaseMillis() == this.hold.leaseMillis) {
			Stage.super.holds(request, command, reply, now, out);
		}
		else {
			request.schedule.workNext(now + Context.Settings.RETRY_NANOS);
		}
	}

	@Override
	public void waits(Request request, Reply reply, long now, Effects out) {
		if (!request.traffic.isUnderWay()) {
			request.send(now, out);
		}
	}

	@Override
	public void failed(Request request, LockServerException failure, long now, Effects out) {
		if (this.hold.watched && !this.hold.isOver(now)) {
			request.begin(this.hold, now, out);
		}
		request.fails(failure, false, now);
	}

}
