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

package io.holdfast.lock.internal.client;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.holdfast.lock.LockServerException;
import io.holdfast.lock.internal.notice.LimitedLog;
import io.holdfast.lock.internal.protocol.Command;

/**
 * Notes which commands are answered, for those who look after the client.
 */
final class Outages {

	private final LimitedLog outages = new LimitedLog(Outages.class);

	private final LockRuntime runtime;

	/** How many renewals have failed since the latest one that passed, by node. */
	private final ConcurrentMap<String, Integer> failing = new ConcurrentHashMap<>();

	Outages(LockRuntime runtime) {
		this.runtime = runtime;
	}

	void answered(Command command) {
		if (command instanceof Command.Ask) {
			this.runtime.health.answered();
			return;
		}
		this.runtime.health.reached(command.key());
		if (command instanceof Command.Renew && !this.failing.isEmpty()) {
			Integer over = this.failing.remove(this.runtime.server.nodeOf(command.key()));
			if (over != null) {
				this.outages.info("Locks are renewed again, after " + over + " renewal(s) that failed");
			}
		}
	}

	void failed(String name, Command command, LockServerException failure) {
		if (command instanceof Command.Ask) {
			this.runtime.health.failed(command.key(), failure);
		}
		else if (command instanceof Command.Renew) {
			if (this.failing.merge(this.runtime.server.nodeOf(command.key()), 1, Integer::sum) == 1) {
				this.outages.warn("Renewal of lock(s) failed and is tried again until their leases end. "
						+ "Check Redis and the network path to it: " + failure.getMessage());
			}
			this.runtime.observers.renewalFailed(name, failure);
		}
	}

}
