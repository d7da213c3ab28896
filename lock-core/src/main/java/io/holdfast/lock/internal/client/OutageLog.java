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
import io.holdfast.lock.internal.server.LimitedLog;

/**
 * Warns once when renewals begin to fail at a server, and logs how many did when they
 * pass again. Thread-safe.
 */
final class OutageLog {

	private final LimitedLog logger = new LimitedLog(OutageLog.class);

	/** How many renewals have failed since the latest one that passed, by server. */
	private final ConcurrentMap<String, Integer> failed = new ConcurrentHashMap<>();

	/**
	 * Renewals have failed.
	 * @param node at which server of a cluster
	 */
	void failed(String node, int renewals, LockServerException failure) {
		if (this.failed.merge(node, renewals, Integer::sum) == renewals) {
			this.logger.warn("Renewal of " + renewals + " lock(s) failed and is tried again until their leases end. "
					+ "Check Redis and the network path to it: " + failure.getMessage());
		}
	}

	/**
	 * A renewal has passed.
	 */
	void passed(String node) {
		Integer over = this.failed.isEmpty() ? null : this.failed.remove(node);
		if (over != null) {
			this.logger.info("Locks are renewed again, after " + over + " renewal(s) that failed");
		}
	}

}
