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

package io.holdfast.lock;

import java.util.Collection;
import java.util.Collections;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Runs code under locks that the calling thread owns: what most code needs of a
 * {@link LockClient}, which can be injected as this. What that says of names and errors
 * holds here.
 */
public interface LockOperations {

	/**
	 * Runs a task while the current thread holds a lock, and releases it afterwards.
	 * Calls of the same thread nest, as those of a {@link LeaseLock} do. An exception of
	 * the task is thrown as it is; if the release fails as well, that failure is attached
	 * to it as suppressed. If the task returned but its lock had been lost meanwhile,
	 * {@link LockLostException} is thrown. A release that the server did not answer is
	 * only logged: the task is done, and the lock ends with its lease. What else is
	 * thrown says that the task did not run.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @param task what to run; it is given the lease that the thread holds
	 * @return what the task returned
	 * @throws LockNotAcquiredException if another has the lock and the wait times out
	 * @throws IllegalStateException with an {@link InterruptedException} as its cause, if
	 * interrupted before or while waiting; the thread's interrupt status stays set
	 * @throws E whatever the task throws
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedTask<T, E> task) throws E {
		return execute(Collections.singletonList(name), options, task);
	}

	/**
	 * As {@link #execute(String, LockOptions, LockedTask)} with default options.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param name the lock's name
	 * @param task what to run; it is given the lease that the thread holds
	 * @return what the task returned
	 * @throws E whatever the task throws
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockedTask<T, E> task) throws E {
		return execute(name, LockOptions.defaults(), task);
	}

	/**
	 * As {@link #execute(String, LockOptions, LockedTask)}, under several locks, of which
	 * the thread has all or none. They are acquired as
	 * {@link LockClient#acquire(Collection, LockOptions)} does it.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param names the names of the locks, in any order; a name may be there twice
	 * @param options how to acquire each of them; the wait time is for all together
	 * @param task what to run; it is given the lease that the thread holds
	 * @return what the task returned
	 * @throws LockLostException if one was lost while the task ran, or before the last
	 * one could be had: then it did not run
	 * @throws E whatever the task throws
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(Collection<String> names, LockOptions options,
			LockedTask<T, E> task) throws E;

	/**
	 * As {@link #execute(Collection, LockOptions, LockedTask)} with default options.
	 * @param <T> the type of the result
	 * @param <E> the type of the checked exceptions that the task throws; inferred
	 * @param names the names of the locks, in any order
	 * @param task what to run; it is given the lease that the thread holds
	 * @return what the task returned
	 * @throws E whatever the task throws
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(Collection<String> names, LockedTask<T, E> task)
			throws E {
		return execute(names, LockOptions.defaults(), task);
	}

	/**
	 * As {@link #execute(String, LockOptions, LockedTask)}, for what has no result.
	 * @param <E> the type of the checked exceptions that the action throws; inferred
	 * @param name the lock's name
	 * @param options how to acquire it
	 * @param action what to run; it is given the lease that the thread holds
	 * @throws E whatever the action throws
	 */
	default <E extends Throwable> void executeWithoutResult(String name, LockOptions options, LockedAction<E> action)
			throws E {
		executeWithoutResult(Collections.singletonList(name), options, action);
	}

	/**
	 * As {@link #executeWithoutResult(String, LockOptions, LockedAction)} with default
	 * options.
	 * @param <E> the type of the checked exceptions that the action throws; inferred
	 * @param name the lock's name
	 * @param action what to run; it is given the lease that the thread holds
	 * @throws E whatever the action throws
	 */
	default <E extends Throwable> void executeWithoutResult(String name, LockedAction<E> action) throws E {
		executeWithoutResult(name, LockOptions.defaults(), action);
	}

	/**
	 * As {@link #execute(Collection, LockOptions, LockedTask)}, for what has no result.
	 * @param <E> the type of the checked exceptions that the action throws; inferred
	 * @param names the names of the locks, in any order; a name may be there twice
	 * @param options how to acquire each of them; the wait time is for all together
	 * @param action what to run; it is given the lease that the thread holds
	 * @throws E whatever the action throws
	 */
	default <E extends Throwable> void executeWithoutResult(Collection<String> names, LockOptions options,
			LockedAction<E> action) throws E {
		Objects.requireNonNull(action, "Action must not be null");
		this.<@Nullable Void, E>execute(names, options, (lease) -> {
			action.run(lease);
			return null;
		});
	}

	/**
	 * As {@link #executeWithoutResult(Collection, LockOptions, LockedAction)} with
	 * default options.
	 * @param <E> the type of the checked exceptions that the action throws; inferred
	 * @param names the names of the locks, in any order
	 * @param action what to run; it is given the lease that the thread holds
	 * @throws E whatever the action throws
	 */
	default <E extends Throwable> void executeWithoutResult(Collection<String> names, LockedAction<E> action) throws E {
		executeWithoutResult(names, LockOptions.defaults(), action);
	}

}
