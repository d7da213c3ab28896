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

import org.jspecify.annotations.Nullable;

/**
 * What others may see of the locks of a client. Thread-safe.
 */
public final class EngineView {

	private final EngineContext context;

	EngineView(EngineContext context) {
		this.context = context;
	}

	/**
	 * The grant under a request, or {@code null} if there is none.
	 */
	public @Nullable Grant grant(String key, String id) {
		return this.context.find(key, id, (entry) -> entry.holding.grant());
	}

	/**
	 * Whether a request has a hold that this client has not given up.
	 */
	public boolean holds(String key, String id) {
		return Boolean.TRUE.equals(this.context.find(key, id, (entry) -> entry.holding.hasHold()));
	}

	/**
	 * How often the owner of a grant has acquired it.
	 */
	public int countOf(Grant grant) {
		synchronized (grant.entry.lock) {
			return grant.owed();
		}
	}

	/**
	 * Whether no caller has a command on its way any more whose answer may bring a hold
	 * or a place, nor a hold: once the client is closed, it is about to give that up.
	 */
	public boolean isQuiet() {
		for (LocalLock lock : this.context.locks.values()) {
			synchronized (lock) {
				if (lock.entries().stream().anyMatch((entry) -> entry.isBusy() || entry.holding.hasHold())) {
					return false;
				}
			}
		}
		return true;
	}

}
