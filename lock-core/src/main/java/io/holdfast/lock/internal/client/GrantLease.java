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
import java.util.Objects;
import java.util.function.Consumer;

import io.holdfast.lock.Lease;
import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import io.holdfast.lock.internal.engine.Grant;
import io.holdfast.lock.internal.engine.LossActions;

/**
 * What there is to see of a grant, whoever owns it.
 */
interface GrantLease extends Lease {

	LockRuntime runtime();

	Grant grant();

	/**
	 * Where it keeps what is to be done about a loss.
	 */
	LossActions lossActions();

	@Override
	default String name() {
		return grant().name();
	}

	@Override
	default long token() {
		return grant().token();
	}

	@Override
	default boolean isValid() {
		return grant().isValid(runtime().engine().now());
	}

	@Override
	default Duration validFor() {
		return grant().validFor(runtime().engine().now());
	}

	@Override
	default Registration onLost(Consumer<? super LockLoss> action) {
		Objects.requireNonNull(action, "Action must not be null");
		runtime().engine().expire(grant());
		Registration added = lossActions().add(grant(), action);
		if (added == null) {
			action.accept(Objects.requireNonNull(grant().loss()));
			return () -> {
			};
		}
		return added;
	}

	default String describe() {
		return "Lease[" + name() + ", token " + token() + ", " + (isValid() ? "valid" : "not valid") + "]";
	}

}
