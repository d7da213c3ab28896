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
import java.util.List;

import io.holdfast.lock.LockLoss;
import io.holdfast.lock.LockObserver;
import io.holdfast.lock.LockServerException;
import io.holdfast.lock.LockType;
import org.jspecify.annotations.Nullable;

/**
 * Several observers, of which each is told whatever another one throws.
 */
final class ObserverGroup implements LockObserver {

	private final List<Observers> members;

	ObserverGroup(List<Observers> members) {
		this.members = members;
	}

	@Override
	public Attempt wanted(String name, @Nullable String declaredName, LockType type) {
		List<Attempt> attempts = new ArrayList<>(this.members.size());
		this.members.forEach((each) -> attempts.add(each.wanted(name, declaredName, type)));
		return new Attempts(attempts);
	}

	@Override
	public void renewalFailed(String name, LockServerException reason) {
		this.members.forEach((each) -> each.renewalFailed(name, reason));
	}

	@Override
	public void forced(String name) {
		this.members.forEach((each) -> each.forced(name));
	}

	@Override
	public void started(ClientState client) {
		this.members.forEach((each) -> each.started(client));
	}

	@Override
	public void stopped(ClientState client) {
		this.members.forEach((each) -> each.stopped(client));
	}

	/**
	 * One attempt, as each of the observers follows it.
	 */
	private final class Attempts implements Attempt {

		private final List<Attempt> attempts;

		Attempts(List<Attempt> attempts) {
			this.attempts = attempts;
		}

		@Override
		public void acquired(Acquisition how, long waitedNanos) {
			for (int i = 0; i < this.attempts.size(); i++) {
				member(i).acquired(this.attempts.get(i), how, waitedNanos);
			}
		}

		@Override
		public void reentered() {
			for (int i = 0; i < this.attempts.size(); i++) {
				member(i).reentered(this.attempts.get(i));
			}
		}

		@Override
		public void failed(Failure why, long waitedNanos, @Nullable LockServerException reason) {
			for (int i = 0; i < this.attempts.size(); i++) {
				member(i).failed(this.attempts.get(i), why, waitedNanos, reason);
			}
		}

		@Override
		public void released(Release how, long heldNanos) {
			for (int i = 0; i < this.attempts.size(); i++) {
				member(i).released(this.attempts.get(i), how, heldNanos);
			}
		}

		@Override
		public void lost(LockLoss loss) {
			for (int i = 0; i < this.attempts.size(); i++) {
				member(i).lost(this.attempts.get(i), loss);
			}
		}

		private Observers member(int index) {
			return ObserverGroup.this.members.get(index);
		}

	}

}
