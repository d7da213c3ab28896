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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;

/**
 * The leases of several locks, as one.
 */
final class MultiLease implements Lease {

	private final List<Lease> leases;

	private final List<String> names;

	/**
	 * Create the lease.
	 * @param leases in the order in which they were acquired; at least one
	 */
	MultiLease(List<? extends Lease> leases) {
		this.leases = List.copyOf(leases);
		this.names = leases.stream().map(Lease::name).toList();
	}

	@Override
	public String name() {
		return AllOrNothing.describe(this.names);
	}

	@Override
	public List<String> names() {
		return this.names;
	}

	@Override
	public long token() {
		if (this.leases.size() > 1) {
			throw new IllegalStateException(
					"The lease is for several locks (" + name() + "), each with a token of its own: use token(name)");
		}
		return this.leases.get(0).token();
	}

	@Override
	public long token(String name) {
		int position = this.names.indexOf(name);
		if (position < 0) {
			throw new IllegalArgumentException("The lease is for locks " + name() + ", not for '" + name + "'");
		}
		return this.leases.get(position).token();
	}

	@Override
	public boolean isValid() {
		return this.leases.stream().allMatch(Lease::isValid);
	}

	@Override
	public Duration validFor() {
		return this.leases.stream().map(Lease::validFor).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	@Override
	public Registration onLost(Consumer<? super LockLoss> action) {
		List<Registration> added = new ArrayList<>(this.leases.size());
		Registration all = () -> added.forEach(Registration::remove);
		try {
			this.leases.forEach((lease) -> added.add(lease.onLost(action)));
		}
		catch (Throwable ex) {
			// The action was done at once, and failed: the caller gets nothing to remove.
			all.remove();
			throw ex;
		}
		return all;
	}

	@Override
	public void close() {
		AllOrNothing.giveBackAll(this.leases, Lease::close);
	}

	@Override
	public String toString() {
		return "Lease[" + name() + ", " + (isValid() ? "valid" : "not valid") + "]";
	}

}
