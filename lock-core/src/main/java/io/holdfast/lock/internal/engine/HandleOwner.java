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

import java.lang.ref.WeakReference;

import org.jspecify.annotations.Nullable;

/**
 * Owns the grant of a handle and notices when nobody has the handle any more. Nothing in
 * the engine refers to the handle itself, nor to the actions that it keeps for its loss:
 * one of them may well refer to the handle, which then could never be forgotten.
 */
public final class HandleOwner {

	/**
	 * Who acquired it, which need not be who has the handle.
	 */
	private final long threadId = Thread.currentThread().getId();

	private final String threadName = Thread.currentThread().getName();

	private volatile @Nullable WeakReference<Handle> handle;

	/**
	 * Binds the handle that was given to the caller.
	 */
	public <T extends Handle> T bind(T created) {
		this.handle = new WeakReference<>(created);
		return created;
	}

	boolean isForgotten() {
		WeakReference<Handle> bound = this.handle;
		return bound != null && bound.get() == null;
	}

	/**
	 * What is to be done about a loss, or {@code null} if nobody has the handle.
	 */
	@Nullable LossActions lossActions() {
		WeakReference<Handle> bound = this.handle;
		Handle present = (bound != null) ? bound.get() : null;
		return (present != null) ? present.lossActions() : null;
	}

	/**
	 * How messages call the thread that acquired it.
	 */
	String threadName() {
		return nameOf(this.threadName, this.threadId);
	}

	/**
	 * How messages call a thread: most virtual ones have no name.
	 */
	public static String nameOf(Thread thread) {
		return nameOf(thread.getName(), thread.getId());
	}

	private static String nameOf(String name, long id) {
		return name.isEmpty() ? "#" + id : name;
	}

	boolean wasAcquiredBy(Thread thread) {
		return thread.getId() == this.threadId;
	}

	/**
	 * What a caller has in hand.
	 */
	public interface Handle {

		LossActions lossActions();

	}

}
