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

package io.holdfast.lock.interceptor;

import java.util.Objects;
import java.util.function.Predicate;

import io.holdfast.lock.LeaseView;
import io.holdfast.lock.Leases;
import reactor.core.publisher.Mono;

/**
 * The leases of the reactive methods with
 * {@link io.holdfast.lock.annotation.DistributedLock @DistributedLock} in which a
 * subscription is, as {@link Leases} has those of a thread. Needs Reactor.
 */
public final class ReactiveLeases {

	private ReactiveLeases() {
	}

	/**
	 * Returns the lease of the innermost locked method in which the subscriber is.
	 * @return the lease, also if it was lost meanwhile; or an
	 * {@link IllegalStateException} if the subscriber is in no locked method
	 */
	public static Mono<LeaseView> current() {
		return innermost((lease) -> true, "");
	}

	/**
	 * Returns the lease of the innermost locked method in which the subscriber is and
	 * that has a certain lock. A method within another one acquires only what that does
	 * not have.
	 * @param name the lock's name
	 * @return the lease, also if it was lost meanwhile; or an
	 * {@link IllegalStateException} if the subscriber is in no method that has the lock
	 */
	public static Mono<LeaseView> current(String name) {
		Objects.requireNonNull(name, "Lock name must not be null");
		return innermost((lease) -> lease.names().contains(name), " that holds lock '" + name + "'");
	}

	private static Mono<LeaseView> innermost(Predicate<LeaseView> condition, String what) {
		return Mono
			.deferContextual((context) -> Mono
				.justOrEmpty(ReactiveCall.entered(context).stream().map(Held::lease).filter(condition).findFirst()))
			.switchIfEmpty(Mono
				.error(() -> new IllegalStateException("The subscriber is in no reactive method with @DistributedLock"
						+ what
						+ ". A call of this.method() goes around the proxy, and a subscription of its own has no context")));
	}

}
