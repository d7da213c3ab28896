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

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.holdfast.lock.Lease;

/**
 * Several handles as one.
 */
final class MultiLease extends MultiView<GrantLease> implements Lease {

	private MultiLease(List<GrantLease> leases) {
		super(leases);
	}

	/**
	 * Several as one, or the only one as it is.
	 */
	static Lease of(List<GrantLease> leases) {
		return (leases.size() > 1) ? new MultiLease(leases) : leases.get(0);
	}

	@Override
	public void close() {
		AllOrNothing.giveBackAll(this.leases, Lease::close);
	}

	@Override
	public CompletionStage<Void> closeAsync() {
		return this.leases.get(0).async(this::close);
	}

}
