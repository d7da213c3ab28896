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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done about the loss of a grant. Thread-safe.
 */
final class LossActions {

	/**
	 * Mostly there are none. This empty list takes a removal, which {@code List.of()}
	 * refuses.
	 */
	private List<Consumer<LockLoss>> actions = Collections.emptyList();

	private @Nullable LockLoss loss;

	/**
	 * Remembers an action, or does it at once if the loss has been told.
	 * @return what takes it back
	 */
	Registration add(Consumer<? super LockLoss> action) {
		// An object of its own: the same may be wanted twice.
		Consumer<LockLoss> added = (told) -> action.accept(told);
		LockLoss told = addOrLoss(added);
		if (told != null) {
			action.accept(told);
		}
		return () -> remove(added);
	}

	private synchronized @Nullable LockLoss addOrLoss(Consumer<LockLoss> added) {
		if (this.loss == null) {
			this.actions = this.actions.isEmpty() ? new ArrayList<>(1) : this.actions;
			this.actions.add(added);
		}
		return this.loss;
	}

	private synchronized void remove(Consumer<LockLoss> action) {
		this.actions.remove(action);
	}

	/**
	 * From now on actions are done at once.
	 */
	synchronized void lost(LockLoss told) {
		this.loss = told;
	}

	/**
	 * Takes the next of what is to be done, or {@code null}.
	 */
	synchronized @Nullable Consumer<LockLoss> poll() {
		return this.actions.isEmpty() ? null : this.actions.remove(0);
	}

}
