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
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;

/**
 * Several grants as one, in the order in which they were acquired.
 *
 * @param <L> what each of them is
 */
sealed class MultiView<L extends LeaseView> implements LeaseView permits MultiLease {

	final List<L> leases;

	MultiView(List<L> leases) {
		this.leases = leases;
	}

	@Override
	public String name() {
		return AllOrNothing.describe(names());
	}

	@Override
	public List<String> names() {
		return this.leases.stream().map(LeaseView::name).toList();
	}

	@Override
	public long token() {
		throw new IllegalStateException(
				"The lease is for several locks (" + name() + "), each with a token of its own: use token(name)");
	}

	@Override
	public long token(String name) {
		int position = names().indexOf(name);
		if (position < 0) {
			throw new IllegalArgumentException("The lease is for locks " + name() + ", not for '" + name + "'");
		}
		return this.leases.get(position).token();
	}

	@Override
	public boolean isValid() {
		return this.leases.stream().allMatch(LeaseView::isValid);
	}

	@Override
	public boolean isHeld() {
		return this.leases.stream().allMatch(LeaseView::isHeld);
	}

	@Override
	public boolean confirm() {
		return this.leases.stream().allMatch(LeaseView::confirm) && isValid();
	}

	@Override
	public void throwIfLost() {
		this.leases.forEach(LeaseView::throwIfLost);
	}

	@Override
	public Duration validFor() {
		return this.leases.stream().map(LeaseView::validFor).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	@Override
	public Registration onLost(Consumer<? super LockLoss> action) {
		List<Registration> added = this.leases.stream().map((lease) -> lease.onLost(action)).toList();
		return () -> added.forEach(Registration::remove);
	}

	@Override
	public String toString() {
		return "Lease[" + name() + ", " + (isValid() ? "valid" : "not valid") + "]";
	}

}
