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

package io.holdfast.lock.internal.engine.simulation;

import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LeaseSpec;

/**
 * That a caller may run.
 */
final class Belief {

	final Caller caller;

	final Grant grant;

	int count = 1;

	boolean limited;

	long limitNanos;

	boolean lost;

	boolean nested;

	Belief(Caller caller, Grant grant, LeaseSpec lease) {
		this.caller = caller;
		this.grant = grant;
		this.limited = !lease.watched();
		this.limitNanos = grant.sinceNanos() + World.millis(lease.millis());
	}

	void extend(LeaseSpec lease) {
		this.limited &= !lease.watched();
		long limit = this.caller.client().nanoTime() + World.millis(lease.millis());
		this.limitNanos = (limit - this.limitNanos > 0) ? limit : this.limitNanos;
	}

	boolean isValid() {
		return this.grant.isValid(this.caller.client().nanoTime());
	}

	/**
	 * Whether an inner call may have begun anew after the lease of the outer one.
	 */
	boolean mayBeForgotten() {
		return this.nested || this.lost;
	}

	@Override
	public String toString() {
		return this.caller + " with token " + this.grant.token() + " of " + this.grant.name();
	}

}
