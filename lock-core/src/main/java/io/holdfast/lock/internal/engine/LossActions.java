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

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.Registration;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done about the loss of a grant. Thread-safe.
 */
public final class LossActions {

	private final List<Action> actions = new ArrayList<>(1);

	/**
	 * Remembers an action.
	 * @return what takes it back, or {@code null} if the grant is lost already: then it
	 * will not be done
	 */
	public synchronized @Nullable Registration add(Grant grant, Consumer<? super LockLoss> action) {
		// poll() runs only after the loss is set.
		if (grant.loss() != null) {
			return null;
		}
		Action added = new Action(action);
		this.actions.add(added);
		return added;
	}

	private synchronized void remove(Action action) {
		this.actions.remove(action);
	}

	/**
	 * Takes the next of what is to be done, or {@code null}.
	 */
	public synchronized @Nullable Consumer<LockLoss> poll() {
		return this.actions.isEmpty() ? null : this.actions.remove(0);
	}

	/**
	 * Compared by identity: the same may be wanted twice.
	 */
	private final class Action implements Registration, Consumer<LockLoss> {

		private final Consumer<? super LockLoss> what;

		Action(Consumer<? super LockLoss> what) {
			this.what = what;
		}

		@Override
		public void accept(LockLoss loss) {
			this.what.accept(loss);
		}

		@Override
		public void remove() {
			LossActions.this.remove(this);
		}

	}

}
